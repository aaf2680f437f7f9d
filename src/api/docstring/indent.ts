/** The number of leading spaces of a line. */
export function indentOf(line: string): number {
  let at = 0
  while (line[at] === ' ') at++
  return at
}

/**
 * The lines of a documentation comment without the indentation that all lines but the first share,
 * and without spaces at their ends.
 */
export function dedent(text: string): string[] {
  const [first = '', ...rest] = text
    .replaceAll('\t', '        ')
    .split('\n')
    .map((line) => line.trimEnd())
  const margin = Math.min(...rest.filter((line) => line !== '').map(indentOf))
  return [first.trim(), ...rest.map((line) => line.slice(Math.min(margin, line.length)))]
}

export function trimBlankLines(lines: string[]): string[] {
  let [from, to] = [0, lines.length]
  while (from < to && lines[from] === '') from++
  while (to > from && lines[to - 1] === '') to--
  return lines.slice(from, to)
}
