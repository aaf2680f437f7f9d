/** A Julia string literal. `body` is its source text, and `end` the offset after it. */
export type JuliaString = { body: string; isTriple: boolean; isRaw: boolean; end: number }

/** Parses the string literal at an offset, with or without a prefix such as `raw`. */
export function stringAt(text: string, at: number): JuliaString | null {
  opening.lastIndex = at
  const [whole, prefix = '', quote] = opening.exec(text) ?? []
  if (whole === undefined || quote === undefined) return null
  const start = at + whole.length
  const isRaw = prefix !== ''
  const close = closingQuote(text, start, { quote, isRaw })
  const body = text.slice(start, close)
  return { body, isTriple: quote.length === 3, isRaw, end: close + quote.length }
}

const opening = /([\p{L}_][\p{L}\p{N}_!]{0,30})?("""|")/uy

function closingQuote(
  text: string,
  start: number,
  { quote, isRaw }: { quote: string; isRaw: boolean },
): number {
  // Tracks only the parentheses of interpolated code, which can contain quotes.
  let depth = 0
  for (let at = start; at < text.length; at++) {
    const sign = text[at]
    if (sign === '\\') at++
    else if (!isRaw && sign === '(' && (depth > 0 || text[at - 1] === '$')) depth++
    else if (sign === ')' && depth > 0) depth--
    else if (sign === '\n' && quote === '"' && depth > 0) depth = 0
    else if (depth === 0 && sign === '"' && text.startsWith(quote, at)) return at
  }
  return text.length
}

/**
 * Returns the value of a literal. `resolve` returns the value of an interpolated expression, or
 * null to keep the expression.
 */
export function stringValue(
  { body, isTriple, isRaw }: Omit<JuliaString, 'end'>,
  resolve: (expression: string) => string | null,
): string {
  const text = isTriple ? withoutMargin(body) : body
  if (isRaw) return text.replaceAll('\\"', '"')
  return text.replace(special, (whole, ...groups) => {
    const [sign, name, expression] = groups as (string | undefined)[]
    if (sign !== undefined) return escapes[sign] ?? sign
    return resolve((name ?? expression ?? '').trim()) ?? whole
  })
}

const special = /\\([^])|\$(?:([A-Za-z_]\w*)|\(([^()\n]{1,200}(?:\([^()\n]{0,200}\))?)\))/g
const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '', '\n': '' }

/** Removes the first line break and the common indentation of a block string. */
function withoutMargin(body: string): string {
  const lines = body.replace(/^\n/, '').split('\n')
  const widths = lines.map((line, at) =>
    line.trim() === '' && at < lines.length - 1 ? Infinity : line.length - line.trimStart().length,
  )
  const margin = widths.reduce((least, width) => Math.min(least, width), Infinity)
  return Number.isFinite(margin) ? lines.map((line) => line.slice(margin)).join('\n') : body
}
