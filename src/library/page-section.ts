import { lineAt, indexLines } from '../chunk/line.ts'
import { parsePageSymbols } from '../api/page-symbols.ts'
import { headings } from '../page/headings.ts'
import type { Markup } from '../page/page.ts'
import { nearest } from '../platform/text/nearest.ts'
import { estimateTokens } from '../platform/tokens.ts'
import { outlinePage } from '../search/excerpt/outline.ts'

export type PageSection = { anchor: string; heading: string; startLine: number; endLine: number }

/** `tokens`: size of the section with its subsections. */
export type PageHeading = { line: number; level: number; title: string; tokens: number }

type Page = { text: string; markup: Markup }

/**
 * Returns the section with this anchor or heading, or the line with this name of the API reference,
 * or the most similar anchors if there is none.
 */
export function findSection(page: Page, typed: string): PageSection | { nearest: string[] } {
  const { lines, sections } = outlinePage(page)
  const plain = foldText(typed)
  const isNamed = [
    (anchor: string, title: string) => anchor === typed || title === typed,
    (anchor: string) => anchor.toLowerCase() === typed.toLowerCase(),
    (anchor: string, title: string) => [foldText(anchor), foldText(title)].includes(plain),
  ]
  const index = isNamed
    .map((is) => sections.findIndex(({ anchor, path }, at) => at > 0 && is(anchor, path.at(-1)!)))
    .find((at) => at > 0)
  if (index === undefined) {
    const listed = parsePageSymbols(page.text).find((it) => it.qualifiedName === typed)
    if (listed !== undefined) {
      return { anchor: typed, heading: typed, startLine: listed.line, endLine: listed.line }
    }
    const anchors = sections.slice(1).map(({ anchor }) => anchor)
    const holding = anchors.filter((it) => plain !== '' && foldText(it).includes(plain))
    return { nearest: [...new Set([...nearest(typed, anchors), ...holding])].slice(0, 3) }
  }
  const { start, path, anchor } = sections[index]!
  const after = sections.slice(index + 1).find((it) => it.path.length <= path.length)
  const end = after?.start ?? page.text.length
  const [first, last] = [start, Math.max(start, end - 1)].map((at) => lineAt(lines, at) + 1)
  return { anchor, heading: path.join(' > '), startLine: first!, endLine: last! }
}

export function headingsOf({ text, markup }: Page): PageHeading[] {
  const lines = indexLines(text)
  const all = headings(text, markup)
  return all.map(({ offset, level, title }, i) => {
    const end = all.slice(i + 1).find((next) => next.level <= level)?.offset
    const tokens = estimateTokens(text.slice(offset, end))
    return { line: lineAt(lines, offset) + 1, level, title, tokens }
  })
}

function foldText(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '')
}
