import { scopeFields } from '../operation/search.ts'
import { pageKinds } from '../page/page-kind.ts'
import { fieldOptions } from './operation-options.ts'

export const languageChoices: readonly string[] = [
  'en',
  'de',
  'es',
  'fr',
  'it',
  'ja',
  'ko',
  'pl',
  'pt',
  'pt-br',
  'ru',
  'tr',
  'uk',
  'vi',
  'zh',
  'zh-hant',
]

export const scopeOptionForms = {
  library: { short: 'l', placeholder: 'LIBRARY', isRepeated: true, suggest: 'library' },
  version: { short: 'v', placeholder: 'VERSION', suggest: 'version' },
  path: { placeholder: 'GLOB', isRepeated: true },
  language: { placeholder: 'LANGUAGE', isRepeated: true, choices: languageChoices },
  kind: { placeholder: 'KIND', isRepeated: true, choices: pageKinds },
} as const

export const scopeOptions = fieldOptions(scopeFields, scopeOptionForms)
