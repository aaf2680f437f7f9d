import type { ApiCoverage, MissingReason } from '../../api/coverage.ts'
import { formatCount } from '../../platform/text/count.ts'
import { shellWord } from '../../platform/text/shell-word.ts'
import type { Entry, MissingGroup, PublicNames } from '../../store/registry.ts'

/** Limits of the names that the registry stores, because every command reads it. */
const mostGroups = 20
const mostNames = 500
const mostCharacters = 120

/** Groups the missing names by reason and place, largest group first, and limits their number. */
export function summarizeNames({ declared, missing, shortened = [] }: ApiCoverage): PublicNames {
  const byPlace = Map.groupBy(missing, ({ reason, from }) => `${reason} ${placeOf(reason, from)}`)
  const sorted = [...byPlace.values()].sort((a, b) => b.length - a.length)
  // Small groups come first, so that a large one takes only the names that they leave.
  let left = mostNames
  const kept = sorted.slice(0, mostGroups).toReversed()
  const groups = kept.map((all, i): MissingGroup => {
    const { reason, from } = all[0]!
    const most = Math.ceil(left / (kept.length - i))
    const names = all.slice(0, most).map(({ name }) => name.slice(0, mostCharacters))
    left -= names.length
    return { reason, from: placeOf(reason, from), count: all.length, names }
  })
  groups.reverse()
  const names: PublicNames = { declared, missing: missing.length, groups }
  if (shortened.length > 0)
    names.shortened = { count: shortened.length, modules: modulesOf(shortened) }
  return names
}

const mostModules = 10

/** The modules with most of these names. */
function modulesOf(names: readonly string[]): string[] {
  const counts = Map.groupBy(names, (name) => name.replace(/(?:\.|::)[^.:/]*$/, ''))
  const sorted = [...counts].sort(([, a], [, b]) => b.length - a.length)
  return sorted.slice(0, mostModules).map(([name]) => name.slice(0, mostCharacters))
}

/** The files where names should be declared differ; only packages and missing files matter. */
function placeOf(reason: MissingReason, from: string): string {
  return reason === 'dependency' || reason === 'unread' ? from.slice(0, mostCharacters) : ''
}

const mostExamples = 3

/** Formats `41 of 113 public names; missing: 60 without a declaration (McpServer, Client, …)`. */
export function renderNames({ declared, missing, groups, shortened }: PublicNames): string {
  const found =
    `${declared - missing} of ${formatCount(declared, 'public name')}` +
    (shortened === undefined ? '' : `, ${renderShortened(shortened)}`)
  if (missing === 0) return found
  const reasons = groups.map((group) => {
    const names = group.names.slice(0, mostExamples).join(', ')
    const more = group.count > mostExamples ? ', …' : ''
    return `${group.count} ${reasonText(group)} (${names}${more})`
  })
  const counted = groups.reduce((sum, { count }) => sum + count, 0)
  const rest = counted < missing ? [`${missing - counted} for other reasons`] : []
  return `${found}; missing: ${[...reasons, ...rest].join('; ')}`
}

function renderShortened({ count, modules }: NonNullable<PublicNames['shortened']>): string {
  const shown = modules.slice(0, mostExamples).join(', ')
  const more = modules.length > mostExamples ? ', …' : ''
  return `${count} of them with one sentence of documentation (${shown}${more})`
}

/** Formats `72 of 113 names missing`. */
export function missingShare({ declared, missing }: PublicNames): string {
  return `${missing} of ${formatCount(declared, 'name')} missing`
}

/** Says why names are missing: `declared in npm:zod, which was not read`. */
export function reasonText({ reason, from }: Pick<MissingGroup, 'reason' | 'from'>): string {
  switch (reason) {
    case 'dependency':
      return `declared in ${from}, which was not read`
    case 'absent':
      return 'in files that the source lacks'
    case 'unread':
      return `in ${from}, which could not be parsed`
    case 'limit':
      return 'beyond the size limit of an API reference'
    case 'undeclared':
      return 'without a declaration that og finds'
  }
}

/** Returns the command that adds missing names of a group to the index; null if there is none. */
export function addMissingCommand(
  library: string,
  { reason, from }: Pick<MissingGroup, 'reason' | 'from'>,
): string | null {
  const isBuiltIn = /^(?:node|python|rust):/.test(from)
  if (reason === 'dependency') return isBuiltIn ? null : `og add ${shellWord(from)}`
  return reason === 'limit' ? `og add ${shellWord(library)} --api with` : null
}

/** Returns the command for the largest group that has one. */
export function namesRemedy({ library, live: { names } }: Entry): string | null {
  if (names?.shortened) return `og add ${shellWord(library)} --api with`
  for (const group of names?.groups ?? []) {
    const command = addMissingCommand(library, group)
    if (command !== null) return command
  }
  return null
}
