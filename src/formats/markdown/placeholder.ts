import { noteNames } from '../../document/note-names.ts'
import type { GrowthLimit } from '../../document/growth.ts'
import type { ApiLookup, Declared } from '../parsed-text.ts'

/** Matches a quote that is a placeholder for a module's API: `> MODULE: svelte/animate`. */
const moduleQuote = /^> (?:MODULE|TYPES): +([\w@./-]{1,200})[ \t]*$/gm
/** Matches a placeholder for a comment in a file: `[summary](docblock://a.ts?token=b)`. */
const docblock = /\[[\w, ]{1,100}\]\(docblock:\/\/([\w./-]{1,200})\?token=([\w$]{1,100})\)/g

/** Matches both kinds of placeholders, and unknown quotes of one word. */
export const placeholderMarks = [
  new RegExp(`^> (?!(?:${noteNames.toUpperCase()}):)[A-Z][A-Z_]{3,30}: +[\\w@./#-]+[ \\t]*$`, 'gm'),
  /(?<=\]\()docblock(?=:)/g,
]

export function placeholdersOf(text: string): Declared[] {
  if (!text.includes('docblock://') && !/^> (?:MODULE|TYPES):/m.test(text)) return []
  return [
    ...Array.from(text.matchAll(moduleQuote), ([, module]) => ({ module: module! })),
    ...Array.from(text.matchAll(docblock), ([, file, name]) => ({ file: file!, name: name! })),
  ]
}

/**
 * Replaces placeholders with documentation from the project's TypeScript files. Only the first of
 * several links to a comment is replaced with its text. Keeps placeholders without documentation.
 */
export function withDeclared(
  text: string,
  { lookup, growth }: { lookup: ApiLookup | undefined; growth: GrowthLimit },
): string {
  if (lookup === undefined || placeholdersOf(text).length === 0) return text
  const seen = new Set<string>()
  const output = (sourceText: string, declared: Declared) => {
    const found = lookup.declared(declared)
    if (!found || !growth.take(found.length)) return sourceText
    const key = JSON.stringify(declared)
    const isSeen = seen.has(key)
    seen.add(key)
    return isSeen ? '' : found
  }
  return text
    .replace(moduleQuote, (sourceText, module: string) => output(sourceText, { module }))
    .replace(docblock, (sourceText, file: string, name: string) =>
      output(sourceText, { file, name }),
    )
}
