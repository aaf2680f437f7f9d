import { indentColumns } from '../../document/block-lines.ts'
import { markBoxTitle, endBox, removeBoxMarks } from '../../document/box.ts'

/** Markdown output, line by line. */
export type MdxOut = {
  lines: string[]
  /** Index of the last non-blank line; -1 if there is none. */
  filled: number
  /** Columns at which the text of the open list items begins, outermost first. */
  items: number[]
}

export function pushOutputLine(out: MdxOut, line: string): void {
  if (line.trim() !== '') out.filled = out.lines.length
  out.lines.push(line)
}

/** Writes a line of text, which may begin a list item. */
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

/** Deeper list items are not tracked, so that the lines in them stay short. */
const mostColumns = 60

/** Closes the list items whose text begins to the right of a column. */
export function closeItems({ items }: MdxOut, columns: number): void {
  while (items.length > 0 && items.at(-1)! > columns) items.pop()
}

/** Writes a block, indented by `margin` columns; for '', only a blank line. */
export function pushBlock(out: MdxOut, block: string, margin: number): void {
  blank(out)
  if (block === '') return
  for (const line of removeBoxMarks(block).split('\n'))
    pushOutputLine(out, ' '.repeat(margin) + line)
  out.lines.push('')
}

/** Begins a box. Returns the line number of its title. */
export function openBox(out: MdxOut, title: string, margin: number): number {
  if (out.lines.length > 0) blank(out)
  pushOutputLine(out, ' '.repeat(margin) + markBoxTitle(title))
  out.lines.push('')
  return out.filled
}

/** Ends the box whose title is at line `title`. An empty box becomes a plain title. */
export function closeBox(out: MdxOut, title: number): void {
  if (out.filled === title) out.lines[title] = out.lines[title]!.trimEnd()
  else endBox(out.lines)
}

function blank({ lines }: MdxOut): void {
  if (lines.at(-1)?.trim() !== '') lines.push('')
}
