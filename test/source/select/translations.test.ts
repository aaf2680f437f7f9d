import { describe, expect, test } from 'bun:test'
import {
  pathsInOtherLanguages,
  isLanguageWanted,
  parseLanguage,
  pathLanguage,
} from '../../../src/source/select/translations.ts'

/** Returns the paths that are left out. */
function check(name: string, paths: string[], left: string[], languages: string[] = []) {
  test(name, () => {
    const found = pathsInOtherLanguages(paths, { languages })
    expect([...found.keys()]).toEqual(left)
  })
}

describe('W-22 without a requested language', () => {
  check(
    'leaves out translations of English pages',
    ['docs/en/a.md', 'docs/de/a.md', 'docs/pt-br/a.md', 'docs/zh_Hans/a.md', 'docs/en-GB/a.md'],
    ['docs/de/a.md', 'docs/pt-br/a.md', 'docs/zh_Hans/a.md'],
  )
  check(
    'leaves out translations of pages without a language in their path',
    ['guide/a.md', 'fr/guide/a.md', 'a.md', 'ja/a.md', 'keys.html', 'keys.de.html', 'keys.en.html'],
    ['fr/guide/a.md', 'ja/a.md', 'keys.de.html'],
  )
  check(
    'leaves out translations stored by Docusaurus',
    ['docs/a.md', 'i18n/fr/docusaurus-plugin-content-docs/current/a.md', 'i18n/fr/b.md'],
    ['i18n/fr/docusaurus-plugin-content-docs/current/a.md'],
  )
  check(
    'leaves out translations of older versions stored by Docusaurus',
    ['versioned_docs/version-1.0/a.md', 'i18n/fr/docusaurus-plugin-content-docs/version-1.0/a.md'],
    ['i18n/fr/docusaurus-plugin-content-docs/version-1.0/a.md'],
  )
  check(
    'keeps pages that exist in one language only',
    [
      'docs/en/a.md',
      'docs/de/only.md',
      'es/query.md',
      'api/id/get.md',
      'docs/ja/x.md',
      'docs/ko/x.md',
    ],
    [],
  )
})

describe('W-22: keeps only the requested languages', () => {
  const paths = ['docs/en/a.md', 'docs/de/a.md', 'docs/de-AT/a.md', 'docs/a.md', 'b.fr.md']
  check('leaves out other languages', paths, ['docs/en/a.md', 'b.fr.md'], ['de'])
  check('keeps several wanted languages', paths, ['docs/de/a.md', 'docs/de-AT/a.md'], ['en', 'fr'])
  check('keeps all languages', paths, [], ['*'])
  check(
    'keeps deep folders that only resemble a language',
    ['docs/a/b/c/es/x.md', 'ts/x.md', 'to/x.md'],
    [],
    ['en'],
  )
})

test('reads a folder requested by name, even if its name is a language code', () => {
  const options = { languages: ['en'], baseOf: () => 'docs/de' }
  expect(pathsInOtherLanguages(['docs/de/a.md'], options).size).toBe(0)
  expect([...pathsInOtherLanguages(['docs/de/fr/a.md'], options)]).toEqual([
    ['docs/de/fr/a.md', 'in another language (fr)'],
  ])
})

test('recognises a language by its code and region', () => {
  const named = { en: 'en', pt_BR: 'pt-br', 'zh-Hans': 'zh-hans', 'es-419': 'es-419', JA: 'ja' }
  for (const [word, language] of Object.entries(named)) expect(parseLanguage(word)).toBe(language)
  for (const word of ['ts', 'api', 'is', 'v2', 'english', 'en_', 'en-1', '']) {
    expect(parseLanguage(word)).toBe(null)
  }
})

test('finds a language among the first four folders of a path', () => {
  expect(pathLanguage('/docs/pt-br/guide')).toBe('pt-br')
  expect(pathLanguage('/a/b/c/de/x')).toBe('de')
  expect(pathLanguage('/a/b/c/d/de/x')).toBe(null)
  expect(pathLanguage('/guide/ts/')).toBe(null)
})

test('includes only the regions of the requested language', () => {
  expect(isLanguageWanted('en_GB', ['en'])).toBe(true)
  expect(isLanguageWanted('en', ['en-GB'])).toBe(false)
  expect(isLanguageWanted('eng', ['en'])).toBe(false)
  expect(isLanguageWanted('ja', ['de', '*'])).toBe(true)
  expect(isLanguageWanted('ja', [])).toBe(false)
})
