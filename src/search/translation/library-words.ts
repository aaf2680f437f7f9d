import { indexTermsOf } from '../../chunk/terms.ts'
import { nameQueryTerms } from '../name/name.ts'
import plain from '../../../data/translation/plain.txt' with { type: 'text' }

/** A task's words as stems, and the words by which libraries name it. */
type Form = { stems: string[]; words: string[] }

let formsByFirst: Map<string, Form[]> | null = null

/** Maximum number of other words between two words of a form. */
const mostBetween = 2
/** A longer query contains the library's own words. */
const mostWords = 64

/**
 * Returns the words by which libraries usually name a task (`retry`) that the query describes in
 * plain words (`try again`), excluding words in the query. Returns none if the query is a name.
 */
export function libraryWords(query: string): string[] {
  const typed = query.match(/[\p{L}\p{N}]+/gu) ?? []
  if (typed.length > mostWords || nameQueryTerms(query) !== null) return []
  formsByFirst ??= Map.groupBy(readForms(plain), ({ stems }) => stems[0]!)
  const stems = typed.map(stemOf)
  const words = stems.flatMap((first, at) =>
    (formsByFirst!.get(first) ?? [])
      .filter((form) => isAt(form.stems, stems, at))
      .flatMap((form) => form.words),
  )
  return [...new Set(words)].filter((word) => !stems.includes(stemOf(word)))
}

function stemOf(word: string): string {
  return indexTermsOf(word.toLowerCase())[0] ?? word
}

/** Parses lines `form, form = words`. */
function readForms(text: string): Form[] {
  return text.split('\n').flatMap((line) => {
    const [, forms, words] = /^([^#=]+)=(.+)$/.exec(line) ?? []
    if (forms === undefined) return []
    const named = words!.trim().split(' ')
    return forms
      .split(',')
      .map((form) => ({ stems: form.trim().split(' ').map(stemOf), words: named }))
  })
}

/** True if the words of a form follow each other in order from `start` on. */
function isAt(form: readonly string[], words: readonly string[], start: number): boolean {
  let at = start
  return form.slice(1).every((next) => {
    const from = at + 1
    at = words.indexOf(next, from)
    return at >= from && at <= from + mostBetween
  })
}
