import { afterAll, beforeAll, expect, test } from 'bun:test'
import { cpSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createWorld, handbook, type World } from '../../support/e2e.ts'
import { serveEmbeddings, type EmbeddingServer } from '../../support/servers/embedding-server.ts'
import { testWhere } from '../../support/where.ts'

/** A library embedded by a service, by the built-in model and by another model. */

const question = ['query', 'how are errors handled', '-l', 'handbook', '--json']
const models = resolve(import.meta.dir, '../../../build/model')
const miniLm = 'sentence-transformers/all-MiniLM-L6-v2'

let world: World
let endpoint: EmbeddingServer
beforeAll(async () => {
  world = await createWorld({ embeddings: true })
  endpoint = serveEmbeddings()
  const docs = join(world.folder, 'docs')
  cpSync(handbook, docs, { recursive: true })
  await world.json(['add', 'handbook', '-s', docs, '-v', '1', '--json'], { env: endpoint.env })
  // The source is gone, so the pages can only come from the store.
  rmSync(docs, { recursive: true })
})
afterAll(async () => {
  await endpoint[Symbol.asyncDispose]()
  await world[Symbol.asyncDispose]()
})

async function hitsOf(env?: Record<string, string>): Promise<string[]> {
  const { hits } = await world.json(question, env ? { env } : {})
  return hits.map((hit: { url: string }) => hit.url)
}

function generations(): { live: string; previous: string | null; model: string } {
  const { entries } = JSON.parse(readFileSync(join(world.store, 'registry.json'), 'utf8'))
  const [{ live, previous }] = entries
  return { live: live.id, previous: previous?.id ?? null, model: live.fingerprint.model }
}

test('rejects a library whose model is not on this machine, with a hint', () =>
  world.check(question, {
    exitCode: 2,
    stderr: /embedded by letters \(8 dimensions\), which is not on this[^]*"og reembed handbook"/,
  }))

test('kill -9 in the middle of embedding keeps the old generation, and the next run removes all traces', async () => {
  const release = endpoint.hold()
  const before = generations()
  const changed = { ...endpoint.env, OG_EMBEDDINGS__EMBEDDING_MODEL: 'letters-2' }
  const asked = endpoint.texts.length
  const running = world.start(['reembed'], { env: changed })
  while (endpoint.texts.length === asked) await Bun.sleep(5)
  running.kill('SIGKILL')
  expect((await running.ended).exitCode).toBe(137)
  release()
  expect(generations()).toEqual(before)
  expect((await hitsOf(endpoint.env)).length).toBeGreaterThan(0)
  const { results } = await world.json(['reembed', 'handbook', '--json'], { env: changed })
  expect(results).toMatchObject([{ status: 'reembedded', before: 'letters', model: 'letters-2' }])
  const { live } = generations()
  const folders = readdirSync(join(world.store, 'generations')).sort()
  expect(folders).toEqual([before.live, live].sort())
})

test('og reembed embeds the stored pages again, and og rollback restores the old embeddings', async () => {
  const before = generations()
  const { results } = await world.json(['reembed', 'handbook', '--json'])
  expect(results).toMatchObject([
    {
      library: 'handbook',
      version: '1',
      status: 'reembedded',
      before: 'letters-2',
      model: 'BAAI/bge-small-en-v1.5',
    },
  ])
  expect(generations()).toMatchObject({ previous: before.live, model: 'BAAI/bge-small-en-v1.5' })
  const hits = await hitsOf()
  expect(hits.length).toBeGreaterThan(0)
  await world.check(['reembed'], { stdout: 'handbook 1: unchanged (BAAI/bge-small-en-v1.5)\n' })
  // A service is configured, but og still searches the library with the library's own model.
  const asked = endpoint.texts.length
  expect(await hitsOf(endpoint.env)).toEqual(hits)
  expect(endpoint.texts.length).toBe(asked)
  await world.check(['rollback', 'handbook'], { stdout: /^handbook 1: as indexed/ })
  expect(generations()).toMatchObject({ live: before.live, model: 'letters-2' })
})

const hasMiniLm = existsSync(join(models, miniLm.replace('/', '--')))
const withMiniLm = testWhere(hasMiniLm ? null : `no files of ${miniLm}`)

withMiniLm('--model takes a model for this run; it is asked by that from then on', async () => {
  const env = { OG_MODEL_DIR: models }
  await world.check(
    ['reembed', 'handbook', '-m', 'all-MiniLM-L6-v2'],
    { stdout: /^handbook 1: embedded by sentence-transformers\/all-MiniLM-L6-v2, before by / },
    { env },
  )
  expect(generations().model).toBe(miniLm)
  expect((await hitsOf(env)).length).toBeGreaterThan(0)
  await world.check(question, { exitCode: 2, stderr: /which is not on this machine/ })
})

test('changes nothing if the model or the library is unknown', async () => {
  const before = generations()
  await world.check(['reembed', '-m', 'word2vec'], {
    exitCode: 2,
    stderr: /Cannot use embedding model "word2vec": the built-in models are/,
  })
  await world.check(['reembed', 'nobook'], { exitCode: 2, stderr: /Library "nobook" not found/ })
  expect(generations()).toEqual(before)
})
