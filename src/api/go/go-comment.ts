import { withoutBlankEnds } from '../docstring/indent.ts'

/** A documentation comment as Markdown. */
export type GoComment = { text: string; deprecated: string | null }

/** Parses the lines of a comment, with their marks. Indented lines are code. */
export function goComment(lines: readonly string[]): GoComment {
  const plain = lines.map((line) =>
    line
      .replace(/^\s*(?:\/\/|\/\*)/, '')
      .replace(/\*\/\s*$/, '')
      .trimEnd(),
  )
  const shown = plain.filter((line) => !/^(go|nolint|lint|line|export)[: ]\S/.test(line))
  const output: string[] = []
  for (let at = 0; at < shown.length; ) {
    const line = shown[at]!
    if (!/^(\t| {2,})\S/.test(line) || /^ {2,}(?:[-*+•]|\d+[.)]) /.test(line)) {
      output.push(line.replace(/^ /, ''))
      at++
      continue
    }
    let end = at
    while (end < shown.length && /^(\t| {2,}|$)/.test(shown[end]!)) end++
    const code = withoutBlankEnds(shown.slice(at, end).map((it) => it.replace(/^(\t| {2,4})/, '')))
    output.push('```go', ...code, '```', '')
    at = end
  }
  const paragraphs = withoutBlankEnds(output)
    .join('\n')
    .split(/\n{2,}/)
  const notice = paragraphs.find((it) => it.startsWith('Deprecated:'))
  const deprecated = notice?.slice('Deprecated:'.length).replace(/\s+/g, ' ').trim() ?? null
  return { text: paragraphs.filter((it) => it !== notice).join('\n\n'), deprecated }
}
