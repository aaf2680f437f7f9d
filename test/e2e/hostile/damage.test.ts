import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { chmodSync, cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createWorld, handbook, type World } from '../../support/e2e.ts'

/** Uses a store with a damaged library through the executable. */

let world: World
let whole = ''
beforeAll(async () => {
  world = await createWorld()
  whole = join(world.folder, 'whole')
  for (const library of ['one', 'two']) {
    await world.json(['add', library, '-s', handbook, '-v', '1', '--json'])
  }
  cpSync(world.store, whole, { recursive: true })
})
afterAll(async () => world[Symbol.asyncDispose]())
beforeEach(() => {
  rmSync(world.store, { recursive: true })
  cpSync(whole, world.store, { recursive: true })
})

/** Empties the data files of a table of library `one`. */
function harm(table: string): void {
  const { entries } = JSON.parse(readFileSync(join(world.store, 'registry.json'), 'utf8'))
  const path = join(world.store, 'generations', entries[0].live.id, `${table}.lance`, 'data')
  for (const name of readdirSync(path)) writeFileSync(join(path, name), '')
}

const query = ['query', 'errors handled']
const line = /^warning: Cannot read library "one" version "1": chunks\.lance\/\S+ has 0 bytes.*\n$/

test('searches the other libraries, and reports the damaged one in one line', async () => {
  harm('chunks')
  const { exitCode, stdout, stderr } = await world.og([...query, '--json'])
  expect([exitCode, stderr]).toEqual([1, expect.stringMatching(line)])
  const { hits, notes } = JSON.parse(stdout)
  expect(new Set(hits.map((hit: { library: string }) => hit.library))).toEqual(new Set(['two']))
  expect(notes).toMatchObject([{ kind: 'damaged', library: 'one', version: '1' }])
  await world.check([...query, '-l', 'one'], {
    exitCode: 2,
    stderr: /^error: Cannot read library "one".*\nhint: og doctor --repair/,
  })
})

test('doctor repairs the damage that it finds, and a second run finds none', async () => {
  harm('chunks')
  expect((await world.og(['doctor'])).exitCode).toBe(1)
  const repaired = await world.og(['doctor', '--repair'])
  expect(repaired.stderr).toMatch(/^one 1: it cannot be read: .* from its \d+ stored pages\n$/)
  expect((await world.og(query)).stderr).toBe('')
  expect((await world.og(['doctor', '--repair'])).stderr).toBe('Nothing in the store is damaged.\n')
})

test('readers and writers reject a store without its registry, and doctor rebuilds it', async () => {
  rmSync(join(world.store, 'registry.json'))
  for (const args of [['list'], query, ['add', 'three', '-s', handbook], ['rollback', 'one']]) {
    await world.check(args, {
      exitCode: 2,
      stderr: /^error: Cannot read store \S+: it is missing, .*\nhint: restore.*\n$/,
    })
  }
  const { stderr } = await world.og(['doctor', '--repair'])
  expect(stderr).toMatch(
    /^one 1: registered again.*\ntwo 1: registered again.*\nregistry\.json: rebuilt/,
  )
  expect((await world.json(['list', '--json'])).length).toBe(2)
})

test('update --all repairs damaged libraries, and continues after one that it cannot repair', async () => {
  harm('pages')
  const { exitCode, stderr } = await world.og(['update', '--all'])
  expect([exitCode, stderr]).toEqual([0, expect.not.stringContaining('internal')])
  expect((await world.og(query)).exitCode).toBe(0)
})

test('reports in one line that locks cannot be created', async () => {
  const locks = join(world.store, 'locks')
  rmSync(locks, { recursive: true })
  writeFileSync(locks, '')
  const lockless = /^error: Cannot lock [^\n]*\nhint: [^\n]*files writable\n$/
  await world.check(['remove', 'one', '-v', '1', '-y'], { exitCode: 2, stderr: lockless })
  chmodSync(locks, 0o444)
  await world.check(['remove', 'one', '-v', '1', '-y'], { exitCode: 2, stderr: lockless })
  expect((await world.og(query)).exitCode).toBe(0)
})
