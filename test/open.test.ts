import { beforeEach, expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadConfig } from '../src/config/load.ts'
import { openOg } from '../src/open.ts'
import { createTempFolder } from '../src/platform/file/files.ts'
import { startScript } from './support/child.ts'
import { writeFiles } from './support/repository.ts'
import { openEach } from './support/run/dispose.ts'
import { serveLocal } from './support/servers/serve-local.ts'

let source: { kind: 'local_path'; path: string; baseUrl: string }
const temp = openEach(() => createTempFolder("og open 'ü"))
beforeEach(() => {
  source = { kind: 'local_path', path: join(temp().path, 'docs'), baseUrl: 'doc:/' }
  writeFiles(source.path, {
    'hooks.md': '# Hooks\n\nuseEffect runs after a component has been painted.\n',
    'joins.md': '# Joins\n\n$lookup joins two collections.\n',
  })
})

/** Opens og with its own home and settings from the environment. */
async function open(env: Record<string, string> = {}) {
  const config = await loadConfig({ HOME: temp().path, ...env })
  return openOg(config, () => {})
}

const lib = { library: 'lib', version: '1', lockTimeoutMs: 1000 }
const anyWhere = { library: null, version: null }

test('finds by meaning, reads, lists and removes text that the built-in model embedded', async () => {
  await using og = await open()
  expect(await og.add({ ...lib, source })).toMatchObject({ status: 'added', embedded: 2 })
  const query = 'how do I combine documents of different tables?'
  const { hits } = await og.search({ query, ...anyWhere, limit: 2, mode: 'vector' })
  // The other page has nothing in common with the query.
  expect(hits.map(({ url }) => url)).toEqual(['doc:/joins.md'])
  const page = await og.page({ url: 'doc:/hooks.md', ...anyWhere })
  expect(page!.text).toContain('useEffect')
  expect(await og.list()).toMatchObject([{ library: 'lib', version: '1', chunks: 2 }])
  await og.remove(lib)
  expect(await og.list()).toEqual([])
})

test('needs no model for full text only', async () => {
  await using og = await open({ OG_EMBEDDINGS__EMBEDDING_BACKEND: 'none' })
  expect(await og.add({ ...lib, source })).toMatchObject({ status: 'added', embedded: 0 })
  const { hits } = await og.search({ query: 'useEffect', ...anyWhere, limit: 1 })
  expect(hits.map(({ url }) => url)).toEqual(['doc:/hooks.md'])
})

test('writes nothing if it is only opened and closed', async () => {
  const og = await open()
  expect(await og.list()).toEqual([])
  await og[Symbol.asyncDispose]()
  expect(await Array.fromAsync(new Bun.Glob('**').scan(temp().path))).toHaveLength(2)
})

test('reports only the error of a failing embedder, and tries the embedder again', async () => {
  let broken = true
  using server = serveLocal(async (request) => {
    if (broken) return new Response('no such model', { status: 400 })
    const { input } = (await request.json()) as { input: string[] }
    return Response.json({ data: input.map((text) => ({ embedding: [text.length, 1] })) })
  })
  const env = {
    OG_EMBEDDINGS__EMBEDDING_BACKEND: 'openai',
    OG_EMBEDDINGS__EMBEDDING_MODEL: 'm',
    OG_EMBEDDINGS__EMBEDDING_DIMENSIONS: '2',
    OG_EMBEDDINGS__BASE_URL: `http://127.0.0.1:${server.port}/v1`,
  }
  const og = await open(env)
  await expect(og.add({ ...lib, source })).rejects.toThrow('no such model')
  broken = false
  expect(await og.add({ ...lib, source })).toMatchObject({ status: 'added', embedded: 2 })
  await og[Symbol.asyncDispose]()
})

test('detects an endpoint with another model under the same name', async () => {
  let model = 1
  using server = serveLocal(async (request) => {
    const { input } = (await request.json()) as { input: string[] }
    // Two models have positive values at different positions.
    const embedding = (text: string) =>
      Array.from({ length: 64 }, (_, i) => Math.sin(model * (i + 1)) + text.length / 1000)
    return Response.json({ data: input.map((text) => ({ embedding: embedding(text) })) })
  })
  const env = {
    OG_EMBEDDINGS__EMBEDDING_BACKEND: 'openai',
    OG_EMBEDDINGS__EMBEDDING_MODEL: 'm',
    OG_EMBEDDINGS__EMBEDDING_DIMENSIONS: '64',
    OG_EMBEDDINGS__BASE_URL: `http://127.0.0.1:${server.port}/v1`,
  }
  const search = async () => {
    await using og = await open(env)
    return (await og.search({ query: 'useEffect', ...anyWhere, limit: 1 })).hits
  }
  const add = async () => {
    await using og = await open(env)
    return (await og.add({ ...lib, source })).embedded
  }
  expect(await add()).toBe(2)
  expect(await search()).toHaveLength(1)
  model = 2
  await expect(search()).rejects.toThrow(
    'Cannot compare embeddings: since library "lib" version "1" was embedded, ' +
      'the model "m" at the endpoint has changed',
  )
  writeFiles(source.path, { 'new.md': '# New\n\nA page more.\n' })
  // Uses nothing from the previous state or the cache.
  expect(await add()).toBe(3)
  expect(await search()).toHaveLength(1)
  model = 1
  const reembed = async () => {
    await using og = await open(env)
    const request = { library: 'lib', version: null, lockTimeoutMs: 1000 }
    return (await Array.fromAsync(og.reembed(request)))[0]!.result
  }
  // Two of the three embeddings are still in the cache.
  expect(await reembed()).toMatchObject({ status: 'reembedded', embedded: 1 })
  expect(await reembed()).toMatchObject({ status: 'unchanged' })
})

test('reports only the error of a cache that cannot be opened', async () => {
  mkdirSync(join(temp().path, 'store', 'embeddings.sqlite'), { recursive: true })
  writeFileSync(join(temp().path, 'store', 'embeddings.sqlite', 'x'), '')
  const adding = (async () => {
    await using og = await open({ OG_DB_PATH: join(temp().path, 'store') })
    await og.add({ ...lib, source })
  })()
  await expect(adding).rejects.toThrow(/^Cannot use the embedding cache/)
})

test('stops quickly and cleanly when embedding is aborted', async () => {
  for (let i = 0; i < 100; i++) {
    writeFiles(source.path, { [`${i}.md`]: `Page ${i}. ${'Many words of text. '.repeat(80)}\n` })
  }
  await using child = startScript('interrupted-adder.ts', [source.path], {
    env: { HOME: temp().path },
  })
  expect(await child.line()).toBe('embedding')
  expect(await child.line()).toBe('Error: Ctrl-C')
  expect(await child.exited).toBe(0)
})
