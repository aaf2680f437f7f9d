import { indentColumns } from '../../document/block-lines.ts'
import { markBoxTitle, endBox, removeBoxMarks } from '../../document/box.ts'

/** Markdown output as lines. */
export type MdxOut = {
  lines: string[]
  /** Index of the last non-blank line, or -1. */
  filled: number
  /** Columns of the text in open list items, outermost first. */
  items: number[]
}

export function pushOutputLine(out: MdxOut, line: string): void {
  if (line.trim() !== '') out.filled = out.lines.length
  out.lines.push(line)
}

/** Writes a line of text, which can start a list item. */
export function pushText(out: MdxOut, line: string): void {
  const columns = indentColumns(line)
  if (columns !== Infinity) {
    closeItems(out, columns)
    const mark = itemMark.exec(line)?.[0].length ?? Infinity
    if (mark <= mostColumns) out.items.push(mark)
  }
  pushOutputLine(out, line)
}

const itemMark = /^ *(?:[-*+]|\d{1,9}[.)]) {1,4}(?=\S)/

/** Deeper list items are not tracked, so that their lines stay short. */
const mostColumns = 60

/** Closes the list items whose text starts to the right of a column. */
export function closeItems({ items }: MdxOut, columns: number): void {
  while (items.length > 0 && items.at(-1)! > columns) items.pop()
}

/** Writes a block with `margin` columns of indentation. If it is '', writes only a blank line. */
export function pushBlock(out: MdxOut, block: string, margin: number): void {
  blank(out)
  if (block === '') return
  for (const line of removeBoxMarks(block).split('\n'))
    pushOutputLine(out, ' '.repeat(margin) + line)
  out.lines.push('')
}

/** Starts a box. Returns the line number of its title. */
export function openBox(out: MdxOut, title: string, margin: number): number {
  if (out.lines.length > 0) blank(out)
  pushOutputLine(out, ' '.repeat(margin) + markBoxTitle(title))
  out.lines.push('')
  return out.filled
}

/** Ends the box whose title is at line `title`. An empty box becomes plain text. */
export function closeBox(out: MdxOut, title: number): void {
  if (out.filled === title) out.lines[title] = out.lines[title]!.trimEnd()
  else endBox(out.lines)
}

function blank({ lines }: MdxOut): void {
  if (lines.at(-1)?.trim() !== '') lines.push('')
}
