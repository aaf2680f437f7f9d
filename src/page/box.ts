/**
 * Notes and tabs are read as their title and their text, one block after the other. Where such a
 * box begins and ends is said by blanks: a tab behind its title, and a line of one tab behind its
 * text. Nobody sees them, no index counts them, and whoever shows the page can draw the box.
 */
export const boxEnd = '\t'

/** The first line of what opens a box, which is its title, with the mark. */
export function asBoxTitle(shown: string): string {
  return shown.replace(/^[^\n]*/, (title) => `${title}\t`)
}

/** Ends a box behind what was written: a blank line there becomes the mark. */
export function endBox(out: string[]): void {
  if (out.at(-1)?.trim() === '' && out.at(-1) !== boxEnd) out.pop()
  out.push(boxEnd)
}

/** Tabs of strangers that would mark something, at once or when the indentation is taken away. */
export function withoutMarks(text: string): string {
  return text.includes('\t') ? text.replace(/^[^\S\n]*\t$|(?<=\S)\t$/gm, '') : text
}

/** Lines from 0; `to` is the one behind the last. */
export type Box = { from: number; to: number }

/** The boxes of a text, each behind those that hold it. What is never closed is none. */
export function boxesOf(text: string): Box[] {
  if (!text.includes('\t')) return []
  const boxes: Box[] = []
  const open: number[] = []
  for (const [at, line] of text.split('\n').entries()) {
    if (line === boxEnd) {
      const from = open.pop()
      if (from !== undefined) boxes.push({ from, to: at })
    } else if (/^\s*\S.*[^\s]\t$/.test(line)) {
      open.push(at)
    }
  }
  return boxes.sort((a, b) => a.from - b.from)
}
