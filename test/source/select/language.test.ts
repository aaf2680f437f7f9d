import { expect, test } from 'bun:test'
import {
  isLanguageWanted,
  parseLanguage,
  pathLanguage,
} from '../../../src/source/select/translations.ts'

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
