import type { ApiSymbol } from './symbol.ts'

/** The documentation of overloads. Each text has a list of signatures. */
export type OverloadTexts = Map<string, string[]>

export function addOverloadText(
  texts: OverloadTexts,
  { name, signature, documentation }: ApiSymbol,
): void {
  if (documentation === '') return
  const start = signature.indexOf(`${name}(`)
  const end = signature.lastIndexOf(')')
  const head = start < 0 || end < start ? name : signature.slice(start, end + 1)
  texts.getOrInsert(documentation, []).push(head)
}

/** Returns the first text, then each further text below its signatures. */
export function joinOverloadTexts(texts: OverloadTexts): string {
  const parts = [...texts].map(([text, heads], at) =>
    at === 0 ? text : `${heads.map((head) => `**\`${head}\`**`).join(', ')}\n\n${text}`,
  )
  return parts.join('\n\n')
}

/**
 * Merges overloads into one symbol with all signatures. The first paragraph describes the symbol.
 * Each further text follows the signatures that it describes.
 */
export function mergeOverloads(symbols: ApiSymbol[]): ApiSymbol[] {
  const byName = new Map<string, Overloads>()
  const all: Overloads[] = []
  for (const symbol of symbols) {
    const before = symbol.kind === 'method' ? byName.get(symbol.name) : undefined
    if (before === undefined) {
      const own = { symbol: { ...symbol }, texts: new Map() }
      if (symbol.kind === 'method') byName.set(symbol.name, own)
      all.push(own)
      addOverloadText(own.texts, symbol)
      continue
    }
    before.symbol.signature += `\n${symbol.signature}`
    addOverloadText(before.texts, symbol)
    // A name is deprecated only if all its overloads are.
    if (symbol.deprecated === null) before.symbol.deprecated = null
    before.symbol.since ??= symbol.since
  }
  return all.map(({ symbol, texts }) => ({ ...symbol, documentation: joinOverloadTexts(texts) }))
}

type Overloads = { symbol: ApiSymbol; texts: OverloadTexts }
