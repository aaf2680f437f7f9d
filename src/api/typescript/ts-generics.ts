import type { SyntaxNode } from '@lezer/common'
import { onOneLine, type TextOf } from '../syntax.ts'

/**
 * Replaces the type parameters of call signatures (`<T>(a: T): void` in an interface) by spaces,
 * because the grammar does not know them. Offsets stay the same. JSX looks alike, so a file with
 * closing tags is returned unchanged.
 */
export function withoutCallGenerics(text: string): string {
  if (text.includes('</')) return text
  let masked = ''
  let copied = 0
  for (const { index } of text.matchAll(/^[ \t]*(?=<)/gm)) {
    const start = text.indexOf('<', index)
    const end = start < copied ? -1 : closingAngle(text, start)
    if (end < 0 || !/^\s*\(/.test(text.slice(end, end + 20))) continue
    masked += text.slice(copied, start) + text.slice(start, end).replace(/[^\n]/g, ' ')
    copied = end
  }
  return masked + text.slice(copied)
}

const longest = 2000

/** The offset behind the `>` that closes the `<` at `start`; -1: there is none near. */
function closingAngle(text: string, start: number): number {
  let depth = 0
  for (let at = start; at < Math.min(text.length, start + longest); at++) {
    if (text[at] === '<') depth++
    else if (text[at] === '>' && text[at - 1] !== '=' && --depth === 0) return at + 1
    else if (text[at] === ';') return -1
  }
  return -1
}

/** The type parameters before a call signature. */
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
