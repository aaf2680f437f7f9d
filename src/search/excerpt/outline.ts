import { linesOf, type Lines } from '../../chunk/line.ts'
import { trimmed, type Range } from '../../chunk/range.ts'
import { sectionTree, type Section } from '../../chunk/section.ts'
import { headings } from '../../page/headings.ts'
import type { Markup } from '../../page/page.ts'

/** A page by its headings. */
export type Outline = { text: string; markup: Markup; lines: Lines; sections: OwnText[] }

/** A heading and the text under it up to the next heading; these tile the page. */
export type OwnText = {
  start: number
  /** Where the heading ends; `start` above the first one. */
  bodyStart: number
  end: number
  /** Titles from the outermost heading to this one. */
  path: string[]
  /** The id that its author gave it, else what Git forges and Sphinx make of it; '' at the top. */
  anchor: string
  hasOwnAnchor: boolean
}

export function outlineOf({ text, markup }: { text: string; markup: Markup }): Outline {
  const lines = linesOf(text)
  const list = headings(text, markup)
  const [root, ...sections] = flat(sectionTree(lines, list))
  const counts = new Map<string, number>()
  const anchored = sections.map((section, i) => {
    const { offset, anchor, title } = list[i]!
    const own = anchor ?? labelIn(text.slice(section.start, offset))
    return { ...section, anchor: own ?? slug(title, markup, counts), hasOwnAnchor: own !== null }
  })
  const top = { ...root!, anchor: '', hasOwnAnchor: true }
  return { text, markup, lines, sections: [top, ...anchored] }
}

/** The section that holds an offset, by its position among the sections. */
export function sectionAt({ sections }: Outline, offset: number): number {
  let low = 0
  let high = sections.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (sections[middle]!.start <= offset) low = middle
    else high = middle - 1
  }
  return low
}

/** The sections that ranges stand in, by their positions. */
export function sectionsOf(outline: Outline, ranges: readonly Range[]): Set<number> {
  return new Set(
    ranges.flatMap((range) => {
      const { start, end } = trimmed(outline.text, range)
      const [first, last] = [start, Math.max(start, end - 1)].map((at) => sectionAt(outline, at))
      return Array.from({ length: last! - first! + 1 }, (_, i) => first! + i)
    }),
  )
}

type Untitled = Omit<OwnText, 'anchor' | 'hasOwnAnchor'>

/** In the order of the page, which is that of its headings. */
function flat({ start, bodyStart, end, path, children }: Section): Untitled[] {
  const own = { start, bodyStart, end: children[0]?.start ?? end, path }
  return [own, ...children.flatMap(flat)]
}

// Only the blanks of the label's own line: from each line the empty ones after it would be read.
const labels = [
  /^[^\S\n\r\u2028\u2029]*\.\. _`?([^\n]*?)`?:/m,
  /^[^\S\n\r\u2028\u2029]*\(([\w:.-]+)\)=/m,
  /^[^\S\n\r\u2028\u2029]*<a (?:id|name)=["']?([^"'>\s]+)/m,
  /^[^\S\n\r\u2028\u2029]*\[\]\(\)\{\s*#([\w:.-]+)/m,
]

/** What a label before a heading names it: the id that Sphinx, MyST or MkDocs gives it. */
function labelIn(gap: string): string | null {
  const [rst, ...others] = labels.map((label) => label.exec(gap)?.[1])
  return rst === undefined ? (others.find((other) => other !== undefined) ?? null) : sphinxId(rst)
}

function slug(title: string, markup: Markup, counts: Map<string, number>): string {
  const plain = markup === 'rst' ? sphinxId(title) : forgeId(title)
  const before = counts.get(plain) ?? 0
  counts.set(plain, before + 1)
  return before === 0 ? plain : `${plain}-${before}`
}

/** As docutils makes ids. */
function sphinxId(title: string): string {
  const ascii = title
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[^\0-\x7e]/g, '')
  return ascii.replace(/[^a-z0-9]+/g, '-').replace(/^[-0-9]+|-+$/g, '')
}

/** As GitHub and GitLab make ids. */
function forgeId(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}_ -]/gu, '')
    .trim()
    .replace(/ /g, '-')
}
