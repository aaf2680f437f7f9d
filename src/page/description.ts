import { withoutBoxes } from '../document/box.ts'
import { plainMarkdown, shorten } from '../document/inline.ts'
import { anyComment } from '../formats/markdown/comment.ts'
import type { Heading, Markup } from '../document/headings.ts'

/** Maximum length of a description from the text. */
const descriptionLimit = 200
/** Maximum number of characters to search for the first paragraph. */
const searchLimit = 20_000

/**
 * Returns the first paragraph of prose without markup, truncated at a word to at most 200
 * characters; '' if there is none near the start. Code, tables, lists, directives, JSX and
 * containers are not prose. Notes are used only if there is no other paragraph.
 */
export function firstProse(
  text: string,
  { markup, headings }: { markup: Markup; headings: Heading[] },
): string {
  const start = withoutHeadings(text.slice(0, searchLimit), headings)
  return firstProseOf(withoutBoxes(start), markup) || firstProseOf(start, markup)
}

function firstProseOf(text: string, markup: Markup): string {
  for (const block of blocks(text)) {
    if (notProse[markup].test(block)) continue
    const line = plainBlock(block, markup)
    if (/\p{L}{2}.*\s.*\p{L}{2}/u.test(line)) return line
  }
  return ''
}

const notProse: Record<Markup, RegExp> = {
  markdown: new RegExp(
    '^(?: {4}|\\t| {0,3}(?:[>|<#]|[-*+] |\\d+[.)] |[-*_=]{3}|!!!|\\?\\?\\?|///|:::' +
      '|\\{[%*{/]|\\$\\$|\\.\\. |`[^`]*`\\s*$' +
      '|\\(\\S+\\)=|\\[[^\\]]+\\]:|(?:import|export) |\\S.*\\n(?=[ |:]*-)[ |:-]*(?:\\n|$)))',
  ),
  text: /^(?:\s|[^\p{L}\p{N}]{3})/u,
}

function plainBlock(block: string, markup: Markup): string {
  const bare = block.replace(/^ {0,3}(?::::|\/\/\/).*$/gm, '').replace(/::\s*$/, ':')
  const line = bare.slice(0, 4 * descriptionLimit).replace(/\s+/g, ' ')
  return shorten(markup === 'markdown' ? plainMarkdown(line) : line, descriptionLimit)
}

/** Replaces headings with blank lines. */
function withoutHeadings(text: string, headings: Heading[]): string {
  let rest = ''
  let at = 0
  for (const { offset, end } of headings) {
    if (offset >= text.length) break
    rest += `${text.slice(at, offset)}\n\n`
    at = end
  }
  return rest + text.slice(at)
}

const fencedCode = /^ {0,3}(`{3,}(?!`)|~{3,}(?!~))[^\n]*\n[^]*?(?:^ {0,3}\1[`~]*[ \t]*$|(?![^]))/gm

/** Splits text at blank lines. Drops fenced code and comments. */
function blocks(text: string): string[] {
  const bare = text.replace(fencedCode, '\n\n').replace(anyComment, '\n\n')
  return bare
    .split(/\n[ \t]*\n/)
    .map((block) => block.replace(/^\n+/, ''))
    .filter((block) => block.trim() !== '')
}
