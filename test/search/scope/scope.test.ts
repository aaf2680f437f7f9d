import { expect, test } from 'bun:test'
import { scopeVersions, languageLane, type OpenVersion } from '../../../src/search/scope/scope.ts'
import type { PageFacts } from '../../../src/search/collection.ts'

const page = (path: string, language: string | null = null): PageFacts => ({
  url: `doc:/${path}`,
  path,
  kind: 'guide',
  language,
  markup: 'markdown',
  isInner: false,
  major: null,
  original: path.replace(/^es\//, ''),
})

/** A version whose `within` returns the pages to which it is limited. */
function opened(...pages: PageFacts[]): OpenVersion {
  const within = (urls: ReadonlySet<string>) => ({ within: [...urls] })
  const facts = new Map(pages.map((one) => [one.url, one]))
  return { entry: { library: 'lib' }, open: { within }, facts } as unknown as OpenVersion
}

const english = 'how do I set the timeout of a request'

test('searches the whole version if nothing limits it', () => {
  const one = opened(page('a.md'), page('b.md'))
  const [scope] = scopeVersions([one], { query: english })
  expect(scope!.open).toBe(one.open)
  expect(scope!.counts).toEqual({ pages: 2, passing: 2, searched: 2 })
  expect(scope!.isSearched('doc:/a.md')).toBe(true)
  expect(scope!.languageWeight('doc:/a.md')).toBe(1)
})

test('limits each library version to the pages that pass the filter', () => {
  const all = [opened(page('a.md'), page('b/c.md')), opened(page('d.md'))]
  const [first, second] = scopeVersions(all, { query: english, filter: { paths: ['b/'] } })
  expect(first!.open as unknown).toEqual({ within: ['doc:/b/c.md'] })
  expect(first!.whole).toBe(all[0]!.open)
  expect(first!.counts).toEqual({ pages: 2, passing: 1, searched: 1 })
  expect([first!.isSearched('doc:/a.md'), first!.isSearched('doc:/b/c.md')]).toEqual([false, true])
  expect(second!.counts).toEqual({ pages: 1, passing: 0, searched: 0 })
})

test('excludes translations from an English question, and ranks them lower for an unknown language', () => {
  const one = opened(page('a.md'), page('es/a.md', 'es'))
  const [asked] = scopeVersions([one], { query: english })
  expect(asked!.counts).toEqual({ pages: 2, passing: 2, searched: 1 })
  expect(asked!.isSearched('doc:/es/a.md')).toBe(false)
  const [named] = scopeVersions([one], { query: 'timeout' })
  expect(named!.counts.searched).toBe(2)
  expect(named!.languageWeight('doc:/es/a.md')).toBeLessThan(named!.languageWeight('doc:/a.md'))
})

/**
 * Checks the weight of a page in each of these languages: 0 if the page is not searched, null if
 * there is no language lane.
 */
function check(query: string, languages: (string | null)[], expected: number[] | null) {
  const pages = languages.map((language) => ({ language }) as PageFacts)
  const lane = languageLane(query, pages)
  const weights = lane && pages.map((page) => (lane.isEligible(page) ? lane.weight(page) : 0))
  expect(weights).toEqual(expected)
}

test('searches English pages and pages without a language for an English question', () => {
  check('how do I declare a body', ['en', null, 'en-gb', 'de', 'pt-br'], [1, 1, 1, 0, 0])
})

test('prefers pages in the language of the question to English ones', () => {
  check('wie deklariere ich einen Body', ['en', null, 'de', 'fr'], [0.85, 0.85, 1, 0])
  check('como fazer um upload com arquivos', ['en', 'pt-br'], [0.85, 1])
})

test('ranks translations lower if the language is unknown or has no pages', () => {
  check('useEffect', ['en', null, 'de'], [1, 1, 0.75])
  check('wie deklariere ich einen Body', ['en', 'fr'], [1, 0.75])
})

test('makes no choice if there is only one language', () => {
  check('how do I declare a body', [null, null], null)
  check('wie deklariere ich einen Body', ['en', null], null)
  check('how do I declare a body', ['de', 'de'], null)
  check('how do I declare a body', [], null)
})

test('prefers the language of the question if all pages are translations', () => {
  check('wie deklariere ich einen Body', ['de', 'fr'], [1, 0])
})
