import { expect, test } from 'bun:test'
import type { PageFacts } from '../../../src/search/scope/page-facts.ts'
import { scoped, type OpenedVersion } from '../../../src/search/scope/scope.ts'

const page = (path: string, language: string | null = null): PageFacts =>
  ({
    url: `doc:/${path}`, path, kind: 'guide', language, markup: 'markdown',
    original: path.replace(/^es\//, ''),
  })

/** Says of which pages it is limited, or that it is whole. */
function opened(...pages: PageFacts[]): OpenedVersion {
  const within = (urls: ReadonlySet<string>) => ({ within: [...urls] })
  const facts = new Map(pages.map((one) => [one.url, one]))
  return { entry: { library: 'lib' }, open: { within }, facts } as unknown as OpenedVersion
}

const english = 'how do I set the timeout of a request'

test('what nothing limits is searched whole', () => {
  const one = opened(page('a.md'), page('b.md'))
  const [scope] = scoped([one], { query: english })
  expect(scope!.open).toBe(one.open)
  expect(scope!.counts).toEqual({ pages: 2, passing: 2, searched: 2 })
  expect(scope!.isSearched('doc:/a.md')).toBe(true)
  expect(scope!.languageWeight('doc:/a.md')).toBe(1)
})

test('a filter limits each library version to the pages that pass', () => {
  const all = [opened(page('a.md'), page('b/c.md')), opened(page('d.md'))]
  const [first, second] = scoped(all, { query: english, filter: { paths: ['b/'] } })
  expect(first!.open as unknown).toEqual({ within: ['doc:/b/c.md'] })
  expect(first!.whole).toBe(all[0]!.open)
  expect(first!.counts).toEqual({ pages: 2, passing: 1, searched: 1 })
  expect([first!.isSearched('doc:/a.md'), first!.isSearched('doc:/b/c.md')]).toEqual([false, true])
  expect(second!.counts).toEqual({ pages: 1, passing: 0, searched: 0 })
})

test('translations are left out of an English question, and come later where none is told', () => {
  const one = opened(page('a.md'), page('es/a.md', 'es'))
  const [asked] = scoped([one], { query: english })
  expect(asked!.counts).toEqual({ pages: 2, passing: 2, searched: 1 })
  expect(asked!.isSearched('doc:/es/a.md')).toBe(false)
  const [named] = scoped([one], { query: 'timeout' })
  expect(named!.counts.searched).toBe(2)
  expect(named!.languageWeight('doc:/es/a.md')).toBeLessThan(named!.languageWeight('doc:/a.md'))
})
