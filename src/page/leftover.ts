import { missingFileMark, missingPartPattern, notIncludedMark } from '../document/not-found.ts'
import { withoutFences } from '../document/fence.ts'
import { rewriteMarkdown } from '../document/markdown-lines.ts'
import type { Page } from './page.ts'
import { placeholderMarks } from '../formats/markdown/placeholder.ts'
import { titleFromPath } from '../document/title.ts'
import { headings } from '../document/headings.ts'

/** Unconverted generator syntax in a page's text, and other signs of missing content. */
export type Leftovers = {
  /** Includes that were not expanded although their file may exist. */
  includes: number
  /** Included files that the source lacks, such as generated files. */
  absent: number
  /** Unconverted shortcodes, macros and directives. */
  shortcodes: number
  /** Unconverted MDX components and imports. */
  components: number
  /** 1 if the page has almost no text. */
  empty: number
  /** 1 if the title comes from the file name and differs from the page's first heading. */
  fileTitle: number
  /** The source text of the first leftover, or null. */
  example: string | null
  /** The names of components, shortcodes and directives in the leftovers. */
  names: string[]
}

type LeftoverPage = Pick<Page, 'path' | 'title' | 'text' | 'markup'>

type Markings = Record<'includes' | 'absent' | 'shortcodes' | 'components', string[]>

/** Finds leftovers in linear time. Ignores fenced code. */
function markingsOf({ text, markup }: Pick<Page, 'text' | 'markup'>): Markings {
  const absent = matchesOf(text, [missingFileMark, notIncludedMark])
  const missing = matchesOf(text, [missingPartPattern])
  const isMarkdown = markup === 'markdown'
  const prose = signs.test(text) ? (isMarkdown ? withoutFences(text) : text) : ''
  const bare = isMarkdown ? prose.replace(/``[^`\n]+``|`[^`\n]+`/g, '') : prose
  const includes = [...missing, ...(isMarkdown ? matchesOf(bare, includeMarks) : [])]
  const shortcodes = isMarkdown ? [...matchesOf(bare, shortcodeMarks), ...codeMarks(text)] : []
  const components = isMarkdown ? matchesOf(bare, componentMarks) : []
  return { includes, absent, shortcodes, components }
}

/** Returns the first leftover in a chunk, or null. */
export function firstLeftover(chunk: Pick<Page, 'text' | 'markup'>): string | null {
  const { includes, absent, shortcodes, components } = markingsOf(chunk)
  return [...includes, ...absent, ...shortcodes, ...components][0] ?? null
}

export function countPageLeftovers({ path, title, text, markup }: LeftoverPage): Leftovers {
  const { includes, absent, shortcodes, components } = markingsOf({ text, markup })
  const empty = text.length < shortText && isEmpty(text) ? 1 : 0
  const fileTitle =
    title === titleFromPath(path) && hasOtherHeading(text, { title, markup }) ? 1 : 0
  const marks = [...includes, ...shortcodes, ...components, ...absent]
  const [example] = marks
  return {
    includes: includes.length,
    absent: absent.length,
    shortcodes: shortcodes.length,
    components: components.length,
    empty,
    fileTitle,
    example: example ?? (empty ? 'almost no text' : fileTitle ? `title "${title}"` : null),
    names: marks.map(nameOf),
  }
}

/** Returns a leftover's name, such as `note` in `{{< note >}}`, or else the leftover itself. */
function nameOf(mark: string): string {
  if (/^\(The |^`(?!``)/.test(mark)) return 'missing text'
  const sign = /^(?:-+8<-*|<<<|\{[*!])/.exec(mark)?.[0]
  return sign ?? /[\p{L}_](?:[\w:./-]*[\w-])?/u.exec(mark)?.[0] ?? mark.slice(0, 20)
}

/** A fast test for text that may contain a leftover. */
const signs = new RegExp(
  '\\{[{%!*]|\\]\\(#|-8<-|<<<|include|\\[!|::|:[a-z-]+\\{|(?:xref|javadoc|configprop):|<doc:' +
    '|\\{(?:url|code|version)-|<[A-Z]|</?[a-z]+-|docblock:|^> [A-Z]|^import |@@' +
    '|^@[A-Z]|[@\\\\](?:ref|subpage|dontinclude|copy(?:brief|details|doc)|(?:end)?code)\\b',
  'm',
)

const includeMarks = [
  /^[ \t]*\{\{\s?#(?:include|rustdoc_include|playground)\b[^\n]{0,200}/gm,
  /^[ \t]*-{1,8}8<-{1,8}[^\n]{0,200}/gm,
  /^[ \t]*<<<[ \t]+[@~./][^\n]{0,200}/gm,
  /^[ \t]*\{[!*]>?[ \t]*[^\s{}]{1,200}[^\n{}]{0,200}[!*]\}/gm,
  /\[!(?:code|include)\b[^\n]{0,200}/gi,
  /^[ \t]*:::[ \t]*code\b[^\n]{0,200}/gm,
  /^[ \t]*@@@?(?:snip|include|dependency)\b[^\n]{0,200}/gm,
  /^(?:include(?:-code)?|snippet)::[^\n]{0,200}/gm,
  // Unsupported reStructuredText directives.
  /^[ \t]*\.\. [a-z][\w:+.-]*::[^\n]{0,200}/gim,
]

const shortcodeMarks = [
  /\{\{[<%][^\n]{0,200}/g,
  /(?<!\{)\{%-?\s?[a-z][\w-]*[^\n]{0,200}/g,
  /\{\{-?\s?[a-z_]\w*\s?\([^\n]{0,200}/g,
  /^[ \t]*:{2,4}[ \t]?[a-z][\w-]*(?=[\s{[])[^\n]{0,200}/gm,
  /(?<![\w:]):[a-z]+(?:-[a-z]+)*\{[^\n]{0,200}/g,
  /\]\(#tab\/[^\n]{0,100}/g,
  /(?:javadoc|configprop|xref):[^\s[\]()]{1,200}\[/g,
  // Block macros of AsciiDoc.
  /^(?!include|snippet)[a-z][\w-]{1,30}::[^\s[\]:]{0,200}\[[^\]\n]{0,200}\][ \t]*$/gm,
  /\]\(xref:[^\n]{0,100}|<(?:xref|doc):[^\n]{0,100}/g,
  /\{(?:url|code|version)-[\w-]+\}/g,
  ...placeholderMarks,
  /^@[A-Z]\w+\([^\n]{0,200}\)[ \t]*$/gm,
  /(?<![\w\\@])[@\\](?:ref|subpage|dontinclude|copy(?:brief|details|doc))[ \t]+[\w:~.#/-]{1,200}/g,
  /^[ \t]*[@\\](?:endcode|code(?:\{\.?[\w+-]{0,20}\})?)[ \t]*$/gm,
]

/**
 * Finds leftovers in code: R Markdown cells and MyST directives (```` ```{r} ````), and unreadable
 * Twoslash caches.
 */
function codeMarks(text: string): string[] {
  if (!/[`~]\{[a-z][\w:-]*[\s,}]|@twoslash-cache/.test(text)) return []
  const leftovers: string[] = []
  const note = (mark: RegExp) => (line: string) => {
    if (mark.test(line)) leftovers.push(line.trim().slice(0, 200))
    return line
  }
  rewriteMarkdown(text, {
    prose: (line) => line,
    opening: note(/[`~]\{[a-z][\w:-]*[\s,}]/),
    code: note(/^[ \t]*\/\/ ?@twoslash-cache\b/),
  })
  return leftovers
}

const componentMarks = [
  /<\/(?:[A-Z][\w.]*|[a-z]+-[\w-]+)>/g,
  /<(?:[A-Z][\w.]*|[a-z]+-[\w-]+)(?:\s[^<>\n]{0,200})?\/>/g,
  /^import\s[^\n]{1,200}\sfrom\s+["'][^\n]{1,200}["'];?[ \t]*$/gm,
]

function matchesOf(text: string, marks: readonly RegExp[]): string[] {
  return marks.flatMap((mark) => text.match(mark)?.map((match) => match.trim()) ?? [])
}

/** A longer page is not empty. */
const shortText = 2000
const fewestLetters = 10

function isEmpty(text: string): boolean {
  return proseOf(text).replace(/[^\p{L}\p{N}]/gu, '').length < fewestLetters
}

/** True if text contains no letter outside headings. */
export function hasOnlyHeadings(text: string): boolean {
  return text.length < shortText && !/[\p{L}\p{N}]/u.test(proseOf(text))
}

/** Removes headings and rules. */
function proseOf(text: string): string {
  return text.replace(/^(?:#{1,6}[ \t].*|[#=\-~*^"'`_. \t]*)$/gm, '')
}

/** True if the page starts with a level-1 heading that does not contain the title. */
function hasOtherHeading(text: string, { title, markup }: Pick<Page, 'title' | 'markup'>): boolean {
  const [first] = headings(text, markup)
  if (first?.level !== 1 || text.slice(0, first.offset).trim() !== '') return false
  return !first.title.toLowerCase().includes(title.toLowerCase())
}
