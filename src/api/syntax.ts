import type { SyntaxNode } from '@lezer/common'

export type TextOf = (node: { from: number; to: number }) => string

export function childrenOf(node: SyntaxNode): SyntaxNode[] {
  const children: SyntaxNode[] = []
  for (let child = node.firstChild; child !== null; child = child.nextSibling) children.push(child)
  return children
}

/** Returns a function that maps an offset to a 1-based line number. */
export function lineFinder(text: string): (offset: number) => number {
  const starts = [0]
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return (offset) => {
    let [low, high] = [0, starts.length]
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if (starts[middle]! <= offset) low = middle
      else high = middle
    }
    return low + 1
  }
}

/** Puts source text on one line. Collapses white space, even in strings. */
export function onOneLine(code: string): string {
  return code.trim().replace(/,?\s+/g, (blank, at: number, all: string) => {
    const isBroken = blank.includes('\n')
    if (isBroken && '(['.includes(all[at - 1] ?? ' ')) return ''
    if (isBroken && ')]'.includes(all[at + blank.length] ?? ' ')) return ''
    return blank.startsWith(',') ? ', ' : ' '
  })
}

/** Formats a bracketed list on one line or, if it is too long, with one item per line. */
export function formatBracketedList(head: string, items: readonly string[], tail: string): string {
  const line = `${head}(${items.join(', ')})${tail}`
  if (line.length <= mostColumns || items.length === 0) return line
  return `${head}(\n${items.map((item) => `    ${item},\n`).join('')})${tail}`
}

const mostColumns = 88

/** Returns the source text of a default value, truncated if it is long. */
export function truncateCode(code: string, most = 120): string {
  const line = onOneLine(code)
  return line.length <= most ? line : `${line.slice(0, most - 1).trimEnd()}…`
}

/** Returns code on one line without comments or the final semicolon. */
export function codeWithoutComments(code: string): string {
  const bare = /\/[/*]/.test(code)
    ? code.replace(/"(?:[^"\\\n]|\\.)*"|\/\/.*$|\/\*[^]*?\*\//gm, (it) =>
        it[0] === '/' ? ' ' : it,
      )
    : code
  return onOneLine(bare).replace(/;$/, '').trim()
}

/**
 * Splits a long parameter list into one parameter per line. Returns null if there are no
 * parameters.
 */
export function breakParameters(code: string): { code: string; items: string[] } | null {
  // In C, the name of a function pointer is in parentheses too.
  const open = code.search(/\((?!\s*[*^])/)
  const items: string[] = []
  let depth = 0
  let angles = 0
  let from = open + 1
  for (let at = open; at >= 0 && at < code.length; at++) {
    const sign = code[at]!
    if ('(['.includes(sign)) depth++
    else if (')]'.includes(sign)) depth--
    if (sign === '<' && /\w/.test(code[at - 1]!)) angles++
    else if (sign === '>' && angles > 0 && !/[=-]/.test(code[at - 1]!)) angles--
    if (depth > 1 || (depth === 1 && (sign !== ',' || angles > 0))) continue
    const item = code.slice(from, at).trim()
    if (item !== '') items.push(item)
    from = at + 1
    if (depth === 0) {
      const list = formatBracketedList(code.slice(0, open), items, code.slice(at + 1))
      return { code: list, items }
    }
  }
  return null
}
