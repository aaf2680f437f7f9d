import { replaceOutsideCode } from './code-span.ts'
import { closesFence, fenceAfter, parseFence, type Fence } from './fence.ts'

type LineRules = {
  /** Returns the replacement of a line outside fences; null removes the line. */
  prose(line: string): string | null
  /** The same for the opening line of a fence. `options` is the text after the fence mark. */
  opening?(line: string, options: string): string
  /** The same for a line inside a fence. */
  code?(line: string, options: string): string | null
}

/** Rewrites Markdown line by line. Fences may be indented by any multiple of four columns. */
export function rewriteMarkdown(text: string, { prose, opening, code }: LineRules): string {
  const out: string[] = []
  let fence: Fence | null = null
  let options = ''
  const put = (line: string | null) => {
    if (line !== null) out.push(line)
  }
  for (const line of text.split('\n')) {
    const bare = line.replace(/^(?: {4})+/, '')
    if (fence !== null) {
      const isEnd = closesFence(fence, bare)
      put(isEnd || code === undefined ? line : code(line, options))
      if (isEnd) fence = null
      continue
    }
    fence = parseFence(bare)
    if (fence === null) put(prose(line))
    else {
      options = bare.replace(/^[^`~]*[`~]+/, '').trim()
      put(opening === undefined ? line : opening(line, options))
    }
  }
  return out.join('\n')
}

/** Rewrites the text between the fences of Markdown, each part as a whole. */
export function rewriteProse(text: string, rewrite: (prose: string) => string): string {
  const out: string[] = []
  let prose: string[] = []
  let fence: Fence | null = null
  const endProse = () => {
    if (prose.length > 0) out.push(rewrite(prose.join('\n')))
    prose = []
  }
  for (const line of text.split('\n')) {
    const bare = line.replace(/^(?: {4})+/, '')
    const before: Fence | null = fence
    fence = fenceAfter(bare, fence)
    if (before === null && fence === null) prose.push(line)
    else {
      endProse()
      out.push(line)
    }
  }
  endProse()
  return out.join('\n')
}

/** A mark of a dialect in a line of prose, outside code spans. */
export type Mark = {
  /** Only lines that match it contain the mark. */
  in?: RegExp
  open: RegExp
  /** The replacement, with `$1` for a group; a function may return null to keep the mark. */
  becomes: string | ((match: RegExpExecArray) => string | null)
}

/** Replaces the marks in a line, one kind after the other. */
export function withMarks(line: string, marks: readonly Mark[]): string {
  return marks.reduce((result, { in: sign, open, becomes }) => {
    if (!(sign ?? open).test(result)) return result
    return replaceOutsideCode(result, open, (match) =>
      typeof becomes === 'function'
        ? becomes(match)
        : becomes.replace(/\$(\d)/g, (_, group) => match[Number(group)] ?? ''),
    )
  }, line)
}
