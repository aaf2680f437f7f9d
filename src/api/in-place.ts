import type { FoundSymbol } from './find-python.ts'
import { languages } from './language.ts'
import { type ApiStyle, membersText, pagedKinds, symbolText } from './render.ts'
import type { ApiSymbol } from './symbol.ts'

/** The members that a documentation directive selects. */
export type MemberChoice = {
  /** Names of members, or a selection rule. */
  members: readonly string[] | 'documented' | 'all' | 'none'
  excluded: ReadonlySet<string>
  hasInherited: boolean
}

/** Returns the selected members in the order of the list or of the source. */
export function chosenMembers(
  { symbol, inherited }: FoundSymbol,
  { members, excluded, hasInherited }: MemberChoice,
): ApiSymbol[] {
  if (members === 'none') return []
  const isListed = typeof members !== 'string'
  const all = [...symbol.members, ...(hasInherited || isListed ? inherited : [])]
  const possible = all.filter(({ name }) => !excluded.has(name))
  if (isListed) {
    const byName = new Map(possible.map((it) => [it.name, it]))
    return members.flatMap((name) => byName.get(name) ?? [])
  }
  const shown = possible.filter((it) => python.isShown(it))
  return members === 'all' ? shown : shown.filter(isDocumented)
}

const { style: python } = languages.python

function isDocumented({ documentation, members }: ApiSymbol): boolean {
  return documentation !== '' || members.some(isDocumented)
}

/** Renders an object as Markdown. `level` is the level of its heading. */
export function placedMarkdown(
  found: FoundSymbol,
  { style = python, ...placing }: Omit<Placing, 'style'> & { style?: ApiStyle },
): string {
  const { symbol } = found
  const { choice, level } = placing
  const text = [`${marks(level)} \`${symbol.qualifiedName}\``, ...symbolText(symbol, { style })]
  return [...text, ...memberBlocks(chosenMembers(found, choice), { ...placing, style })]
    .filter((part) => part !== '')
    .join('\n\n')
}

type Placing = { choice: MemberChoice; level: number; style: ApiStyle }

/** Renders simple values as a list, then the other members as sections. */
export function memberBlocks(members: ApiSymbol[], { choice, level, style }: Placing): string[] {
  const isClass = (it: ApiSymbol) => pagedKinds.has(it.kind) && it.members.length > 0
  const simple = members.filter((it) => !isClass(it))
  const text = membersText(simple, {
    title: 'Attributes',
    style,
    headingOf: ({ name }) => `${marks(level + 1)} \`${name}\``,
  })
  // A list of names applies only to the object itself, not to inner classes.
  const rule = typeof choice.members === 'string' ? choice.members : 'documented'
  const inner = members.filter(isClass).map((symbol) => {
    const own = { ...choice, members: rule }
    const found = { symbol, inherited: [], docstring: null }
    return placedMarkdown(found, { choice: own, level: level + 1, style })
  })
  return [...text, ...inner]
}

function marks(level: number): string {
  return '#'.repeat(Math.min(6, Math.max(1, level)))
}
