import { expect, test } from 'bun:test'
import { languageLane } from '../../../src/search/scope/language-lane.ts'
import type { PageFacts } from '../../../src/search/scope/page-facts.ts'

/** The weight of a page in each of these languages, 0 where it is not asked; null: no lane. */
function check(query: string, languages: (string | null)[], expected: number[] | null) {
  const pages = languages.map((language) => ({ language }) as PageFacts)
  const lane = languageLane(query, pages)
  const weights = lane && pages.map((page) => (lane.isEligible(page) ? lane.weight(page) : 0))
  expect(weights).toEqual(expected)
}

test('an English question is asked of English pages, and those that say nothing', () => {
  check('how do I declare a body', ['en', null, 'en-gb', 'de', 'pt-br'], [1, 1, 1, 0, 0])
})

test('a question in another language is asked of its pages first, then of English ones', () => {
  check('wie deklariere ich einen Body', ['en', null, 'de', 'fr'], [0.85, 0.85, 1, 0])
  check('como fazer um upload com arquivos', ['en', 'pt-br'], [0.85, 1])
})

test('where nothing tells, or there are no such pages, translations come after', () => {
  check('useEffect', ['en', null, 'de'], [1, 1, 0.75])
  check('wie deklariere ich einen Body', ['en', 'fr'], [1, 0.75])
})

test('one language is no choice', () => {
  check('how do I declare a body', [null, null], null)
  check('wie deklariere ich einen Body', ['en', null], null)
  check('how do I declare a body', ['de', 'de'], null)
  check('how do I declare a body', [], null)
})

test('translations alone: the one that is spoken goes before', () => {
  check('wie deklariere ich einen Body', ['de', 'fr'], [1, 0])
})
