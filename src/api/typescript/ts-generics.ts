import type { SyntaxNode } from '@lezer/common'
import { onOneLine, type TextOf } from '../syntax.ts'
import { commentRuns } from './ts-comment.ts'

/**
 * Blanks type parameters of call signatures, such as `<T>(a: T): void` in an interface, because the
 * grammar does not support them. Keeps offsets. Returns a file with closing tags outside comments
 * unchanged, because JSX looks similar.
 */
export function maskCallGenerics(text: string): string {
  if (text.includes('</') && text.replace(commentRuns, '').includes('</')) return text
  let masked = ''
  let copied = 0
  for (const { index } of text.matchAll(/(?:^[ \t]*|\bnew\s*)(?=<)/gm)) {
    const start = text.indexOf('<', index)
    const end = start < copied ? -1 : closingAngle(text, start)
    if (end < 0 || !/^\s*\(/.test(text.slice(end, end + 20))) continue
    masked += text.slice(copied, start) + text.slice(start, end).replace(/[^\n]/g, ' ')
    copied = end
  }
  return masked + text.slice(copied)
}

const longest = 2000

/** Returns the offset after the `>` that closes the `<` at `start`, or -1 if it is too far away. */
function closingAngle(text: string, start: number): number {
  let depth = 0
  for (let at = start; at < Math.min(text.length, start + longest); at++) {
    if (text[at] === '<') depth++
    else if (text[at] === '>' && text[at - 1] !== '=' && --depth === 0) return at + 1
    else if (text[at] === ';') return -1
  }
  return -1
}

/** Returns the type parameters before a call signature. */
export function callGenericsBefore(node: SyntaxNode, textOf: TextOf): string {
  const before = textOf({ from: Math.max(0, node.from - longest), to: node.from }).trimEnd()
  if (!before.endsWith('>')) return ''
  let depth = 0
  for (let at = before.length - 1; at >= 0; at--) {
    if (before[at] === '>' && before[at - 1] !== '=') depth++
    else if (before[at] === '<' && --depth === 0) return onOneLine(before.slice(at))
  }
  return ''
}
