import { indexTermsOf, wordPartPattern } from '../../chunk/terms.ts'
import type { NameForm } from '../candidate.ts'

/**
 * A query that is a single name: an identifier, a flag, a header, a dotted path or a version.
 * Decorations (quotes, `()`, a leading `@`, `--`, `$`, `.`) are optional.
 */
export type ExactName = {
  /** The name as typed, without quotes and `()`: `--no-cache`, `@app.get`. */
  verbatim: string
  /** The name without leading symbols: `no-cache`, `app.get`. */
  core: string
  /** The words of the name: `no`, `cache`; `use`, `Effect`. */
  parts: string[]
}

/** A longer word is not a name. */
const mostCharacters = 200

/** Returns the name if the query is a single word or a question about one word, otherwise null. */
export function exactName(text: string): ExactName | null {
  const word = text.trim().replace(meaningQuestion, '$1$2')
  if (word.length > mostCharacters || /\s/.test(word)) return null
  const verbatim = word.replace(/^["'`([{<]+/, '').replace(/[?!,;:"'`)\]}>([{]+$/, '')
  const core = verbatim.replace(/^[-@$.#/\\:]+/, '').replace(/[-/.\\:]+$/, '')
  const parts = core.match(wordPartPattern) ?? []
  return parts.length === 0 ? null : { verbatim, core, parts: [...parts] }
}

/** True for a plain lower-case word such as `cookies`, which is more a topic than a name. */
export function isPlainWord({ verbatim }: ExactName): boolean {
  return /^\p{Ll}+$/u.test(verbatim)
}

/** Matches "What is X" and "what does X do", where only the name matters. */
const meaningQuestion =
  /^(?:what|who)(?:'s| is| are) (?:an? |the )?(\S+?)\??$|^what (?:does|do) (\S+) (?:do|mean)\??$/i

/** Returns the names inside text: words in backquotes or capitals, or with unusual symbols. */
export function findNames(text: string): ExactName[] {
  const words = text.slice(0, 10_000).split(/\s+/).slice(0, 200)
  return words.flatMap((word) => {
    const name = exactName(word.replace(/[.]+$/, ''))
    return name !== null && looksLikeCode(word, name) ? [name] : []
  })
}

/** A query with more words is a sentence rather than a name typed as separate words. */
const mostNameWords = 8

/** Returns the words of a query that may be a name typed as separate words: `on aux click`. */
export function namedWords(text: string): string[] {
  const words = text.trim().toLowerCase().split(/\s+/)
  const isName = words.length > 1 && words.length <= mostNameWords
  return isName && words.every((word) => /^[\p{L}\p{N}]+$/u.test(word)) ? words : []
}

const abbreviations = /^(?:e\.?g|i\.?e|a\.?k\.?a|and\/or|either\/or|w\/o|n\/a|vs)$/i

function looksLikeCode(word: string, { verbatim, core }: ExactName): boolean {
  if (core.length < 3 || abbreviations.test(core)) return false
  if (/^`.*`/.test(word) || /^(--?|[@$])\p{L}/u.test(verbatim)) return true
  if (/\(\)/.test(word) || /[\p{L}\p{N}]_[\p{L}\p{N}]/u.test(core)) return true
  const isMixed = /\p{Ll}\p{Lu}|\p{Lu}{2}\p{Ll}/u.test(core) || /^\p{Lu}{3,}$/u.test(core)
  return isMixed || /\p{L}[.:/]+\p{L}/u.test(core)
}

/** Returns lists of index terms. A chunk with the name has all terms of at least one list. */
export function nameTerms({ core, parts }: ExactName): string[][] {
  const wholeTerms = indexTermsOf(core).slice(0, 1)
  const words = [...new Set(indexTermsOf(parts.join(' ')))]
  return [wholeTerms, ...(words.length > 1 ? [words] : [])].filter((it) => it.length > 0)
}

export type NameFinder = (text: string) => { form: NameForm; at: number } | null

/**
 * Returns a function that finds the name in text, in the form nearest to the typed one. If Markdown
 * escapes symbols of the name in prose, its form is not `typed`.
 */
export function nameFinder({ verbatim, core, parts }: ExactName): NameFinder {
  // A name typed in lower case matches in any case.
  const isAnyCase = /^\p{Ll}+$/u.test(core)
  const flags = isAnyCase ? 'i' : ''
  const separated = (by: string) => wholeWord(parts.map(escapablePattern).join(by), 'i')
  const forms: [NameForm, () => RegExp][] = [
    ['core', () => wholeWord(`${escapablePattern(verbatim)}|${escapablePattern(core)}`, flags)],
    ['spelling', () => separated(String.raw`\\?[-_.:/]{0,2}`)],
    ['words', () => separated(String.raw`[\s\\_.:/-]{1,3}`)],
  ]
  const patterns = new Map<NameForm, RegExp>()
  const lowerParts = parts.map((part) => withoutSharpS(part.toLowerCase()))
  // Symbols before the first part may be escaped.
  const mostBefore = 2 * verbatim.length
  return (text) => {
    // Every form contains all parts. Checking them first avoids the slow patterns for most texts.
    const lower = withoutSharpS(text.toLowerCase())
    const first = lower.indexOf(lowerParts[0]!)
    if (first < 0 || !lowerParts.every((part) => lower.includes(part, first))) return null
    // A letter such as "İ" takes more code units in lower case.
    const isAligned = lower.length === text.length
    const from = isAligned ? Math.max(0, first - mostBefore) : 0
    const typedAt =
      isAnyCase && isAligned
        ? indexOfWord(lower, verbatim.toLowerCase(), from)
        : indexOfWord(text, verbatim, from)
    if (typedAt >= 0) return { form: 'typed', at: typedAt }
    for (const [form, makePattern] of forms) {
      const characterPattern = patterns.getOrInsertComputed(form, makePattern)
      characterPattern.lastIndex = from
      const at = characterPattern.exec(text)?.index
      if (at !== undefined) return { form, at }
    }
    return null
  }
}

/** Does not match inside a longer word. A symbol may follow another symbol. */
function wholeWord(pattern: string, flags = ''): RegExp {
  return new RegExp(String.raw`(?<![\p{L}\p{N}_])(?:${pattern})(?![\p{L}\p{N}_])`, `gu${flags}`)
}

const endsInWord = /[\p{L}\p{N}_]$/u
const startsWithWord = /^[\p{L}\p{N}_]/u

/** Finds `word` as `wholeWord` does, without a pattern. Returns -1 if there is none. */
function indexOfWord(text: string, word: string, from: number): number {
  for (let at = text.indexOf(word, from); at >= 0; at = text.indexOf(word, at + 1)) {
    const end = at + word.length
    // A letter may take two code units.
    const [before, after] = [text.slice(Math.max(0, at - 2), at), text.slice(end, end + 2)]
    if (!endsInWord.test(before) && !startsWithWord.test(after)) return at
  }
  return -1
}

/** Replaces `ß` with `ss`, because its upper case is `SS` and Switzerland writes `ss`. */
function withoutSharpS(text: string): string {
  return text.replaceAll('ß', 'ss')
}

/** Returns a pattern that also matches text escaped by Markdown or spelled with `ss` for `ß`. */
function escapablePattern(text: string): string {
  return (text.match(/ss|ß|[^]/giu) ?? [])
    .map((sign) => {
      const isEscapable = /[!-/:-@[-`{-~]/.test(sign)
      return isEscapable ? String.raw`\\?${pattern(sign)}` : pattern(sign)
    })
    .join('')
}

function pattern(sign: string): string {
  if (/^(?:ss|ß)$/iu.test(sign)) return `(?:${sign}|ss|ß)`
  return /[\p{L}\p{N}]/u.test(sign) ? sign : `\\u{${sign.codePointAt(0)!.toString(16)}}`
}
