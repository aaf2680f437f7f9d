import { isLanguageWanted, languageOf } from './language.ts'

type LanguageOptions = {
  /** BCP 47, `*` for all; none: what is not there in English, too. */
  languages: readonly string[]
  /** A folder that was named itself: its own name is no reason to leave out what is in it. */
  baseOf?: (path: string) => string
}

/**
 * The paths that are in other languages than asked for, each with its reason. Without languages
 * these are translations: what another path says in English, or in the language that a site does
 * not name in its paths.
 */
export function otherLanguages(
  paths: readonly string[],
  { languages, baseOf = () => '' }: LanguageOptions,
): Map<string, string> {
  const places = paths.map((path) => placeOf(path, baseOf(path)))
  const isAsked = languages.length > 0
  const left = isAsked ? places.filter((at) => isUnwanted(at, languages)) : translations(places)
  return new Map(left.map(({ path, language }) => [path, isAsked
    ? `in another language (${language})` : `a translation; --language ${language} reads it`]))
}

export type TranslatedPath = {
  path: string
  /** The same for all translations of a page. */
  key: string
  language: string | null
  /** How many folders stand before that of the language. */
  depth: number
}

/** `base` is a folder whose own name says nothing. */
export function placeOf(path: string, base = ''): TranslatedPath {
  const parts = path.split('/')
  const from = base === '' ? 0 : base.split('/').length
  const at = parts.findIndex((part, i) =>
    i >= from && i < parts.length - 1 && languageOf(part) !== null)
  if (at >= 0) {
    return { path, key: keyOf(parts, at), language: languageOf(parts[at]!), depth: at - from }
  }
  const [, stem, word = '', extension] = /^(.*[^/])\.([\w-]+)(\.\w+)$/.exec(path) ?? []
  const language = path === base ? null : languageOf(word)
  const key = language === null ? path : `${stem}${extension}`
  return { path, key, language, depth: 0 }
}

/** Docusaurus keeps translations of `docs` apart: `i18n/fr/docusaurus-plugin-content-docs/…`. */
function keyOf(parts: readonly string[], at: number): string {
  const [before, after] = [parts.slice(0, at), parts.slice(at + 1)]
  if (before.at(-1) !== 'i18n') return [...before, ...after].join('/')
  const rest = after.join('/').replace(/^docusaurus-plugin-content-docs\/current\//, 'docs/')
  return [...before.slice(0, -1), rest].join('/')
}

/** Deep in a tree a folder `es` is Elasticsearch, not Spanish. */
function isUnwanted({ language, depth }: TranslatedPath, languages: readonly string[]): boolean {
  return language !== null && depth < 4 && !isLanguageWanted(language, languages)
}

/** Nothing is left out of what is there in other languages only. */
function translations(places: readonly TranslatedPath[]): TranslatedPath[] {
  const isEnglish = ({ language }: TranslatedPath) =>
    language !== null && isLanguageWanted(language, ['en'])
  const originals = new Set(places.filter((place) => place.language === null || isEnglish(place))
    .map(({ key }) => key))
  return places.filter((place) =>
    place.language !== null && !isEnglish(place) && originals.has(place.key))
}
