import { isLanguageWanted, parseLanguage } from './language.ts'

type LanguageOptions = { languages: readonly string[]; baseOf?: (path: string) => string }

/**
 * The paths in unwanted languages, each with its reason. If no languages are requested, these are
 * translations: pages that also exist in English, or in the site's default language, which its
 * paths do not name.
 */
export function pathsInOtherLanguages(
  paths: readonly string[],
  { languages, baseOf = () => '' }: LanguageOptions,
): Map<string, string> {
  const places = paths.map((path) => translationKey(path, baseOf(path)))
  const isAsked = languages.length > 0
  const unwanted = isAsked ? places.filter((at) => isUnwanted(at, languages)) : translations(places)
  return new Map(
    unwanted.map(({ path, language }) => [
      path,
      isAsked
        ? `in another language (${language})`
        : `a translation; --language ${language} reads it`,
    ]),
  )
}

type TranslatedPath = { path: string; key: string; language: string | null; depth: number }

/** The language of a path and its key. Folder names in `base` are not read as languages. */
export function translationKey(path: string, base = ''): TranslatedPath {
  const parts = path.split('/')
  const from = base === '' ? 0 : base.split('/').length
  const at = parts.findIndex(
    (part, i) => i >= from && i < parts.length - 1 && parseLanguage(part) !== null,
  )
  if (at >= 0) {
    return { path, key: keyOf(parts, at), language: parseLanguage(parts[at]!), depth: at - from }
  }
  const [, stem, word = '', extension] = /^(.*[^/])\.([\w-]+)(\.\w+)$/.exec(path) ?? []
  const language = path === base ? null : parseLanguage(word)
  const key = language === null ? path : `${stem}${extension}`
  return { path, key, language, depth: 0 }
}

/**
 * The key of a path without its language folder. Docusaurus stores the translations of `docs` in a
 * separate folder: `i18n/fr/docusaurus-plugin-content-docs/…`.
 */
function keyOf(parts: readonly string[], at: number): string {
  const [before, after] = [parts.slice(0, at), parts.slice(at + 1)]
  if (before.at(-1) !== 'i18n') return [...before, ...after].join('/')
  const rest = after
    .join('/')
    .replace(/^docusaurus-plugin-content-docs\/(?:current\/|(?=version-))/, (start) =>
      start.endsWith('current/') ? 'docs/' : 'versioned_docs/',
    )
  return [...before.slice(0, -1), rest].join('/')
}

/**
 * Whether a path is in an unwanted language. Deep in a tree, a folder `es` means Elasticsearch, not
 * Spanish.
 */
function isUnwanted({ language, depth }: TranslatedPath, languages: readonly string[]): boolean {
  return language !== null && depth < 4 && !isLanguageWanted(language, languages)
}

function translations(places: readonly TranslatedPath[]): TranslatedPath[] {
  const isEnglish = ({ language }: TranslatedPath) =>
    language !== null && isLanguageWanted(language, ['en'])
  const originals = new Set(
    places.filter((place) => place.language === null || isEnglish(place)).map(({ key }) => key),
  )
  return places.filter(
    (place) => place.language !== null && !isEnglish(place) && originals.has(place.key),
  )
}
