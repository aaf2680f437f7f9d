import { oneLine } from '../platform/text/trim.ts'

/** An open fence: its character, its length, and the columns before it. */
export type Fence = { mark: string; length: number; indent: number }

// A list marker may precede a fence, as in `1. ```sh`. Without this, the closing fence would count
// as an opening one and hide all later headings.
const opening = /^( {0,3}(?:(?:[-*+]|\d{1,9}[.)])[ \t]{1,4}){0,3} {0,3})(`{3,}|~{3,})/

/** Returns the fence that a Markdown line opens, or null. */
export function parseFence(line: string): Fence | null {
  const [whole, before, run] = opening.exec(line) ?? []
  if (whole === undefined || before === undefined || run === undefined) return null
  if (run[0] === '`' && line.includes('`', whole.length)) return null
  return { mark: run[0] ?? '', length: run.length, indent: before.length }
}

/** True if a line contains only the fence's character, at least as often as the opening line. */
export function closesFence({ mark, length, indent }: Fence, line: string): boolean {
  const run = line.trim()
  if (run.length < length || run[0] !== mark || run.replaceAll(mark, '') !== '') return false
  // In a list, the closing fence is indented like the item's text.
  return line.length - line.trimStart().length <= indent + 3
}

/** Returns the open fence after a line; `fence` is the open fence before it. */
export function fenceAfter(line: string, fence: Fence | null): Fence | null {
  if (fence === null) return parseFence(line)
  return closesFence(fence, line) ? null : fence
}

export function withoutFences(text: string): string {
  const prose: string[] = []
  let fence: Fence | null = null
  for (const line of text.split('\n')) {
    if (fence !== null) fence = closesFence(fence, line) ? null : fence
    else if ((fence = parseFence(line)) === null) prose.push(line)
  }
  return prose.join('\n')
}

/** Encloses code in a fence that is longer than any fence in it. Returns '' for blank code. */
export function fenceCode(code: string, language: string): string {
  const source = code.replace(/^(?:[ \t]*\n)+/, '').trimEnd()
  if (source === '') return ''
  let length = 3
  for (const [run] of source.matchAll(/`{3,}/g)) length = Math.max(length, run.length + 1)
  const fence = '`'.repeat(length)
  return `${fence}${language}\n${source}\n${fence}`
}

/** Formats code as a one-line code span. Returns '' for blank code. */
export function codeSpan(code: string): string {
  const source = oneLine(code)
  if (source === '') return ''
  let length = 1
  for (const [run] of source.matchAll(/`+/g)) length = Math.max(length, run.length + 1)
  const ticks = '`'.repeat(length)
  return length === 1 ? `\`${source}\`` : `${ticks} ${source} ${ticks}`
}
