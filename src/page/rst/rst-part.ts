import { indentColumns } from '../../document/block-lines.ts'

/**
 * The lines from `from` to `to` (exclusive) of the whole text, each without its first `cut`
 * characters. Avoids a copy of the lines for each nested directive.
 */
export type RstPart = { lines: readonly string[]; from: number; to: number; cut: number }

export function lineOf({ lines, cut }: RstPart, at: number): string {
  const line = lines[at] ?? ''
  return cut === 0 ? line : line.slice(cut)
}

export function linesOf(part: RstPart): string[] {
  const { lines, from, to, cut } = part
  return cut === 0 ? lines.slice(from, to) : lines.slice(from, to).map((line) => line.slice(cut))
}

/** The end of the lines that are indented more than line `at`, without trailing blank lines. */
export function bodyEnd(part: RstPart, at: number): number {
  const column = indentColumns(lineOf(part, at))
  let end = at + 1
  for (let to = end; to < part.to; to++) {
    const columns = indentColumns(lineOf(part, to))
    if (columns !== Infinity && columns <= column) break
    if (columns !== Infinity) end = to + 1
  }
  return end
}

/** A part without the indentation shared by all its lines; empty if all lines are blank. */
export function dedent(part: RstPart): RstPart {
  let least = Infinity
  for (let at = part.from; at < part.to; at++) {
    const line = lineOf(part, at)
    const text = line.trimStart()
    if (text !== '') least = Math.min(least, line.length - text.length)
  }
  return least === Infinity ? { ...part, to: part.from } : { ...part, cut: part.cut + least }
}
