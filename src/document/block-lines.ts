/** Returns a line's indentation in columns; a tab counts as four. Infinity for blank lines. */
export function indentColumns(line: string): number {
  const text = line.trimStart()
  if (text === '') return Infinity
  const before = line.slice(0, line.length - text.length)
  return before.includes('\t') ? before.replaceAll('\t', '    ').length : before.length
}

/** Removes up to `columns` columns of indentation from a line. */
export function removeIndent(line: string, columns: number): string {
  if (columns === 0) return line
  const expanded = line.startsWith('\t') ? line.replace(/^[ \t]+/, tabsAsSpaces) : line
  let at = 0
  while (at < columns && expanded[at] === ' ') at++
  return expanded.slice(at)
}

function tabsAsSpaces(before: string): string {
  return before.replaceAll('\t', '    ')
}

/** Converts `code-block` to `Code block`. */
export function toTitle(name: string): string {
  const words = name.replaceAll(/[-_]+/g, ' ').trim()
  return words.slice(0, 1).toUpperCase() + words.slice(1)
}

/** Appends lines one by one: `push(...lines)` fails with a million arguments. */
export function appendLines(out: string[], lines: Iterable<string>): void {
  for (const line of lines) out.push(line)
}
