import type { ApiSymbol, MemberType } from '../symbol.ts'
import type { ExportFinder, SourceModule } from './link.ts'

/** Maximum number of aliases that are followed. */
const longestChain = 3

/**
 * Returns the types that give their members to a symbol, with these members. Methods are left out,
 * because they have their own entries.
 */
export function resolveMemberTypes(
  { symbol, module }: { symbol: ApiSymbol; module: SourceModule },
  targetOf: ExportFinder['targetOf'],
  depth = 0,
): MemberType[] {
  if (depth > longestChain) return []
  return (symbol.memberTypes ?? []).flatMap((type): MemberType[] => {
    const target = targetOf(module, type.name, 0)
    if (!target?.symbol || target.symbol === symbol) return []
    const { members, signature } = target.symbol
    const inner = resolveMemberTypes({ ...target, symbol: target.symbol }, targetOf, depth + 1)
    const all = [...members, ...inner.flatMap((it) => it.members)].filter(
      ({ kind, name }) =>
        kind !== 'method' && !type.omitted.includes(name) && (type.picked?.includes(name) ?? true),
    )
    const declaration = signature.split('\n', 1)[0]!
    const name = declaration.includes(' = ') ? target.symbol.name : declaration
    return all.length === 0 ? [] : [{ ...type, name, members: all }]
  })
}
