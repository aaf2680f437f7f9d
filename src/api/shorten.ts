import { estimateTokens } from '../platform/tokens.ts'
import type { ApiModule } from './link/link.ts'
import { firstSentence } from './render.ts'
import type { ApiSymbol } from './symbol.ts'

/** `names` lists the symbols whose documentation was reduced to the first sentence. */
export type Shortened = { modules: ApiModule[]; names: string[] }

/** A symbol with its members, or a module's text, with values that determine its importance. */
type Part = { name: string; cost: number; mentions: number; depth: number }

/**
 * Shortens documentation until the modules meet the limits. Keeps every name and signature. Prefers
 * to keep the documentation of names that guides mention, then of modules with short paths.
 * @param tokens limit on documentation tokens after the first sentences
 * @param mentions number of occurrences of each word in guides
 */
export function shortenDocumentation(
  modules: readonly ApiModule[],
  { tokens, mentions }: { tokens: number; mentions: ReadonlyMap<string, number> },
): Shortened {
  const parts = modules.flatMap((module) => partsOf(module, mentions))
  let left = tokens
  const isKept = new Set<string>()
  const names: string[] = []
  for (const { name, cost } of parts.toSorted(byUse)) {
    if (cost <= left) {
      left -= cost
      isKept.add(name)
    } else names.push(name)
  }
  const shortened = modules.map((module) => ({
    ...module,
    documentation: isKept.has(module.name) ? module.documentation : summary(module.documentation),
    symbols: module.symbols.map((it) =>
      isKept.has(it.symbol.qualifiedName) ? it : { ...it, symbol: shortenSymbol(it.symbol) },
    ),
  }))
  return { modules: shortened, names }
}

/** Counts words in guides that may be names. */
export function countMentions(texts: Iterable<string>): Map<string, number> {
  const counts = new Map<string, number>()
  for (const text of texts) {
    for (const [word] of text.matchAll(/[\p{L}_$][\p{L}\p{N}_$]{2,}/gu)) {
      counts.set(word, (counts.get(word) ?? 0) + 1)
    }
  }
  return counts
}

function partsOf(
  { name, documentation, symbols }: ApiModule,
  mentions: ReadonlyMap<string, number>,
): Part[] {
  const depth = name.split(/[.:/]+/).length
  const last = /[^.:/]*$/.exec(name)![0]
  // In a large package, a common word such as `map` occurs in guides for other reasons.
  const mentionsOf = (word: string) => (/^\p{Ll}+$/u.test(word) ? 0 : (mentions.get(word) ?? 0))
  const inModule = mentionsOf(last)
  return [
    { name, cost: costOf(documentation), mentions: inModule, depth },
    ...symbols.map(({ symbol }) => ({
      name: symbol.qualifiedName,
      cost: costOfSymbol(symbol),
      mentions: mentionsOf(symbol.name) || inModule,
      depth: depth + 1,
    })),
  ]
}

function byUse(a: Part, b: Part): number {
  return b.mentions - a.mentions || a.depth - b.depth
}

function costOfSymbol({ documentation, members }: ApiSymbol): number {
  return members.reduce((sum, it) => sum + costOfSymbol(it), costOf(documentation))
}

/** Returns the number of tokens that shortening saves. */
function costOf(documentation: string): number {
  return Math.max(0, estimateTokens(documentation) - estimateTokens(summary(documentation)))
}

function shortenSymbol(symbol: ApiSymbol): ApiSymbol {
  const documentation = summary(symbol.documentation)
  return { ...symbol, documentation, members: symbol.members.map(shortenSymbol) }
}

const mostCharacters = 300

/** Returns the first sentence, followed by `[…]`. */
function summary(documentation: string): string {
  const first = firstSentence(documentation).slice(0, mostCharacters)
  const isWhole = first.length >= documentation.trim().length
  return isWhole ? documentation : `${first} […]`.trim()
}
