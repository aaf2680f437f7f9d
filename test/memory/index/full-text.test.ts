import { expect, test } from 'bun:test'
import type { RecallFilter } from '../../../src/memory/index/chunk-rows.ts'
import {
  findChunksSharingTerms,
  searchFullText,
  matchAllTerms,
  type TextMatch,
} from '../../../src/memory/index/full-text.ts'
import { writeFileRows } from '../../../src/memory/index/index-rows.ts'
import type { MemoryIndex } from '../../../src/memory/index/memory-index.ts'
import { entries, openTestMemory } from '../../support/memory/memory-search.ts'

/** Runs `ask` on an index of these entries; their ids are 1, 2, 3 … in order. */
async function asking(bodies: string[], ask: (index: MemoryIndex) => void) {
  await using memory = await openTestMemory({})
  const { index } = memory.search
  const text = entries(...bodies.map((body, i) => [`1${i % 10}:00`, body] as [string, string]))
  writeFileRows(index, { path: 'MEMORY.md', source: 'long_term', text, state: '', hash: '' })
  ask(index)
}

type Options = { limit?: number; filter?: RecallFilter }

const found = (index: MemoryIndex, query: string, { limit = 9, filter = {} }: Options = {}) =>
  searchFullText(index, query, { limit, filter })
const ids = (matches: TextMatch[]) => matches.map(({ id }) => id)

const birds = ['the heron waits', 'a heron and a crane', 'owls', 'cranes nest', 'a swan', 'a goose']

test('finds stemmed words, and ranks chunks with more of the words higher', () =>
  asking(birds, (index) => {
    const matches = found(index, 'where are herons and cranes')
    expect(matches[0]!.id).toBe(2)
    expect(ids(matches).sort()).toEqual([1, 2, 4])
    expect(matches[0]!.coverage).toBeGreaterThan(matches[1]!.coverage)
    for (const { coverage } of matches) {
      expect(coverage).toBeGreaterThan(0)
      expect(coverage).toBeLessThanOrEqual(1)
    }
  }))

test('lowers coverage for terms that no chunk contains', () =>
  asking(birds, (index) => {
    const [sure] = found(index, 'heron crane')
    const [unsure] = found(index, 'heron crane zeppelin kombucha')
    expect(unsure!.id).toBe(sure!.id)
    expect(unsure!.coverage).toBeLessThan(0.7 * sure!.coverage)
  }))

test('sorts ties newest first, up to the limit', () =>
  asking(['a tern', 'a tern', 'a swan', 'a tern', 'owls', 'a goose', 'a duck'], (index) => {
    expect(ids(found(index, 'tern'))).toEqual([4, 2, 1])
    expect(ids(found(index, 'tern', { limit: 2 }))).toEqual([4, 2])
  }))

test('finds chunks that share most of the rarest terms, those with more terms first', () =>
  asking(['port alpha 80', 'port alpha tls 80', 'port beta 81', 'alpha', 'owls'], (index) => {
    const options = { nTerms: 4, nMissing: 2, limit: 9 }
    const shared = (text: string) => findChunksSharingTerms(index, text, options)
    expect(shared('port alpha tls 80')).toEqual([2, 1])
    expect(shared('port alpha')).toEqual([2, 1, 4, 3])
    expect(findChunksSharingTerms(index, 'port alpha', { ...options, limit: 1 })).toEqual([2])
    expect(shared('zeppelin')).toEqual([])
  }))

test('counts a frequent term again once the index has changed by 2 %', async () => {
  const bodies = (nSwans: number) =>
    Array.from({ length: 900 }, (_, i) => `${i < nSwans ? 'a swan' : 'an owl'} ${i}`)
  const coverage = (index: MemoryIndex) => found(index, 'swan zeppelin', { limit: 1 })[0]!.coverage
  await asking(bodies(600), (index) => {
    coverage(index)
    const text = entries(...bodies(50).map((body): [string, string] => ['12:00', body]))
    writeFileRows(index, { path: 'MEMORY.md', source: 'long_term', text, state: '', hash: '' })
    const other = entries(...bodies(0).map((body): [string, string] => ['12:00', body]))
    writeFileRows(index, { path: 'USER.md', source: 'user', text: other, state: '', hash: '' })
    const { nHolding, whole } = { nHolding: 50, whole: 1800 }
    const rare = Math.log((whole - nHolding + 0.5) / (nHolding + 0.5))
    const absent = Math.log((whole + 0.5) / 0.5)
    expect(coverage(index)).toBeCloseTo(rare / (rare + absent), 1)
  })
})

const long = 'a crane sails over lakes'

test('ranks terms in tags and headings above the body', async () => {
  await asking([`#heron\n${long}`, 'my heron today', 'owls', 'geese', 'swans'], (index) => {
    expect(ids(found(index, 'heron'))).toEqual([1, 2])
  })
  await asking([`owls\n\n## heron\n\n${long}`, 'my heron today', 'geese', 'swans'], (index) => {
    expect(ids(found(index, 'heron'))).toEqual([2, 3])
  })
})

test('treats no character as syntax, and finds nothing for an empty query', () =>
  asking([...birds, 'say "heron" NOT owl'], (index) => {
    expect(ids(found(index, 'heron NOT owls')).sort()).toEqual([1, 2, 3, 7])
    expect(ids(found(index, 'body:heron"*')).sort()).toEqual([1, 2, 7])
    for (const nothing of ['', '"', '* ^ ( ) -', 'zeppelin']) {
      expect(found(index, nothing)).toEqual([])
    }
  }))

test('applies the filter', () =>
  asking(['#a\nheron', 'heron', '#a\ncrane'], (index) => {
    expect(ids(found(index, 'heron', { filter: { allTags: ['a'] } }))).toEqual([1])
    expect(found(index, 'heron', { filter: { path: 'USER.md' } })).toEqual([])
  }))

test('searches the first 64 terms of a pasted page', () =>
  asking(['heron', 'crane', 'owls'], (index) => {
    const words = Array.from(
      { length: 63 },
      (_, i) => `q${'bcdfghjk'[i >> 3]}${'bcdfghjk'[i % 8]}`,
    ).join(' ')
    expect(ids(found(index, `${words} heron crane`))).toEqual([1])
  }))

test('ignores a common term next to a rare one in a large memory', () => {
  const bodies = Array.from({ length: 2000 }, (_, i) => `${i % 9 === 0 ? 'common' : 'usual'} n${i}`)
  return asking([...bodies, 'heron'], (index) => {
    expect(ids(found(index, 'common heron'))).toEqual([2001])
    expect(ids(found(index, 'common', { limit: 3 }))).toEqual([1999, 1990, 1981])
  })
})

test('uses common terms in a small memory', () =>
  asking(['common heron', ...Array(10).fill('common')], (index) => {
    expect(found(index, 'common heron', { limit: 20 })).toHaveLength(11)
  }))

test('matchAllTerms requires every term, quotes included, within the filter', () =>
  asking(['heron crane', '#a\ncrane heron', 'heron', 'crane'], (index) => {
    const all = (words: string[], { limit = 9, filter = {} }: Options = {}) =>
      matchAllTerms(index, words, { limit, filter })
    expect(all(['heron', 'crane']).sort()).toEqual([1, 2])
    expect(all(['heron', 'crane'], { filter: { anyTags: ['a'] } })).toEqual([2])
    expect(all(['heron', 'crane'], { limit: 1 })).toHaveLength(1)
    expect(all(['heron', 'a"b'])).toEqual([])
  }))
