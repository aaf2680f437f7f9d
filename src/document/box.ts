import { appendLines } from './block-lines.ts'

/**
 * The line that closes a box. A box is a note or a tab on a page, kept as plain text: its title,
 * then its content. Tab characters mark its borders: one at the end of the title line, and a line
 * with a single tab after the content. They are invisible and not indexed, but a viewer can use
 * them to draw the box.
 */
export const boxEndMark = '\t'

/** Marks the first line of the text as the title of a box. */
export function markBoxTitle(text: string): string {
  return text.replace(/^[^\n]*/, (title) => `${title}\t`)
}

/** True if a line is the title of a box. */
export function isBoxTitle(line: string): boolean {
  return /^\s*\S.*[^\s]\t$/.test(line)
}

/** Appends the end mark of a box to `out`. If the last line is blank, the mark replaces it. */
export function endBox(out: string[]): void {
  if (out.at(-1)?.trim() === '' && out.at(-1) !== boxEndMark) out.pop()
  out.push(boxEndMark)
}

/** Removes tabs that would be read as box marks, now or after the text is unindented. */
export function removeBoxMarks(text: string): string {
  return text.includes('\t') ? text.replace(/^[^\S\n]*\t$|(?<=\S)\t$/gm, '') : text
}

/** The lines of a box, counted from 0, `to` exclusive. */
type Box = { from: number; to: number }

/** The closed boxes of the text, outer ones before inner ones. */
export function findBoxes(text: string): Box[] {
  if (!text.includes('\t')) return []
  const boxes: Box[] = []
  const open: number[] = []
  for (const [at, line] of text.split('\n').entries()) {
    if (line === boxEndMark) {
      const from = open.pop()
      if (from !== undefined) boxes.push({ from, to: at })
    } else if (isBoxTitle(line)) {
      open.push(at)
    }
  }
  return boxes.sort((a, b) => a.from - b.from)
}

export function withoutBoxes(text: string): string {
  const boxes = findBoxes(text)
  if (boxes.length === 0) return text
  const lines = text.split('\n')
  const out: string[] = []
  let at = 0
  for (const { from, to } of boxes) {
    // Boxes inside this one end before it.
    if (from >= at) appendLines(out, [...lines.slice(at, from), ''])
    at = Math.max(at, to + 1)
  }
  return [...out, ...lines.slice(at)].join('\n')
}
