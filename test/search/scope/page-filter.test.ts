import { expect, test } from 'bun:test'
import {
  filterPages,
  parseKinds,
  matchedParts,
  type PageFilter,
} from '../../../src/search/scope/page-filter.ts'
import type { PageFacts } from '../../../src/search/collection.ts'

const pages: PageFacts[] = [
  { path: 'docs/en/tutorial/body.md', kind: 'guide', language: 'en' },
  { path: 'docs/de/tutorial/body.md', kind: 'guide', language: 'de' },
  { path: 'docs/pt-br/tutorial/body.md', kind: 'guide', language: 'pt-br' },
  { path: 'docs/reference/body.md', kind: 'reference', language: null },
  { path: 'CHANGELOG.md', kind: 'changelog', language: null },
].map((page) => ({ ...page, url: page.path }) as PageFacts)
const [en, de, pt, reference, changes] = pages.map(({ path }) => path)

function check(filter: PageFilter, expected: (string | undefined)[]) {
  const [found] = filterPages([pages], filter)
  expect(found!.map(({ path }) => path)).toEqual(expected as string[])
}

test('filters by path: folders, files, globs and exclusions', () => {
  check({}, [en, de, pt, reference, changes])
  check({ paths: ['docs/en'] }, [en])
  check({ paths: ['/docs/en/'] }, [en])
  check({ paths: ['docs/{en,de}/**'] }, [en, de])
  check({ paths: ['**/tutorial/**'] }, [en, de, pt])
  check({ paths: ['tutorial'] }, [en, de, pt])
  check({ paths: ['body.md'] }, [en, de, pt, reference])
  check({ paths: ['changelog.*'] }, [changes])
  check({ paths: ['docs', '!docs/de', '!reference'] }, [en, pt])
  check({ paths: ['!docs'] }, [changes])
  check({ paths: ['docs/reference', 'CHANGELOG.md'] }, [reference, changes])
})

test('filters by language, treating pages without one as English', () => {
  check({ languages: ['de'] }, [de])
  check({ languages: ['pt'] }, [pt])
  check({ languages: ['pt_BR', 'de'] }, [de, pt])
  check({ languages: ['en'] }, [en, reference, changes])
})

test('filters by kind, and by all criteria together', () => {
  check({ kinds: ['reference'] }, [reference])
  check({ kinds: ['guide', 'changelog'] }, [en, de, pt, changes])
  check({ kinds: ['guide'], languages: ['en'], paths: ['docs'] }, [en])
})

test('accepts an empty list unless all lists are empty', () => {
  const lists = [pages.slice(0, 1), pages.slice(1)]
  const counts = filterPages(lists, { languages: ['de'] }).map((found) => found.length)
  expect(counts).toEqual([0, 1])
  expect(filterPages([[]], { languages: ['de'] })).toEqual([[]])
})

test('reports the filter that excludes every page, and similar values', () => {
  function check(filter: PageFilter, message: string, hint: string) {
    const failing = () => filterPages([pages], filter)
    expect(failing).toThrow(expect.objectContaining({ message, hint }))
  }
  check(
    { paths: ['docs/tutorail/**'] },
    'No page has a path like "docs/tutorail/**"',
    'did you mean "docs/de/tutorial" or "docs/en/tutorial"?',
  )
  check({ paths: ['x*'] }, 'No page has a path like "x*"', 'paths begin with docs, CHANGELOG.md')
  check(
    { paths: ['docs/referense'] },
    'No page has a path like "docs/referense"',
    'did you mean "docs/reference"?',
  )
  check({ languages: ['fr'] }, 'No page is in language "fr"', 'the pages are in de, en, pt-br')
  check(
    { kinds: ['reference'], languages: ['de'] },
    'No page passes all filters: "de" or "reference"',
    'some pages pass each filter alone; remove one filter',
  )
})

test('reads kinds in any case and rejects unknown ones', () => {
  expect(parseKinds(['Guide', 'changelog'])).toEqual(['guide', 'changelog'])
  expect(() => parseKinds(['apis'])).toThrow('Unknown kind of page "apis"')
})

test('reports which criteria of a filter a page meets', () => {
  function check(at: number, filter: PageFilter, met: object) {
    expect(matchedParts(pages[at]!, filter)).toMatchObject(met)
  }
  check(0, {}, { paths: [], language: null, kind: null })
  const paths = ['docs/en', 'reference', '!*.rst']
  check(0, { paths }, { paths: ['docs/en', '!*.rst'] })
  check(3, { languages: ['en'], kinds: ['guide'] }, { language: 'en' })
  check(1, { paths: ['docs', '!docs/de'], languages: ['en'] }, { paths: ['docs'] })
})
