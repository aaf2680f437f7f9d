import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import type { SearchRequest } from '../../../src/library/library.ts'
import { searchLibraries } from '../../../src/library/search/search.ts'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { hashEmbedder } from '../../support/hash-embedder.ts'
import { writeFiles } from '../../support/repository.ts'
import { openTestStore } from '../../support/test-store.ts'
import { disposeAfterAll } from '../../support/run/dispose.ts'

const temp = disposeAfterAll(await createTempFolder('og-doubt'))
// With many dimensions, different words have distant embeddings.
const store = disposeAfterAll(openTestStore(join(temp.path, 'store'), { embedder: wide() }))
await addTexts('boilers', (i) => `# Mending boiler number${i}\n\nOpen the valve${i}, wait.\n`)
await addTexts('lamps', (i) => `# Lighting lamp number${i}\n\nTrim the wick${i} first.\n`)

function wide() {
  return hashEmbedder({ fingerprint: { dimensions: 64 } })
}

async function addTexts(library: string, text: (i: number) => string) {
  const docs = join(temp.path, library)
  const names = Array.from({ length: 60 }, (_, i) => [`p${i}.md`, text(i)])
  writeFiles(docs, Object.fromEntries(names))
  await store.add(library, docs)
}

async function ask(query: string, request: Partial<SearchRequest> = {}) {
  const wanted = { library: 'boilers', version: null, limit: 5, refuse: true, ...request }
  return await searchLibraries(store.opened, store.entries, { query, ...wanted })
}

/** Checks that a query is doubted equally whether hits are shown or withheld. */
async function check(query: string, request: Partial<SearchRequest>, isDoubted: boolean) {
  const withheld = await ask(query, request)
  const shown = await ask(query, { ...request, refuse: false, judge: true })
  expect([
    query,
    withheld.hits.length === 0,
    withheld.doubt !== null,
    shown.doubt !== null,
  ]).toEqual([query, isDoubted, isDoubted, isDoubted])
  expect(shown.hits).not.toEqual([])
}

test("does not doubt an answer about the library's subject, at any limit", async () => {
  await check('mending boiler number7', {}, false)
  await check('mending boiler number7', { limit: 1 }, false)
  await check('valve7', {}, false)
})

test('doubts other hits only if the request asks for it', async () => {
  await check('orbital period of jupiter', {}, true)
  await check('orbital period of jupiter', { limit: 1 }, true)
  const { hits, doubt } = await ask('orbital period of jupiter', { refuse: false })
  expect([hits.length, doubt]).toEqual([5, null])
  await check('orbital period of jupiter', { library: null }, true)
})

test('does not doubt hits for a name that the library contains, however the query is phrased', async () => {
  for (const query of ['wick7', 'what does `wick7` do', 'number3']) {
    await check(query, { library: 'lamps' }, false)
    await check(query, { library: 'lamps', limit: 1 }, false)
    await check(query, { library: null }, false)
    await check(query, { library: 'boilers,lamps' }, false)
  }
  await check('the `lampOfJupiter` orbits', { library: 'lamps' }, true)
})

test('can doubt the hits of a full-text search', async () => {
  await check('mending boiler number7', { mode: 'full-text' }, false)
  await check('the boiler of an interplanetary rocket engine', { mode: 'full-text' }, true)
})

describe('the contents of a doubt', () => {
  test('lists each of the nearest headings once', async () => {
    const { doubt } = await ask('orbital period of jupiter')
    expect(doubt!.reason).toBe('no good match in boilers 1')
    expect(doubt!.nearest).toHaveLength(3)
    expect(doubt!.nearest[0]).toMatchObject({ library: 'boilers', version: '1' })
    expect(new Set(doubt!.nearest.map(({ heading }) => heading)).size).toBe(3)
    expect(doubt!.suggest).toEqual([])
    expect((await ask('orbital jupiter', { library: null })).doubt!.reason).toBe(
      'no good match in 2 libraries',
    )
  })

  test('suggests another indexed library that has better hits', async () => {
    const { doubt } = await ask('lighting lamp number9')
    expect(doubt!.suggest).toEqual([
      { library: 'lamps', version: '1', command: "og query 'lighting lamp number9' -l lamps -v 1" },
    ])
  })

  test('suggests a known source if the query names its library', async () => {
    const knownSources = async () => ['react', 'react-router', 'task', 'lamps']
    async function checkAdd(query: string, expected: string[]) {
      const { doubt } = await ask(query, { knownSources })
      expect(doubt!.suggest.map(({ command }) => command)).toEqual(expected)
    }
    await checkAdd('useEffect in React', ['og add react'])
    await checkAdd('loaders of react-router', ['og add react-router', 'og add react'])
    await checkAdd('reactive streams task', [])
    // The library is already indexed under another case or with other separators.
    await checkAdd('orbit of lamps.js', [])
    const { doubt } = await ask('orbital period of boilers in Lamps', {
      library: null,
      knownSources: async () => ['boilers', 'LAMPS', 'la-mps'],
    })
    expect(doubt?.suggest ?? []).toEqual([])
  })

  test('never suggests a library whose own hits for the query are doubtful', async () => {
    for (const query of ['lighting lamp number9', 'orbital period of jupiter', 'trim the valve']) {
      for (const { library } of (await ask(query)).doubt?.suggest ?? []) {
        expect([query, (await ask(query, { library })).doubt]).toEqual([query, null])
      }
    }
  })
})
