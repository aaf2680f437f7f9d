import { replaceOutsideCode } from './code-span.ts'
import { closesFence, fenceAfter, parseFence, type Fence } from './fence.ts'

type LineRules = {
  /** Returns the replacement for a line outside fences, or null to remove it. */
  prose(line: string): string | null
  /** Returns the replacement for the opening line of a fence. `options` is the rest of the line. */
  opening?(line: string, options: string): string
  /** Returns the replacement for a line in a fence, or null to remove it. */
  code?(line: string, options: string): string | null
}

/** Rewrites Markdown line by line. Fences can be indented by any multiple of four columns. */
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

/** Rewrites each part of Markdown between fences as a whole. */
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

/** A construct of a Markdown dialect in a line of prose, outside code spans. */
export type Mark = {
  /** Only lines that match this pattern are searched. */
  in?: RegExp
  open: RegExp
  /** The replacement, with `$1` for a group. A function can return null to keep the text. */
  becomes: string | ((match: RegExpExecArray) => string | null)
}

/** Replaces the marks in a line, one kind after another. */
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
