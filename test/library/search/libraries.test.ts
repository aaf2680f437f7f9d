import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createTempFolder, type TempFolder } from '../../../src/platform/file/files.ts'
import { openTestStore, type TestStore } from '../../support/test-store.ts'

let temp: TempFolder
let store: TestStore

/** One large library about the web, and small ones, each about one subject. */
beforeAll(async () => {
  temp = await createTempFolder('og-libraries')
  store = openTestStore(join(temp.path, 'store'))
  const large = Array.from({ length: 300 }, (_, i) => [
    `topic-${i}`,
    `Create a handler for topic ${i}, queue a task with options, and set how long it may take. ` +
      `Create the route, then queue the response and retry with options ${i * 7}.`,
  ])
  // A word on one page of the large library is rarer there than in a library about it.
  for (const [i, [, thing]] of small.entries()) large[i]![1] += ` Not for a ${thing}.`
  await add('giant', Object.fromEntries(large))
  await add('hopper', {
    queues: 'Call `createQueue(name)` to make a queue. Its options are concurrency and timeout.',
    workers: 'A worker takes jobs and acknowledges each.',
    options: 'Set the options of a job before it is sent.',
  })
  for (const [name, thing] of small) {
    await add(name, {
      start: `Begin with a ${thing}: create one, then use the ${thing}.`,
      options: `Every ${thing} has options, and each ${thing} can be removed.`,
      retry: `A ${thing} that fails is tried again, as often as you set.`,
    })
  }
})
afterAll(async () => {
  store[Symbol.dispose]()
  await temp[Symbol.asyncDispose]()
})

const small = [
  ['inkwell', 'nib'],
  ['kettle', 'boiler'],
  ['lantern', 'wick'],
  ['mortar', 'pestle'],
  ['anvil', 'hammer'],
] as const

async function add(library: string, pages: Record<string, string>): Promise<void> {
  const folder = join(temp.path, library)
  mkdirSync(folder, { recursive: true })
  for (const [name, text] of Object.entries(pages)) {
    writeFileSync(join(folder, `${name}.md`), `# ${name.replaceAll('-', ' ')}\n\n${text}\n`)
  }
  await store.add(library, folder)
}

const librariesOf = async (query: string, request = {}) =>
  (await store.search(query, request)).map(({ library }) => library)

test('puts the only library that defines a name first, before larger ones', async () => {
  const queries = [
    'createQueue',
    'createQueue options',
    'queue a task with createQueue options',
    'how long may createQueue take',
    'createQueue timeout task retry',
  ]
  for (const query of queries) {
    expect([query, (await librariesOf(query))[0]]).toEqual([query, 'hopper'])
  }
})

test('puts each small library before a large one for its own subject', async () => {
  for (const [library, thing] of small) {
    for (const query of [`${thing} options`, `${thing} fails`, thing]) {
      expect([query, (await librariesOf(query))[0]]).toEqual([query, library])
    }
  }
})

test('puts the large library first for its own subject', async () => {
  expect((await librariesOf('how do I create a handler and a route'))[0]).toBe('giant')
})

test('gives more weight to a library that the query names', async () => {
  expect((await librariesOf('options'))[0]).not.toBe('mortar')
  expect((await librariesOf('mortar options'))[0]).toBe('mortar')
})

test('keeps the order that each library has when searched alone', async () => {
  const query = 'how do I set options of a nib'
  const alone = await store.search(query, { library: 'inkwell', limit: 50 })
  const beside = (await store.search(query, { limit: 400 })).map(({ chunkId }) => chunkId)
  const places = alone.map(({ chunkId }) => beside.indexOf(chunkId))
  expect(places.every((place) => place >= 0)).toBe(true)
  expect(places).toEqual(places.toSorted((a, b) => a - b))
})
