import { join } from 'node:path'
import type { KnownPages, ResolvedSource } from '../../source/source.ts'
import type { Source } from '../../store/source.ts'
import { hasGeneration } from '../../store/generation.ts'
import { hasManifest } from '../../store/integrity/manifest.ts'
import { generationFault } from '../../store/integrity/wholeness.ts'
import type { Entry, Generation } from '../../store/registry.ts'
import { remoteWithOnlyCopy } from '../../store/remote/attached.ts'
import { isFollowing } from '../../version/following.ts'
import { isSameEntry } from '../lock.ts'
import type { Opened } from '../opened.ts'
import { knownPages, type Update } from './before.ts'
import { isParsedAlike } from './recipe.ts'

/** What is to be read now, and by which settings it would be built. */
type Wish = { opened: Opened; resolved: ResolvedSource }

/** Whether nothing has to be read: the git commit is indexed, whole, as it would be built today. */
export async function standsAlready(wish: Wish, live: Generation): Promise<boolean> {
  return isSameCommit(wish, live) && standsAsIs(wish, live) && (await isWhole(wish, live))
}

/** Whether all that would be built is there already, and is whole. */
export function wouldBeSame(
  wish: Wish,
  { entry: { live }, rest }: Update,
  { contentHash }: { contentHash: string },
): boolean {
  return live.contentHash === contentHash && rest === 'whole' && standsAsIs(wish, live)
}

/**
 * Whether a git commit is indexed already, whole and from the same paths, so that no clone is
 * needed.
 */
export function isSameCommit({ resolved }: Wish, live: Generation): boolean {
  // Without a ref the files were read as they are, whatever the commit is.
  if (resolved.commit === null || resolved.ref === null || live.ref === null) return false
  const isSame = live.commit === resolved.commit && Bun.deepEquals(live.source, resolved.source)
  return isSame && (live.failed ?? 0) === 0 && isParsedAlike(live)
}

/** A validator holds for pages that were parsed alike, of the same place. */
export function usablePages(before: Update, source: Source): KnownPages {
  const { live } = before.entry
  return isParsedAlike(live) && isSamePlace(live.source, source) ? knownPages(before) : new Map()
}

/** Whether what is there would be built alike today, and is there: a lost folder is built again. */
function standsAsIs({ opened }: Wish, live: Generation): boolean {
  return opened.isMadeBySettings(live) && hasGeneration(opened.folder, live.id)
}

/**
 * To the last byte, where it is on this machine. What an earlier version wrote cannot be checked,
 * and is written anew.
 */
async function isWhole({ opened: { folder } }: Wish, { id }: Generation): Promise<boolean> {
  const isHere = remoteWithOnlyCopy(folder, id) === null
  if (isHere && !hasManifest(join(folder, 'generations', id))) return false
  return (await generationFault(folder, id)) === null
}

/** Whether two sources read from the same place, whatever each of them selects there. */
export function isSamePlace(one: Fields, other: Fields): boolean {
  const isFiltered = 'filterKeywords' in other // Its notes on pages hold their languages.
  const isSpoken = isFiltered || Bun.deepEquals(one.languages ?? [], other.languages ?? [])
  return isSpoken && placeFields.every((name) => one[name] === other[name])
}

/** The API reference is noted with its choice, since the choice decides how much is read. */
const placeFields = ['kind', 'url', 'path', 'baseUrl', 'api', 'apiArchive']

type Fields = Partial<Record<string, unknown>>

/** A version that was asked for by its name stays; the same commit in a folder is named longer. */
export function withFreeLabel(
  resolved: ResolvedSource,
  key: string,
  entries: readonly Entry[],
): ResolvedSource {
  const { version, follows, longLabel } = resolved
  if (!follows || longLabel === undefined) return resolved
  const isTaken = entries.some(
    (it) => isSameEntry(it, { key, version }) && !isFollowing({ ...it.live, version }),
  )
  return isTaken ? { ...resolved, version: longLabel } : resolved
}
