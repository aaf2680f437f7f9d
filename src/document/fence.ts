import { oneLine } from '../platform/text/trim.ts'

/** An open fence: its character, how often it is repeated, and the columns before it. */
export type Fence = { mark: string; length: number; indent: number }

// A list marker may precede the fence: `1. ```sh`. If it were missed, the closing fence would be
// read as an opening one and hide all later headings.
const opening = /^( {0,3}(?:(?:[-*+]|\d{1,9}[.)])[ \t]{1,4}){0,3} {0,3})(`{3,}|~{3,})/

/** Reads the fence that a line of Markdown opens, or returns null. */
export function parseFence(line: string): Fence | null {
  const [whole, before, run] = opening.exec(line) ?? []
  if (whole === undefined || before === undefined || run === undefined) return null
  if (run[0] === '`' && line.includes('`', whole.length)) return null
  return { mark: run[0] ?? '', length: run.length, indent: before.length }
}

/** True if a line closes the fence: it contains only the fence's character, at least as often. */
export function closesFence({ mark, length, indent }: Fence, line: string): boolean {
  const run = line.trim()
  if (run.length < length || run[0] !== mark || run.replaceAll(mark, '') !== '') return false
  // In a list, the closing fence is indented like the item's text.
  return line.length - line.trimStart().length <= indent + 3
}

/** Returns the fence that is open after a line; `fence` is open before it. */
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

/** Encloses code in a fence longer than any inside it; returns '' for blank code. */
export function fenceCode(code: string, language: string): string {
  const source = code.replace(/^(?:[ \t]*\n)+/, '').trimEnd()
  if (source === '') return ''
  let length = 3
  for (const [run] of source.matchAll(/`{3,}/g)) length = Math.max(length, run.length + 1)
  const fence = '`'.repeat(length)
  return `${fence}${language}\n${source}\n${fence}`
}

/** Writes code as a code span on one line; returns '' for blank code. */
export function codeSpan(code: string): string {
  const source = oneLine(code)
  if (source === '') return ''
  let length = 1
  for (const [run] of source.matchAll(/`+/g)) length = Math.max(length, run.length + 1)
  const ticks = '`'.repeat(length)
  return length === 1 ? `\`${source}\`` : `${ticks} ${source} ${ticks}`
}
