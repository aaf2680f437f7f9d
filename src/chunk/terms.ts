import { cached, cachedByWord } from '../platform/lru-cache.ts'
import { isApiPagePath } from '../api/api-path.ts'
import { listedMembers } from '../api/page-symbols.ts'
import { stemmer } from 'stemmer'
import type { Range } from './range.ts'

const maxTermLength = 100

/**
 * Splits text into index terms. Words become lower case, lose their accents and are stemmed (Porter
 * 1980). Identifiers yield themselves and their parts: `useEffect` yields `useeffect use effect`,
 * and `include_in_schema` yields itself and its three words. `--no-cache`, `$lookup`, `C++`,
 * `@scope/pkg` and `1.2.3` also yield themselves and their parts. Used for documents and queries
 * alike. No term contains white space.
 */
export function indexTermsOf(text: string): string[] {
  const terms: string[] = []
  for (const raw of compoundsOf(text)) for (const term of termsOf(raw)) terms.push(term)
  return terms
}

export function termsAmong(terms: ReadonlySet<string>, text: string): Set<string> {
  const matches = new Set<string>()
  const add = (part: string) => {
    for (const raw of compoundsOf(part)) {
      for (const term of termsOf(raw)) if (terms.has(term)) matches.add(term)
    }
  }
  const lower = alignedLowerCase(text)
  if (lower === null) {
    add(text)
    return matches
  }
  const seen = new Set<number>()
  const addRun = (at: number) => {
    const from = runStart(text, at)
    const to = runEnd(text, at)
    if (!seen.has(from)) add(text.slice(from, to))
    seen.add(from)
    return to
  }
  for (const [term, start] of startsOf(terms)) {
    let at = matches.has(term) ? -1 : lower.indexOf(start)
    while (at >= 0) {
      const to = addRun(at)
      at = matches.has(term) || to === text.length ? -1 : lower.indexOf(start, to + 1)
    }
  }
  for (let at = notAsciiFrom(text, 0); at >= 0; at = notAsciiFrom(text, addRun(at))) continue
  return matches
}

/**
 * Returns the index terms of each part of the text that are in `terms`. Looks for all terms in the
 * whole text first because most parts contain none.
 */
export function termsAmongParts(
  terms: ReadonlySet<string>,
  text: string,
  parts: readonly Range[],
): ReadonlySet<string>[] {
  const termsIn = ({ start, end }: Range) => termsAmong(terms, text.slice(start, end))
  const from = Math.min(...parts.map(({ start }) => start))
  const lower = alignedLowerCase(text.slice(from, Math.max(...parts.map(({ end }) => end))))
  const starts = [...startsOf(terms).values()]
  if (lower === null || starts.includes('')) return parts.map(termsIn)
  const places: number[] = []
  for (const start of starts) {
    for (let at = lower.indexOf(start); at >= 0; at = lower.indexOf(start, at + 1)) places.push(at)
  }
  for (let at = notAsciiFrom(lower, 0); at >= 0; at = notAsciiFrom(lower, at + 1)) places.push(at)
  const sorted = Float64Array.from(places).sort()
  return parts.map((part) => {
    const next = sorted[lowerBound(sorted, part.start - from)]
    return next !== undefined && next < part.end - from ? termsIn(part) : noTerms
  })
}

const noTerms: ReadonlySet<string> = new Set()

/** Returns the first index at which the sorted numbers reach `value`. */
function lowerBound(numbers: Float64Array, value: number): number {
  let low = 0
  let high = numbers.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (numbers[middle]! < value) low = middle + 1
    else high = middle
  }
  return low
}

/** Returns the text in lower case, or null if that changes its length ("İ"). */
function alignedLowerCase(text: string): string | null {
  const lower = text.toLowerCase()
  return lower.length === text.length ? lower : null
}

const notAscii = /[^\0-\x7f]/g

/** Returns the offset of the first non-ASCII character from `from`, or -1. */
function notAsciiFrom(text: string, from: number): number {
  notAscii.lastIndex = from
  return notAscii.exec(text)?.index ?? -1
}

function runStart(text: string, at: number): number {
  let from = at
  while (from > 0 && text.charCodeAt(from - 1) > 32) from--
  return from
}

function runEnd(text: string, at: number): number {
  let to = at
  while (to < text.length && text.charCodeAt(to) > 32) to++
  return to
}

/**
 * Returns for each term the lower-case letters that every word with this term contains. Stemming
 * may only replace the end of a word with `i`, `e`, `le` or `l` (`hoping`: `hope`, `ability`:
 * `able`).
 */
const startsOf = cached(
  (terms: ReadonlySet<string>): ReadonlyMap<string, string> =>
    new Map([...terms].map((term) => [term, term.replace(/le$|[iel]$/, '')])),
)

function compoundsOf(source: string): readonly string[] {
  const text = source.includes('&') ? source.replace(/&(?:shy|ZeroWidthSpace);/g, '') : source
  const ascii = isAscii(text)
  return (ascii ? text.match(asciiCompound) : text.normalize('NFKC').match(compound)) ?? []
}

/** The searched texts of a chunk, each with its own weight. */
export type SearchedFields = { title: string; heading: string; path: string; body: string }

const weights: Record<keyof SearchedFields, number> = { title: 2, heading: 2, path: 1, body: 1 }

/**
 * Returns all terms of a chunk, repeated according to their field's weight. This implements BM25F
 * (Robertson, Zaragoza and Taylor 2004) with one length normalisation and one index.
 */
export function chunkTerms(fields: SearchedFields): string[] {
  return (Object.keys(weights) as (keyof SearchedFields)[]).flatMap((name) => {
    const once = indexTermsOf(fields[name])
    return Array.from({ length: weights[name] }, () => once).flat()
  })
}

/**
 * Returns the index terms of a chunk. `heading` joins its headings with ` > `. In the API
 * reference, only the last heading counts because it contains the names of the class and module.
 */
export function termsOfChunk(
  { url, title, path }: { url: string; title: string; path: string },
  { heading, content }: { heading: string; content: string },
): string {
  const headings = heading.split(' > ')
  const fields = isApiPagePath(url)
    ? { title: '', heading: headings.at(-1)!, path: '' }
    : { title, heading: headings.join(' '), path: path.replace(/\.\w+$/, '') }
  return chunkTerms({ ...fields, body: content.replace(listedMembers, '') }).join(' ')
}

/** Matches the words before a question that request code. The code itself does not contain them. */
const requestBefore = new RegExp(
  '^\\s*(?:please\\s+)?(?:(?:show|give)\\s+me\\s+how\\s+to|' +
    '(?:(?:show|give)\\s+me\\s+|show\\s+)?(?:(?:an?|some|the)\\s+)?' +
    '(?:(?:basic|complete|full|minimal|short|simple|small|working)\\s+)*' +
    '(?:code|(?:code\\s+)?(?:examples?|samples?|snippets?)(?:\\s+code)?)' +
    '\\s+(?:of|for|to|that|with|on)|show\\s+me)\\s+',
  'i',
)
const requestAfter = new RegExp(
  ',?\\s+(?:with\\s+code|(?:with\\s+)?(?:(?:an?|some)\\s+)?' +
    '(?:sample\\s+code|(?:code\\s+)?(?:examples?|snippet)))\\s*[.?!]?\\s*$',
  'i',
)

/** Maximum length of a request after a question. */
const requestLimit = 60

/** Removes a request for an example from the query: `show me an example of a lock` → `a lock`. */
export function withoutRequest(text: string): string {
  const rest = text.slice(0, -requestLimit)
  const subject = rest + text.slice(rest.length).replace(requestAfter, '')
  return subject.replace(requestBefore, '') || text
}

/**
 * Returns at most `limit` distinct terms of a query, without stop words and requests for examples.
 * A query of one or two words keeps its stop words: `if`, `or operator`.
 */
export function queryTerms(text: string, limit: number): string[] {
  const all = [...new Set(indexTermsOf(withoutRequest(text)))]
  const contentTerms = all.filter((term) => !stopWords.has(term))
  const isShort = !/\S\s+\S+\s+\S/.test(text.slice(0, 1000))
  return (contentTerms.length > 0 && !isShort ? contentTerms : all).slice(0, limit)
}

/** Matches a character in a script without spaces, where each character is a term. */
const noSpaces = String.raw`[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]`
const letter = String.raw`(?:(?!${noSpaces})[\p{L}\p{N}\p{M}_])`
const compound = new RegExp(`${noSpaces}|${compoundOf(String.raw`\p{L}`, letter)}`, 'gu')
/** Matches the same in ASCII text, in half the time. */
const asciiCompound = new RegExp(compoundOf('[A-Za-z]', String.raw`\w`), 'g')

/**
 * A compound may start like `--flag`, `-x`, `$lookup`, `@scope`, `#id` or `.env`. Further joined
 * parts may follow. `first` matches a letter, and `letter` also a digit or an underscore.
 */
function compoundOf(first: string, letter: string): string {
  const joined = String.raw`${letter}+(?:(?:[-./:@$]|::|->)${letter}+)*`
  return String.raw`(?:--?(?=${first})|[$@#.](?=${first}))?${joined}(?:\+\+|#)?`
}

function isAscii(text: string): boolean {
  return /^[\0-\x7f]*$/.test(text)
}

/** Splits `useEffect` into use Effect, and `HTTPServer2` into HTTP Server 2. */
export const wordPartPattern = /\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{Lo}\p{Lm}\p{M}]+|\p{N}+|\p{Lu}/gu

/** Returns a compound's terms. Caches them because folding and stemming are slow. */
const termsOf = cachedByWord((word): readonly string[] => {
  const terms: string[] = []
  addCompound(word, terms)
  return terms
})

function addCompound(raw: string, terms: string[]): void {
  if (/^[A-Za-z][a-z]*$/.test(raw)) return void terms.push(wordTerm(fold(raw)))
  const whole = fold(raw)
  const parts = raw.match(wordPartPattern) ?? []
  if (parts.length <= 1 && fold(parts[0] ?? '') === whole) {
    terms.push(wordTerm(whole))
    return
  }
  // A name that consists of letters is stemmed so that it equals the same name typed in lower case:
  // `createcollection`.
  terms.push(wordTerm(whole))
  // People also search for `app.include_router` as `include_router`, and for `--no-cache` as
  // `no-cache`.
  for (const piece of raw.split(/[./:@$#>]+|-(?=>)|^--?/)) {
    const name = fold(piece)
    const isIdentifier = (piece.match(wordPartPattern)?.length ?? 0) > 1
    if (isIdentifier && name !== whole) terms.push(wordTerm(name))
  }
  for (const part of parts) terms.push(wordTerm(fold(part)))
}

function fold(text: string): string {
  const lower = text.toLowerCase()
  if (isAscii(lower)) return lower.slice(0, maxTermLength)
  return lower
    .normalize('NFD')
    .replace(/\p{Mn}/gu, '')
    .replaceAll('ß', 'ss')
    .slice(0, maxTermLength)
}

function wordTerm(word: string): string {
  return /^[a-z]{3,}$/.test(word) ? stemmer(word) : word
}

const stopWords = new Set(
  (
    'a an and are as at be but by can could did do does for from had has have how i if in into ' +
    'is it its me my of on or our shall should so such than that the their them then there ' +
    'these they this to versus vs was we were what when where which who why will with would ' +
    'you your'
  )
    .split(' ')
    .map(wordTerm),
)
