import type { Lines } from './line.ts'
import { trimmedLineStart, lineAt } from './line.ts'
import type { Heading } from '../document/headings.ts'

/**
 * A heading with everything below it: its own body from `start` to the first child, then the
 * children, which cover the rest up to `end`. The root contains the whole page, at level 0.
 */
export type Section = {
  start: number
  /** The offset after the heading's last line; equal to `start` in the root. */
  bodyStart: number
  end: number
  level: number
  /** Titles from the outermost heading to this one; empty in the root. */
  path: string[]
  children: Section[]
}

/** Builds a page's heading tree. A section ends before the next one of its level or above. */
export function sectionTree(lines: Lines, headings: Heading[]): Section {
  const root: Section = {
    start: 0,
    bodyStart: 0,
    end: lines.text.length,
    level: 0,
    path: [],
    children: [],
  }
  const open = [root]
  let floor = 0
  for (const heading of headings) {
    const start = withAnchors(lines, { start: floor, end: heading.offset })
    while (open.length > 1 && open.at(-1)!.level >= heading.level) open.pop()!.end = start
    const parent = open.at(-1)!
    const section = {
      start,
      bodyStart: heading.end,
      end: 0,
      level: heading.level,
      path: [...parent.path, heading.title],
      children: [],
    }
    parent.children.push(section)
    open.push(section)
    floor = heading.end
  }
  for (const section of open) section.end = lines.text.length
  return root
}

/** Returns the end of a section's own body, before its first child. */
export function ownBodyEnd(section: Section): number {
  return section.children[0]?.start ?? section.end
}

// An anchor: rst `.. _name:`, MyST `(name)=`, `<a name="…"></a>`, MkDocs `[](){ #name }`.
const anchor = /^(\.\. _[^\n]*:|\([\w:.-]+\)=|<a (id|name)=[^>]*>\s*(<\/a>)?|\[\]\(\)\{[^}]*\})$/

/** Returns the start of a heading, including the anchors above it, which belong to it. */
function withAnchors(lines: Lines, gap: { start: number; end: number }): number {
  let start = gap.end
  for (let line = lineAt(lines, gap.end) - 1; line >= 0; line--) {
    const lineStart = lines.starts[line]!
    if (lineStart < gap.start) break
    if (lines.indents[line] === -1) continue
    if (!anchor.test(trimmedLineStart(lines, line))) break
    start = lineStart
  }
  return start
}
