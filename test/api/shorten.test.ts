import { expect, test } from 'bun:test'
import { countMentions, shortenDocumentation } from '../../src/api/shorten.ts'
import type { ApiModule } from '../../src/api/link/link.ts'
import type { ApiSymbol } from '../../src/api/symbol.ts'

const long = `Lights it. ${'More words about light. '.repeat(20)}`.trim()

function symbol(qualifiedName: string, members: ApiSymbol[] = []): ApiSymbol {
  const name = qualifiedName.replace(/^.*\./, '')
  const signature = `function ${name}(): void`
  const rest = { line: 1, members, deprecated: null, since: null }
  return { kind: 'function', name, qualifiedName, signature, documentation: long, ...rest }
}

function module(name: string, symbols: ApiSymbol[]): ApiModule {
  const declared = symbols.map((it) => ({ symbol: it, path: 'a.ts' }))
  return { name, path: 'a.ts', documentation: '', symbols: declared, aliases: [], unresolved: [] }
}

const modules = [
  module('lamp', [symbol('lamp.on'), symbol('lamp.dimSlowly')]),
  module('lamp/deep/core', [symbol('lamp/deep/core.trimWick', [symbol('lamp/deep/core.a.b')])]),
]

/** Returns the names that keep their documentation within this many tokens. */
function kept(tokens: number, guide = ''): string[] {
  const mentions = countMentions([guide])
  const { modules: all, names } = shortenDocumentation(modules, { tokens, mentions })
  const symbols = all.flatMap((it) => it.symbols.map((one) => one.symbol))
  expect(symbols.map(({ signature }) => signature)).toHaveLength(3)
  const whole = symbols.filter(({ documentation }) => documentation === long)
  expect(new Set([...whole.map((it) => it.qualifiedName), ...names]).size).toBeGreaterThanOrEqual(3)
  return whole.map(({ qualifiedName }) => qualifiedName)
}

test('keeps the first sentence, the name and the signature of every symbol', () => {
  const { modules: all } = shortenDocumentation(modules, { tokens: 0, mentions: new Map() })
  const [first, , last] = all.flatMap((it) => it.symbols.map((one) => one.symbol))
  expect(first).toMatchObject({ documentation: 'Lights it. […]', signature: 'function on(): void' })
  expect(last!.members[0]!.documentation).toBe('Lights it. […]')
})

test('keeps documentation of names that guides mention, then of names with short paths', () => {
  expect(kept(10_000)).toEqual(['lamp.on', 'lamp.dimSlowly', 'lamp/deep/core.trimWick'])
  expect(kept(400)).toEqual(['lamp.on', 'lamp.dimSlowly'])
  expect(kept(200, 'call dimSlowly() and on')).toEqual(['lamp.dimSlowly'])
  expect(kept(400, 'call trimWick()')).toEqual(['lamp/deep/core.trimWick'])
  expect(kept(0)).toEqual([])
})
