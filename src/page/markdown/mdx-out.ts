import { columnsBefore } from '../block-lines.ts'
import { asBoxTitle, endBox, withoutMarks } from '../box.ts'

/** Markdown as it is written, line by line. */
export type MdxOut = {
  lines: string[]
  /** The last line that is not blank; -1 before the first. */
  filled: number
  /** The columns of the text of the list items that are open, outer ones first. */
  items: number[]
}

export function push(out: MdxOut, line: string): void {
  if (line.trim() !== '') out.filled = out.lines.length
  out.lines.push(line)
}

/** Writes a line of text, which may begin an item of a list. */
export function pushText(out: MdxOut, line: string): void {
  const columns = columnsBefore(line)
  if (columns !== Infinity) {
    leaveItems(out, columns)
    const mark = itemMark.exec(line)?.[0].length ?? Infinity
    if (mark <= mostColumns) out.items.push(mark)
  }
  push(out, line)
}

const itemMark = /^ *(?:[-*+]|\d{1,9}[.)]) {1,4}(?=\S)/

/** Items deeper than this are not followed, so that what is written in them stays short. */
const mostColumns = 60

/** Ends the items of lists whose text begins behind this column. */
export function leaveItems({ items }: MdxOut, columns: number): void {
  while (items.length > 0 && items.at(-1)! > columns) items.pop()
}

/** Writes a block of its own, with so many columns before it; '' leaves a blank line. */
export function pushBlock(out: MdxOut, block: string, margin: number): void {
  blank(out)
  if (block === '') return
  for (const line of withoutMarks(block).split('\n')) push(out, ' '.repeat(margin) + line)
  out.lines.push('')
}

/** Begins a box. Returns the line of its title. */
export function openBox(out: MdxOut, title: string, margin: number): number {
  if (out.lines.length > 0) blank(out)
  push(out, ' '.repeat(margin) + asBoxTitle(title))
  out.lines.push('')
  return out.filled
}

/** Ends the box with its title at a line. One that holds nothing is its title alone. */
export function closeBox(out: MdxOut, title: number): void {
  if (out.filled === title) out.lines[title] = out.lines[title]!.trimEnd()
  else endBox(out.lines)
}

function blank({ lines }: MdxOut): void {
  if (lines.at(-1)?.trim() !== '') lines.push('')
}
