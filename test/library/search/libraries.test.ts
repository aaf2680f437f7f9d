import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createTempFolder, type TempFolder } from '../../../src/platform/file/files.ts'
import { mostLibraries } from '../../../src/search/candidate-libraries.ts'
import type { SearchRequest } from '../../../src/library/library.ts'
import { hasManyLibraries } from '../../../src/library/search/entry-selection.ts'
import { searchLibraries } from '../../../src/library/search/search.ts'
import { openTestStore, type TestStore } from '../../support/test-store.ts'

let temp: TempFolder
let store: TestStore

/** Adds one large library about the web, and small ones that are each about one subject. */
beforeAll(async () => {
  temp = await createTempFolder('og-libraries')
  store = openTestStore(join(temp.path, 'store'))
  const large = Array.from({ length: 300 }, (_, i) => [
    `topic-${i}`,
    `Create a handler for topic ${i}, queue a task with options, and set how long it may take. ` +
      `Create the route, then queue the response and retry with options ${i * 7}.`,
  ])
  // In the large library, a word on one page is rarer than in a small library about it.
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

test('ranks the only library that defines a name above larger ones', async () => {
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

test('ranks each small library above a large one for its own subject', async () => {
  for (const [library, thing] of small) {
    for (const query of [`${thing} options`, `${thing} fails`, thing]) {
      expect([query, (await librariesOf(query))[0]]).toEqual([query, library])
    }
  }
})

test('ranks the large library first for its own subject', async () => {
  expect((await librariesOf('how do I create a handler and a route'))[0]).toBe('giant')
})

test('gives more weight to a library that the query names', async () => {
  expect((await librariesOf('options'))[0]).not.toBe('mortar')
  expect((await librariesOf('mortar options'))[0]).toBe('mortar')
})

test('keeps the ranking that each library has in a separate search', async () => {
  const query = 'how do I set options of a nib'
  const alone = await store.search(query, { library: 'inkwell', limit: 50 })
  const beside = (await store.search(query, { limit: 400 })).map(({ chunkId }) => chunkId)
  const places = alone.map(({ chunkId }) => beside.indexOf(chunkId))
  expect(places.every((place) => place >= 0)).toBe(true)
  expect(places).toEqual(places.toSorted((a, b) => a - b))
})

test('narrows a request to the likeliest of many libraries only if it has no library and no filter', async () => {
  const entries = await store.entries((all) => all)
  const many = Array.from({ length: 17 }, (_, i) => ({ ...entries[0]!.entry, key: `lib${i}` }))
  const isNarrowed = (request: Partial<SearchRequest>, count = 17) =>
    hasManyLibraries(store.opened, many.slice(0, count), { library: null, ...request })
  expect(isNarrowed({})).toBe(true)
  expect(isNarrowed({}, 16)).toBe(false)
  expect(isNarrowed({ library: 'lib1,lib2' })).toBe(false)
  expect(isNarrowed({ filter: { paths: ['guide/'] } })).toBe(false)
  entries[Symbol.dispose]()
})

test('finds the same hits in the likeliest of many libraries as in all of them', async () => {
  const many = Array.from({ length: 20 }, (_, i) => `extra${i}`)
  for (const name of many) await add(name, { start: `The ${name} has a lid, ${name} and no more.` })
  const request = { library: null, version: null, limit: 5 }
  const answer = (query: string) =>
    searchLibraries(store.opened, store.entries, { query, ...request })
  for (const [query, library] of [
    ['createQueue timeout', 'hopper'],
    ['nib options', 'inkwell'],
    ['how do I create a handler and a route', 'giant'],
    ['extra17', 'extra17'],
  ] as const) {
    const { hits, searched } = await answer(query)
    expect([query, hits[0]!.library]).toEqual([query, library])
    expect(searched.length).toBeLessThanOrEqual(mostLibraries)
  }
  const listed = await searchLibraries(store.opened, store.entries, {
    ...request,
    query: 'lid',
    library: many.join(','),
  })
  expect(listed.searched).toHaveLength(20)
  const filtered = await searchLibraries(store.opened, store.entries, {
    ...request,
    query: 'lid',
    filter: { paths: ['start.md'] },
  })
  expect(filtered.searched).toHaveLength(27)
})
