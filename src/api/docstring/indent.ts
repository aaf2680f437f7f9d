export function indentOf(line: string): number {
  let at = 0
  while (line[at] === ' ') at++
  return at
}

/**
 * Returns the lines of a documentation comment. Removes trailing spaces, and the indentation that
 * all lines except the first share.
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

/**
 * Returns the lines of a block comment without comment marks or leading stars. If the first line
 * and most others have no star, stars are kept, because they are text.
 */
export function commentLines(comment: string): string[] {
  const body = comment.replace(/^\/\*[*!]?/, '').replace(/\*\/$/, '')
  const [first = '', ...others] = body.split('\n')
  const filled = others.filter((line) => line.trim() !== '')
  const hasStar = (line: string) => line.trimStart().startsWith('*')
  const isStarred =
    filled.slice(0, 1).some(hasStar) || 2 * filled.filter(hasStar).length > filled.length
  const rest = isStarred ? others.map(withoutStar) : others
  return dedent([first.trim(), ...rest].join('\n'))
}

function withoutStar(line: string): string {
  const text = line.trimStart()
  return text.startsWith('*') ? text.slice(1).replace(/^ /, '') : line
}
