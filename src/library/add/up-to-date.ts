import type { KnownPages, ResolvedSource } from '../../source/source.ts'
import type { Source } from '../../store/source.ts'
import { hasGeneration } from '../../store/generation.ts'
import { findGenerationFault } from '../../store/file-checks.ts'
import type { Entry, Generation } from '../../store/registry.ts'
import { isAutomaticLabel } from '../../version/version.ts'
import { isSameEntry } from '../lock.ts'
import type { LibraryContext } from '../library-context.ts'
import { storedValidators, type IntactState } from './live-state.ts'
import { isParsedTheSame } from '../recipe.ts'

type BuildPlan = { context: LibraryContext; resolved: ResolvedSource }

/**
 * True if the live state is up to date: its git commit is indexed and intact, and a build now would
 * produce the same result.
 */
export async function isUpToDate(plan: BuildPlan, live: Generation): Promise<boolean> {
  return isSameCommit(plan, live) && isCurrentBuild(plan, live) && (await isWhole(plan, live))
}

/** True if a build would produce the same content as the live state, which is intact. */
export function hasSameContent(
  plan: BuildPlan,
  { entry: { live }, rest }: IntactState,
  { contentHash }: { contentHash: string },
): boolean {
  return live.contentHash === contentHash && rest === 'whole' && isCurrentBuild(plan, live)
}

/** True if a git commit is already indexed from the same paths and intact. */
export function isSameCommit({ resolved }: BuildPlan, live: Generation): boolean {
  // Without a ref, og read the local files as they were, so the commit does not matter.
  if (resolved.commit === null || resolved.ref === null || live.ref === null) return false
  const isSame = live.commit === resolved.commit && Bun.deepEquals(live.source, resolved.source)
  return isSame && (live.failed ?? 0) === 0 && isParsedTheSame(live)
}

/** Returns the known pages with validators that the same parser read from the same source. */
export function usablePages(before: IntactState, source: Source): KnownPages {
  const { live } = before.entry
  return isParsedTheSame(live) && isSameOrigin(live.source, source)
    ? storedValidators(before)
    : new Map()
}

function isCurrentBuild({ context }: BuildPlan, live: Generation): boolean {
  return context.isMadeBySettings(live) && hasGeneration(context.folder, live.id)
}

async function isWhole({ context: { folder } }: BuildPlan, { id }: Generation): Promise<boolean> {
  return (await findGenerationFault(folder, id)) === null
}

/** True if two sources read from the same place, whatever part of it they select. */
export function isSameOrigin(one: Fields, other: Fields): boolean {
  const isFiltered = 'filterKeywords' in other // Its validators contain the pages' languages.
  const isSpoken = isFiltered || Bun.deepEquals(one.languages ?? [], other.languages ?? [])
  return isSpoken && placeFields.every((name) => one[name] === other[name])
}

/** Includes the choice of API references because it decides how much is read. */
const placeFields = ['kind', 'url', 'path', 'baseUrl', 'api', 'apiArchive']

type Fields = Partial<Record<string, unknown>>

export function withFreeLabel(
  resolved: ResolvedSource,
  key: string,
  entries: readonly Entry[],
): ResolvedSource {
  const { version, follows, longLabel } = resolved
  if (!follows || longLabel === undefined) return resolved
  const isTaken = entries.some(
    (it) => isSameEntry(it, { key, version }) && !isAutomaticLabel({ ...it.live, version }),
  )
  return isTaken ? { ...resolved, version: longLabel } : resolved
}
