import { expect, test } from 'bun:test'
import type { SearchRequest } from '../../src/library/library.ts'
import { emptySearchAnswer, type SearchAnswer } from '../../src/library/search/search.ts'
import { completeInput, splitList } from '../../src/operation/operation.ts'
import { emptySearch, search, type SearchContext } from '../../src/operation/search.ts'
import { plainHit } from '../support/why.ts'

const hit = { ...plainHit, text: 'water '.repeat(40) }
const input = {
  query: 'boil',
  library: null,
  version: null,
  path: null,
  language: null,
  kind: null,
  limit: null,
  max_tokens: null,
  context: null,
  strict: false,
}

/** Records the request and returns `answer`. */
function contextOf(answer: Partial<SearchAnswer>) {
  const requests: SearchRequest[] = []
  const context: SearchContext = {
    og: {
      async search(request) {
        requests.push(request)
        return { ...emptySearchAnswer, ...answer }
      },
    },
    project: async () => ({ pins: [], warnings: [] }),
    knownSources: async () => [],
    limit: 5,
    layout: { hit: ({ text }) => text, frameTokens: () => 0 },
  }
  return { requests, context }
}

test('converts the fields to a single request', async () => {
  const { requests, context } = contextOf({})
  await search.run(context, { ...input, library: 'kettle@2', path: 'a/{b,c}/*, !d', kind: 'guide' })
  await search.run(context, { ...input, max_tokens: 100 })
  await search.run(context, { ...input, limit: 3, max_tokens: 100 })
  expect(requests[0]).toMatchObject({
    query: 'boil',
    library: 'kettle',
    version: '2',
    project: null,
    limit: 5,
    refuse: false,
    filter: { paths: ['a/{b,c}/*', '!d'], kinds: ['guide'], languages: [] },
  })
  expect(requests[1]!.project).toEqual({ pins: [], warnings: [] })
  expect(requests.map(({ limit }) => limit)).toEqual([5, 20, 3])
})

test('a token budget keeps whole hits and notes the omitted hits', async () => {
  const { context } = contextOf({ hits: [hit, { ...hit, rank: 2 }] })
  const { value, notes } = await search.run(context, { ...input, max_tokens: 100 })
  expect(value.hits.map(({ rank }) => rank)).toEqual([1])
  expect(notes).toEqual([{ kind: 'omitted', hits: 1 }])
})

test('the JSON keeps the order of its keys', async () => {
  const { context } = contextOf({ hits: [hit] })
  const json = search.json(await search.run(context, input))
  expect(Object.keys(json)).toEqual([
    'query',
    'library',
    'version',
    'hits',
    'confidence',
    'omitted',
    'notes',
  ])
  expect(json.hits[0]!.resource).toBe('og://kettle/1/a.md')
  expect(search.json(emptySearch({ ...input, query: '' }))).toMatchObject({
    hits: [],
    confidence: 'weak',
    notes: [],
  })
})

test('splits at commas, except inside braces', () => {
  expect(splitList(' a, {b,c}/*,,d ')).toEqual(['a', '{b,c}/*', 'd'])
  expect(splitList(null)).toEqual([])
})

test('fills in the defaults of omitted fields', () => {
  expect(completeInput(search.input, { query: 'boil', strict: undefined })).toEqual({
    ...input,
    query: 'boil',
  })
  const fields = { tags: { type: 'texts', doc: '' }, force: { type: 'switch', doc: '' } } as const
  expect(completeInput(fields, {})).toEqual({ tags: [], force: false })
})
