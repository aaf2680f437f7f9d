import type { ApiCoverage } from '../../api/coverage.ts'
import { formatCount } from '../../platform/text/count.ts'
import { shellWord } from '../../platform/text/shell-word.ts'
import type { Entry, MissingGroup, PublicNames, LeftoverCounts } from '../../store/registry.ts'
import { countPageLeftovers, type Leftovers } from '../../page/leftover.ts'
import type { Page } from '../../page/page.ts'
import type { PageRow } from '../../store/pages/page-table.ts'
import type { MissingReason } from '../../api/link/unresolved.ts'

/** Limits the stored names, because every command reads the registry. */
const mostGroups = 20
const mostNames = 500
const mostCharacters = 120

/** Groups the missing names by reason and place, largest group first, and limits their number. */
export function summarizeNames({ declared, missing, shortened = [] }: ApiCoverage): PublicNames {
  const byPlace = Map.groupBy(missing, ({ reason, from }) => `${reason} ${placeOf(reason, from)}`)
  const sorted = [...byPlace.values()].sort((a, b) => b.length - a.length)
  // Small groups come first, so that a large one takes only the room that they leave.
  let left = mostNames
  const largest = sorted.slice(0, mostGroups).toReversed()
  const groups = largest.map((all, i): MissingGroup => {
    const { reason, from } = all[0]!
    const most = Math.ceil(left / (largest.length - i))
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

/** Returns the modules with most of these names. */
function modulesOf(names: readonly string[]): string[] {
  const counts = Map.groupBy(names, (name) => name.replace(/(?:\.|::)[^.:/]*$/, ''))
  const sorted = [...counts].sort(([, a], [, b]) => b.length - a.length)
  return sorted.slice(0, mostModules).map(([name]) => name.slice(0, mostCharacters))
}

/** Returns the package or missing file. Files that should declare names differ. */
function placeOf(reason: MissingReason, from: string): string {
  return reason === 'dependency' || reason === 'unread' ? from.slice(0, mostCharacters) : ''
}

const mostExamples = 3

/** Formats `41 of 113 public names; missing: 60 without a declaration (McpServer, Client, …)`. */
export function renderNames({ declared, missing, groups, shortened }: PublicNames): string {
  const counts =
    `${declared - missing} of ${formatCount(declared, 'public name')}` +
    (shortened === undefined ? '' : `, ${renderShortened(shortened)}`)
  if (missing === 0) return counts
  const reasons = groups.map((group) => {
    const names = group.names.slice(0, mostExamples).join(', ')
    const more = group.count > mostExamples ? ', …' : ''
    return `${group.count} ${reasonText(group)} (${names}${more})`
  })
  const counted = groups.reduce((sum, { count }) => sum + count, 0)
  const rest = counted < missing ? [`${missing - counted} for other reasons`] : []
  return `${counts}; missing: ${[...reasons, ...rest].join('; ')}`
}

function renderShortened({ count, modules }: NonNullable<PublicNames['shortened']>): string {
  const examples = modules.slice(0, mostExamples).join(', ')
  const more = modules.length > mostExamples ? ', …' : ''
  return `${count} of them with one sentence of documentation (${examples}${more})`
}

/** Formats `72 of 113 names missing`. */
export function missingShare({ declared, missing }: PublicNames): string {
  return `${missing} of ${formatCount(declared, 'name')} missing`
}

/** Explains why names are missing: `declared in npm:zod, which was not read`. */
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

/** Returns the command that adds a group's missing names to the index, or null. */
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

const kinds = ['includes', 'absent', 'shortcodes', 'components', 'empty', 'fileTitle'] as const

type Total = Record<(typeof kinds)[number] | 'pages', number>

/** Counts the leftovers on all pages of a library version, or returns null if there are none. */
export async function countLeftovers(
  pages: AsyncIterable<readonly PageRow[]>,
): Promise<LeftoverCounts | null> {
  const total = { ...Object.fromEntries(kinds.map((kind) => [kind, 0])), pages: 0 } as Total
  const names = new Map<string, number>()
  let worst: { page: Leftovers; path: string; count: number }[] = []
  for await (const rows of pages) {
    for (const row of rows) {
      // The same thread sends pages to the sandbox, which would otherwise wait for this count.
      await new Promise(setImmediate)
      const page = countPageLeftovers({ ...row, markup: row.markup as Page['markup'] })
      if (page.example === null) continue
      const count = kinds.reduce((sum, kind) => sum + page[kind], 0)
      for (const kind of kinds) total[kind] += page[kind]
      for (const name of page.names) names.set(name, (names.get(name) ?? 0) + 1)
      total.pages++
      worst.push({ page, path: row.path, count })
      if (worst.length > 100) worst = mostOf(worst)
    }
  }
  if (total.pages === 0) return null
  const examples = mostOf(worst).map(
    ({ page, path }) => `${path.split('/').slice(-3).join('/')}: ${page.example!.slice(0, 80)}`,
  )
  const frequent = [...names].sort(([, a], [, b]) => b - a).slice(0, 3)
  return { ...total, examples, frequent: frequent.map(([name, count]) => ({ name, count })) }
}

function mostOf<T extends { count: number }>(pages: T[]): T[] {
  return pages.toSorted((a, b) => b.count - a.count).slice(0, 3)
}

/** Formats `12 includes, 3 shortcodes on 5 pages: include 12, note 2 (a.md: {{#include x.rs}})`. */
export function renderLeftovers(leftovers: LeftoverCounts): string {
  const { pages, examples, frequent = [], ...counts } = leftovers
  const parts = [
    formatCount(counts.includes, 'include'),
    formatCount(counts.absent ?? 0, 'included text') + ' that the source lacks',
    formatCount(counts.shortcodes, 'shortcode'),
    formatCount(counts.components, 'component'),
    formatCount(counts.empty, 'empty page'),
    formatCount(counts.fileTitle, 'file name') + ' as title',
  ]
  const nonzero = parts.filter((part) => !part.startsWith('0 '))
  const names = frequent.map(({ name, count }) => `${name} ${count}`).join(', ')
  const on = `on ${formatCount(pages, 'page')}${names === '' ? '' : `: ${names}`}`
  return `${nonzero.join(', ')} ${on} (${examples[0] ?? ''})`
}
