import { indexLines, type Lines } from '../../chunk/line.ts'
import { trimRange, type Range } from '../../chunk/range.ts'
import { sectionTree, type Section } from '../../chunk/section.ts'
import { forgeId } from '../../document/inline.ts'
import { headings, type Markup } from '../../document/headings.ts'

export type Outline = { text: string; markup: Markup; lines: Lines; sections: SectionText[] }

/** A heading and the text up to the next heading. The sections cover the whole page. */
export type SectionText = {
  start: number
  /** Offset of the heading's end. Equals `start` for the text above the first heading. */
  bodyStart: number
  end: number
  /** Titles from the outermost heading down to this one. */
  path: string[]
  /** The author's id, or the id that Git forges generate. Empty above the first heading. */
  anchor: string
  hasOwnAnchor: boolean
}

export function outlinePage({ text, markup }: { text: string; markup: Markup }): Outline {
  const lines = indexLines(text)
  const list = headings(text, markup)
  const [root, ...sections] = flat(sectionTree(lines, list))
  const counts = new Map<string, number>()
  const anchored = sections.map((section, i) => {
    const { offset, anchor, title } = list[i]!
    const own = anchor ?? labelIn(text.slice(section.start, offset))
    return { ...section, anchor: own ?? slug(title, counts), hasOwnAnchor: own !== null }
  })
  const top = { ...root!, anchor: '', hasOwnAnchor: true }
  return { text, markup, lines, sections: [top, ...anchored] }
}

/** Returns the index of the section that contains an offset. */
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

/** Returns the indexes of the sections that the ranges touch. */
export function sectionsOf(outline: Outline, ranges: readonly Range[]): Set<number> {
  return new Set(
    ranges.flatMap((range) => {
      const { start, end } = trimRange(outline.text, range)
      const [first, last] = [start, Math.max(start, end - 1)].map((at) => sectionAt(outline, at))
      return Array.from({ length: last! - first! + 1 }, (_, i) => first! + i)
    }),
  )
}

type Untitled = Omit<SectionText, 'anchor' | 'hasOwnAnchor'>

/** Flattens the section tree in page order. */
function flat({ start, bodyStart, end, path, children }: Section): Untitled[] {
  const own = { start, bodyStart, end: children[0]?.start ?? end, path }
  return [own, ...children.flatMap(flat)]
}

// Matches only blanks on the label's line. `\s` would rescan the empty lines below it for every
// line.
const labels = [
  /^[^\S\n\r\u2028\u2029]*\(([\w:.-]+)\)=/m,
  /^[^\S\n\r\u2028\u2029]*<a (?:id|name)=["']?([^"'>\s]+)/m,
  /^[^\S\n\r\u2028\u2029]*\[\]\(\)\{\s*#([\w:.-]+)/m,
]

/** Returns the id from a MyST or MkDocs label before a heading. */
function labelIn(gap: string): string | null {
  const ids = labels.map((label) => label.exec(gap)?.[1])
  return ids.find((id) => id !== undefined) ?? null
}

function slug(title: string, counts: Map<string, number>): string {
  const plain = forgeId(title)
  const before = counts.get(plain) ?? 0
  counts.set(plain, before + 1)
  return before === 0 ? plain : `${plain}-${before}`
}
