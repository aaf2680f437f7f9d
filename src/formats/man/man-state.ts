import { roffToMarkdown, type RoffRequest } from './roff.ts'

export type ManState = {
  out: string[]
  paragraph: string[]
  /** Lines of the open no-fill display, or null. */
  code: string[] | null
  /** The term of the next list item; '' while the term itself is expected. */
  term: string | null
  /** Further terms of the same item (`.TQ`). */
  terms: string[]
  title: string | null
  /** Number of open `.RS` blocks and lists. */
  indent: number
  /** A man macro without arguments, such as `.B` or `.SH`, which applies to the next line. */
  waiting: RoffRequest | null
  /** The name that mdoc's `.Nm` repeats. */
  name: string
  /** The kinds of the open mdoc lists. */
  lists: string[]
  isSynopsis: boolean
  level: number
}

/** Converts `TAR 1` to `tar(1)`, because page headers are in capitals. */
export function manTitle(name: string, section: string): string {
  const plain = roffToMarkdown(name, true)
  const spelt = plain === plain.toUpperCase() ? plain.toLowerCase() : plain
  return section === '' ? spelt : `${spelt}(${roffToMarkdown(section, true)})`
}

/** Adds words to the open paragraph, or sets them as the expected term. */
export function addWords(page: ManState, words: string): void {
  if (words === '') return
  if (page.term === '') page.term = [...page.terms.splice(0), words].join(', ')
  else page.paragraph.push(words)
}

/** Ends the open paragraph and its list item. */
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
  if (term && page.indent === 0 && isOption(term)) {
    page.out.push(optionHeading(page, term), '')
    if (text !== '') page.out.push(text, '')
  } else if (term) page.out.push(`${before}- ${term}${text === '' ? '' : `: ${text}`}`, '')
  else if (text !== '') page.out.push(before + text, '')
}

/**
 * Converts the last paragraph to a heading if it is an option's term. asciidoctor and DocBook write
 * such a term as a paragraph and its description as an `.RS` block.
 */
export function headOption(page: ManState): boolean {
  const term = page.out.at(-2) ?? ''
  if (page.indent !== 0 || !isOption(term)) return false
  page.out[page.out.length - 2] = optionHeading(page, term)
  return true
}

/** True for a command-line option or setting, such as `-v, --verbose` or `core.editor`. */
function isOption(term: string): boolean {
  return (
    term.length <= longestTerm &&
    /^[*`]*(?:-{1,2}[\w?[]|[a-z][\w-]*(?:\.[\w<>*-]+)+[*`]*$)/i.test(term)
  )
}

/** Longer text is a paragraph that starts with an option's name. */
const longestTerm = 200

function optionHeading(page: ManState, term: string): string {
  return `${'#'.repeat(page.level + 1)} \`${term.replace(/[*`]/g, '').trim()}\``
}

/** Starts a no-fill display, which is shown as code. */
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
  page.level = level
  if (words === '') return
  page.isSynopsis = /^synopsis$/i.test(words)
  page.out.push(`${'#'.repeat(level)} ${words.replace(/[*_`]/g, '')}`, '')
}
