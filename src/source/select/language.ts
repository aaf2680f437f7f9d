/**
 * The language named by the first folders of a path, such as `/pt-br/guide`; null if there is none.
 */
export function pathLanguage(pathname: string): string | null {
  const folders = pathname
    .split('/')
    .filter((part) => part !== '')
    .slice(0, 4)
  return folders.map(parseLanguage).find((language) => language !== null) ?? null
}

/** The language that a word names: `pt-br` for `pt_BR`; null for other words. */
export function parseLanguage(word: string): string | null {
  const isCode = localePattern.test(word) && codes.has(word.slice(0, 2).toLowerCase())
  return isCode ? word.replaceAll('_', '-').toLowerCase() : null
}

export function isLanguageWanted(language: string, languages: readonly string[]): boolean {
  const spelt = language.toLowerCase().replaceAll('_', '-')
  return languages.some((typed) => {
    const code = typed.toLowerCase().replaceAll('_', '-')
    return code === '*' || spelt === code || spelt.startsWith(`${code}-`)
  })
}

const localePattern = /^[a-z]{2}([-_]([a-z]{2}|[a-z]{4}|\d{3})){0,2}$/i

/**
 * Languages into which documentation is translated. This is not all of ISO 639, because `ts`, `my`,
 * `is`, `to` or `so` in a path rarely means Tsonga, Burmese, Icelandic, Tongan or Somali.
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
