import type { ApiSymbol, FileOutline } from '../symbol.ts'
import { qualified, type ApiModule, type DeclaredSymbol } from './link.ts'
import type { MissingName } from './unresolved.ts'

/** Returns the packages of a Java module. Each file declares its package. */
export function resolveJavaPackages(
  outlines: ReadonlyMap<string, FileOutline>,
  pathOf: (path: string) => string,
): ApiModule[] {
  const files = [...outlines].filter(([, { packageName = '' }]) => !internal.test(packageName))
  const packages = Map.groupBy(files, ([, { packageName = '' }]) => packageName)
  return [...packages].flatMap(([name, own]) => {
    const described = own.find(([, { documentation }]) => documentation !== '')
    const symbols = own.flatMap(([path, { symbols: all, exported }]): DeclaredSymbol[] => {
      const names = new Set(exported?.map((it) => it.name))
      const visible = all.filter((it) => names.has(it.name))
      return visible.map((symbol) => ({ symbol, path: pathOf(path) }))
    })
    const hidden = hiddenTypes(own.map(([, outline]) => outline))
    const documentation = described?.[1].documentation ?? ''
    const unresolved = own.flatMap(([path, { failure }]) => unreadType(pathOf(path), failure))
    if (symbols.length === 0 && documentation === '' && unresolved.length === 0) return []
    return [
      {
        name,
        path: pathOf((described ?? own[0]!)[0]),
        documentation,
        symbols: symbols.map(({ symbol, path }) => ({
          symbol: qualified(withHiddenMembers(symbol, hidden), name, { separator: '.' }),
          path,
        })),
        aliases: [],
        unresolved,
      },
    ]
  })
}

/** Reports the type in an unreadable file, which has the name of the file. */
function unreadType(from: string, failure: string | undefined): MissingName[] {
  const [, name = from] = /([^/]+)\.java$/.exec(from) ?? []
  return failure === undefined ? [] : [{ name, reason: 'unread', from }]
}

/** Names of packages that are not for users. */
const internal = /(^|\.)(?:internal|shaded|relocated)(\.|$)/

/** Returns the types that only their own package can see. */
function hiddenTypes(outlines: FileOutline[]): Map<string, ApiSymbol> {
  const hidden = outlines.flatMap(({ symbols, exported }) => {
    const names = new Set(exported?.map((it) => it.name))
    return symbols.filter(({ name }) => !names.has(name))
  })
  return new Map(hidden.map((symbol) => [symbol.name, symbol]))
}

const longestChain = 20

/** Returns a copy that also contains the members of hidden base classes. */
function withHiddenMembers(symbol: ApiSymbol, hidden: ReadonlyMap<string, ApiSymbol>): ApiSymbol {
  const members = new Map(symbol.members.map((it) => [it.name, it]))
  const bases = [...(symbol.bases ?? [])]
  for (let at = 0; at < bases.length && at < longestChain; at++) {
    const base = hidden.get(bases[at]!)
    if (base === undefined) continue
    for (const it of base.members) {
      if (it.name !== base.name && !members.has(it.name)) members.set(it.name, it)
    }
    bases.push(...(base.bases ?? []))
  }
  return { ...symbol, members: [...members.values()], bases }
}
