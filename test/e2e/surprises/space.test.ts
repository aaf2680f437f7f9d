/** Tests the size of the store, outdated data and unused data with dist/og. */
import { expect, test } from 'bun:test'
import { cpSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createWorld, handbook, type World } from '../../support/e2e.ts'
import { until } from '../../support/until.ts'
import { homePaths } from '../../support/run/home-paths.ts'

const generations = ({ store }: World) => readdirSync(join(store, 'generations')).sort()

test('og list shows sizes, and the settings that have changed since a library was added', async () => {
  await using world = await createWorld()
  await world.og(['add', 'kettle', '-s', handbook, '-v', '1'])
  const [fresh] = await world.json(['list', '--json'])
  expect(fresh.bytes).toBeGreaterThan(10_000)
  expect(fresh).toMatchObject({ previous_bytes: 0, stale: [] })
  await world.check(['list'], {
    stdout: /^LIBRARY .* SIZE +INDEXED +STALE +SOURCE\nkettle .* \d+(\.\d)? [kM]B +WHEN +- +/,
  })
  const env = { OG_EMBEDDINGS__CHUNK_SIZE: '700', OG_EMBEDDINGS__EMBEDDING_BACKEND: undefined }
  const [stale] = await world.json(['list', '--json'], { env })
  expect(stale.stale).toEqual([
    { what: 'cut otherwise', remedy: 'og update' },
    { what: 'not embedded', remedy: 'og reembed' },
  ])
  const { stderr } = await world.og(['list'], { env })
  expect(stderr).toContain('hint: for stale libraries: og update kettle\n')
  await world.og(['update', 'kettle'], { env })
  expect((await world.json(['list', '--json'], { env }))[0].stale).toEqual([])
})

test('og gc lists leftovers with --dry-run, and deletes them without it', async () => {
  await using world = await createWorld({ embeddings: true })
  const docs = join(world.folder, 'docs')
  cpSync(handbook, docs, { recursive: true })
  await world.og(['add', 'kettle', '-s', docs, '-v', '1'])
  const nothing = { stderr: 'Nothing to free.\n' }
  await world.check(['gc'], nothing)
  // The store keeps the embeddings of a removed library, so that adding it again computes none.
  await world.og(['remove', 'kettle', '-v', '1', '-y'])
  const again = await world.json(['add', 'kettle', '-s', docs, '-v', '1', '--json'])
  expect(again).toMatchObject({ status: 'added', embedded: 0 })
  writeFileSync(join(docs, 'brewing.md'), '# Brewing\n\nAll new words about it.\n')
  await world.og(['update', 'kettle'])
  await world.check(['gc'], nothing)
  // A killed run leaves a folder with a released lease and no registry entry.
  const [live] = generations(world)
  const orphan = join(world.store, 'generations', 'zzzzzzzz-00000000')
  cpSync(join(world.store, 'generations', live!), orphan, { recursive: true })
  const dry = await world.json(['gc', '--dry-run', '--json'])
  expect(dry.freed[0]).toMatchObject({ kind: 'states', count: 1, in_use: 0 })
  expect(existsSync(orphan)).toBe(true)
  const { stdout } = await world.og(['gc'])
  expect(stdout).toMatch(/^Freed \d.*:\n  1 unused state: \d/)
  expect(existsSync(orphan)).toBe(false)
  await world.og(['remove', 'kettle', '-v', '1', '-y'])
  const {
    freed: [, , rows],
  } = await world.json(['gc', '--dry-run', '--json'])
  expect(rows.count).toBeGreaterThan(5)
  expect((await world.json(['gc', '--json'])).freed[2]).toEqual({ ...rows })
  await world.check(['gc'], nothing)
})

test('og gc keeps the data of a running process', async () => {
  await using world = await createWorld({ embeddings: true, ownCache: true })
  await world.og(['add', 'kettle', '-s', handbook, '-v', '1'])
  const natives = join(world.env.HOME!, homePaths.cache, 'natives')
  const [own] = readdirSync(natives).filter((name) => /^[0-9a-f]+$/.test(name))
  const old = `${own!.slice(0, -4)}0000`
  cpSync(join(natives, own!), join(natives, old), { recursive: true })
  // Another version of og holds a lease on the folder from which it loads native libraries.
  const { Database } = await import('bun:sqlite')
  const lease = new Database(join(natives, old, 'lease'), { readonly: true })
  lease.query('BEGIN').get()
  lease.query('SELECT count(*) FROM sqlite_master').get()
  const used = await world.og(['gc'])
  expect(used.stderr).toContain('Still in use: 1 folder of natives of other versions of og')
  expect(existsSync(join(natives, old))).toBe(true)
  lease.close()
  expect((await world.og(['gc'])).stdout).toContain('1 folder of natives of other versions of og: ')
  expect(readdirSync(natives)).not.toContain(old)
  await world.check(['query', 'cancel', '-k', '1'], { stdout: /^Found 1 match/ })
})

test('og gc deletes no data of a running writer', async () => {
  await using world = await createWorld({ embeddings: true })
  const docs = join(world.folder, 'docs')
  mkdirSync(docs)
  for (let i = 0; i < 25; i++) {
    const text = `word${i} boils water `.repeat(60)
    writeFileSync(join(docs, `${i}.md`), `# Page ${i}\n\n${text}\n`)
  }
  const adding = world.start(['add', 'many', '-s', docs, '-v', '1'])
  await until(
    'the generation is there',
    () =>
      existsSync(join(world.store, 'generations')) &&
      generations(world).length > 0 &&
      existsSync(join(world.store, 'embeddings.sqlite')),
  )
  let runs = 0
  let isDone = false
  void adding.ended.then(() => (isDone = true))
  while (!isDone || runs === 0) {
    expect((await world.og(['gc'])).exitCode).toBe(0)
    runs++
  }
  expect(await adding.ended).toMatchObject({ exitCode: 0 })
  expect((await world.json(['query', 'word24', '--json'])).hits[0].title).toBe('Page 24')
  // If two processes delete at the same time, one leaves the rest to the other, so the next gc may
  // find a remainder.
  expect((await world.og(['gc'])).exitCode).toBe(0)
  await world.check(['gc'], { stderr: 'Nothing to free.\n' })
  await world.check(['doctor', '--deep'], { stdout: /./ })
})
