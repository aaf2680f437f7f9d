import { terms, wordPart } from '../../chunk/terms.ts'

/**
 * A query that is one name: an identifier, a flag, a header, a dotted path, a version. Decorations
 * around it (quotes, `()`, a leading `@`, `--`, `$`, `.`) may be typed and may be left out.
 */
export type ExactName = {
  /** As it was typed, without quotes and `()`: `--no-cache`, `@app.get`. */
  typed: string
  /** Without the signs in front: `no-cache`, `app.get`. */
  core: string
  /** Its words: `no`, `cache`; `use`, `Effect`. */
  parts: string[]
}

/**
 * How a text holds a name, best first: as it was typed; without the signs in front of it; in other
 * case or with other separators; as its words side by side.
 */
export const nameForms = ['typed', 'core', 'spelling', 'words'] as const
export type NameForm = (typeof nameForms)[number]

/** Longer words are no names, and a text is not searched for them. */
const mostCharacters = 200

/** The name in a query that is one word, or that asks what a word means; else null. */
export function exactName(text: string): ExactName | null {
  const word = text.trim().replace(meaningOf, '$1$2')
  if (word.length > mostCharacters || /\s/.test(word)) return null
  const typed = word.replace(/^["'`([{<]+/, '').replace(/[?!,;:"'`)\]}>([{]+$/, '')
  const core = typed.replace(/^[-@$.#/\\:]+/, '').replace(/[-/.\\:]+$/, '')
  const parts = core.match(wordPart) ?? []
  return parts.length === 0 ? null : { typed, core, parts: [...parts] }
}

/** "What is X", "what does X do": all but the name says nothing. */
const meaningOf =
  /^(?:what|who)(?:'s| is| are) (?:an? |the )?(\S+?)\??$|^what (?:does|do) (\S+) (?:do|mean)\??$/i

/** Names inside a longer text: in backquotes, with a sign that no word has, or in capitals. */
export function namesWithin(text: string): ExactName[] {
  const words = text.slice(0, 10_000).split(/\s+/).slice(0, 200)
  return words.flatMap((word) => {
    const name = exactName(word.replace(/[.]+$/, ''))
    return name !== null && looksLikeCode(word, name) ? [name] : []
  })
}

function looksLikeCode(word: string, { typed, core }: ExactName): boolean {
  if (core.length < 3) return false
  if (/^`.*`/.test(word) || /^(--?|[@$])\p{L}/u.test(typed)) return true
  if (/\(\)/.test(word) || /[\p{L}\p{N}]_[\p{L}\p{N}]/u.test(core)) return true
  const isMixed = /\p{Ll}\p{Lu}|\p{Lu}{2}\p{Ll}/u.test(core) || /^\p{Lu}{3,}$/u.test(core)
  return isMixed || /\p{L}[.:/]+\p{L}/u.test(core)
}

/** Every chunk that holds the name in some form has all index terms of one of these lists. */
export function nameTerms({ core, parts }: ExactName): string[][] {
  const whole = terms(core).slice(0, 1)
  const words = [...new Set(terms(parts.join(' ')))]
  return [whole, ...(words.length > 1 ? [words] : [])].filter((it) => it.length > 0)
}

export type NameFinder = (text: string) => { form: NameForm; at: number } | null

/**
 * Finds the name in a text, in its best form there. Where its signs are escaped, as in Markdown's
 * prose, it is not as it was typed.
 */
export function nameFinder({ typed, core, parts }: ExactName): NameFinder {
  // Whoever types a word in small letters has not thought of its case.
  const flags = /^\p{Ll}+$/u.test(core) ? 'i' : ''
  const forms: [NameForm, RegExp][] = [
    ['typed', whole(signs(typed), flags)],
    ['core', whole(`${literal(typed)}|${literal(core)}`, flags)],
    ['spelling', whole(parts.map(literal).join(String.raw`\\?[-_.:/]{0,2}`), 'i')],
    ['words', whole(parts.map(literal).join(String.raw`[\s\\_.:/-]{1,3}`), 'i')],
  ]
  return (text) => {
    for (const [form, pattern] of forms) {
      const at = text.search(pattern)
      if (at >= 0) return { form, at }
    }
    return null
  }
}

/** Not inside a longer word; a name that begins with a sign may follow one of another kind. */
function whole(pattern: string, flags = ''): RegExp {
  return new RegExp(String.raw`(?<![\p{L}\p{N}_])(?:${pattern})(?![\p{L}\p{N}_])`, `u${flags}`)
}

/** A text as a pattern for itself. */
function signs(text: string): string {
  return [...text].map(pattern).join('')
}

/** A text as a pattern for itself, also where Markdown has escaped its signs. */
function literal(text: string): string {
  return [...text]
    .map((sign) => {
      const isEscapable = /[!-/:-@[-`{-~]/.test(sign)
      return isEscapable ? String.raw`\\?${pattern(sign)}` : pattern(sign)
    })
    .join('')
}

function pattern(sign: string): string {
  return /[\p{L}\p{N}]/u.test(sign) ? sign : `\\u{${sign.codePointAt(0)!.toString(16)}}`
}
