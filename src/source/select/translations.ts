type LanguageOptions = { languages: readonly string[]; baseOf?: (path: string) => string }

/**
 * Returns the paths in unwanted languages, each with its reason. If no languages are requested,
 * these are translations: pages that also exist in English, or in the site's default language,
 * which its paths do not name.
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

/** Returns a path's language and key. Folder names in `base` are not parsed as languages. */
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
 * Returns a path's key without its language folder. Docusaurus stores the translations of `docs` in
 * a separate folder: `i18n/fr/docusaurus-plugin-content-docs/…`.
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

/** True for an unwanted language. Deep in a tree, `es` means Elasticsearch, not Spanish. */
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

/** Returns the language in the first folders of a path, such as `/pt-br/guide`, or null. */
export function pathLanguage(pathname: string): string | null {
  const folders = pathname
    .split('/')
    .filter((part) => part !== '')
    .slice(0, 4)
  return folders.map(parseLanguage).find((language) => language !== null) ?? null
}

/** Returns a word's language, such as `pt-br` for `pt_BR`, or null for other words. */
export function parseLanguage(word: string): string | null {
  const isCode = localePattern.test(word) && codes.has(word.slice(0, 2).toLowerCase())
  return isCode ? word.replaceAll('_', '-').toLowerCase() : null
}

export function isLanguageWanted(language: string, languages: readonly string[]): boolean {
  const spelt = language.toLowerCase().replaceAll('_', '-')
  return languages.some((text) => {
    const code = text.toLowerCase().replaceAll('_', '-')
    return code === '*' || spelt === code || spelt.startsWith(`${code}-`)
  })
}

const localePattern = /^[a-z]{2}([-_]([a-z]{2}|[a-z]{4}|\d{3})){0,2}$/i

/**
 * Languages into which documentation is translated. They exclude some of ISO 639, because `ts`,
 * `my`, `is`, `to` or `so` in a path rarely means Tsonga, Burmese, Icelandic, Tongan or Somali.
 */
const codes = new Set(
  (
    'af ar az be bg bn bs ca cs da de el en es et eu fa fi fr gl he hi hr hu hy id ' +
    'it ja ka kk km ' +
    'kn ko ky lt lv mk ml mn mr ms nb ne nl nn pa pl pt ro ru si sk sl sq sr sv sw ' +
    'ta te th tl tr ' +
    'uk ur uz vi yo zh'
  ).split(' '),
)
