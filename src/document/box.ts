import { appendLines } from './block-lines.ts'

/**
 * The line that closes a box. A box is a note or a tab, kept as plain text: a title and content. A
 * tab character at the end of the title line and a line with a single tab after the content mark
 * its borders. They are invisible and not indexed, but a viewer can draw the box with them.
 */
export const boxEndMark = '\t'

/** Marks the first line of the text as a box title. */
export function markBoxTitle(text: string): string {
  return text.replace(/^[^\n]*/, (title) => `${title}\t`)
}

/** True for a marked box title. */
export function isBoxTitle(line: string): boolean {
  return /^\s*\S.*[^\s]\t$/.test(line)
}

/** Appends the end mark of a box to `out`, replacing a blank last line. */
export function endBox(out: string[]): void {
  if (out.at(-1)?.trim() === '' && out.at(-1) !== boxEndMark) out.pop()
  out.push(boxEndMark)
}

/** Removes tabs that look like box marks, even after unindenting the text. */
export function removeBoxMarks(text: string): string {
  return text.includes('\t') ? text.replace(/^[^\S\n]*\t$|(?<=\S)\t$/gm, '') : text
}

/** The 0-based lines of a box; `to` is exclusive. */
type Box = { from: number; to: number }

/** Returns the closed boxes of the text, outer boxes before inner ones. */
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
    // Inner boxes end before this one.
    if (from >= at) appendLines(out, [...lines.slice(at, from), ''])
    at = Math.max(at, to + 1)
  }
  return [...out, ...lines.slice(at)].join('\n')
}
