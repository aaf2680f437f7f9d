import { roffToMarkdown, type RoffRequest } from './roff.ts'

/** The Markdown of a manual page as it is written. */
export type ManState = {
  out: string[]
  /** Words of the paragraph that is open. */
  paragraph: string[]
  /** Lines of an open display without filling; null: there is none. */
  code: string[] | null
  /** The term of a list item whose text follows; '' while the term itself is awaited. */
  term: string | null
  title: string | null
  /** Levels of `.RS` or of lists around the text. */
  indent: number
  /** A macro of the man macros without arguments, which takes the next line: `.B`, `.SH`. */
  waiting: RoffRequest | null
  /** The name that `.Nm` of mdoc repeats. */
  name: string
  /** The kinds of the lists of mdoc that are open. */
  lists: string[]
  isSynopsis: boolean
}

/** `TAR 1` → `tar(1)`: heads have the name in capitals whatever its spelling. */
export function manTitle(name: string, section: string): string {
  const plain = roffToMarkdown(name, true)
  const spelt = plain === plain.toUpperCase() ? plain.toLowerCase() : plain
  return section === '' ? spelt : `${spelt}(${roffToMarkdown(section, true)})`
}

/** Adds words to the open paragraph, or makes them the term that is awaited. */
export function addWords(page: ManState, words: string): void {
  if (words === '') return
  if (page.term === '') page.term = words
  else page.paragraph.push(words)
}

/** Ends the open paragraph, and the item of a list whose text it is. */
export function endParagraph(page: ManState): void {
  const text = page.paragraph
    .join(' ')
    .replace(/ +/g, ' ')
    .trim()
    .replace(/^[•·]\s*/, '- ')
  page.paragraph = []
  if (page.code !== null) return
  const { term } = page
  page.term = null
  const before = '  '.repeat(Math.min(page.indent, 6))
  if (term) page.out.push(`${before}- ${term}${text === '' ? '' : `: ${text}`}`, '')
  else if (text !== '') page.out.push(before + text, '')
}

/** Begins a display without filling, which is shown as code. */
export function beginCode(page: ManState): void {
  endParagraph(page)
  page.code ??= []
}

export function endCode(page: ManState): void {
  const { code } = page
  page.code = null
  if (code === null || code.every((line) => line.trim() === '')) return
  page.out.push('```', ...code.slice(0, 20_000), '```', '')
}

export function writeHeading(
  page: ManState,
  { level, words }: { level: number; words: string },
): void {
  endParagraph(page)
  endCode(page)
  page.indent = 0
  page.lists = []
  if (words === '') return
  page.isSynopsis = /^synopsis$/i.test(words)
  page.out.push(`${'#'.repeat(level)} ${words.replace(/[*_`]/g, '')}`, '')
}
