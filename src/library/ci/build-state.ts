import { join } from 'node:path'
import { OgError } from '../../platform/error.ts'
import { readEntries, type Entry, type Generation } from '../../store/registry.ts'
import { copyStore } from '../copy.ts'
import { isSameEntry } from '../lock.ts'
import {
  addingWords,
  checkAnswers,
  checkWhole,
  notesOf,
  type AddAnswer,
  type BuildFigures,
  type DryAnswer,
  type RunOg,
} from './build.ts'
import type { PackWish } from './pack-list.ts'

export type StateBuilding = {
  /** The store that gets it: a folder, or the copy of a bucket on this machine. */
  store: string
  /** `store` in it is what `og` works on. */
  folder: string
  og: RunOg
  /** Whether a state was cut and embedded as it would be today. */
  isMadeAlike(live: Generation): boolean
  signal: AbortSignal
}

/** So long another builder may take to publish the same version. */
const lockTimeoutMs = 600_000

/**
 * Builds one library version beside the store and publishes it there: from what is live, so that
 * only what has changed is fetched and embedded. What comes out is checked before anybody sees it,
 * and replaces nothing but what it was made from. `figures` is filled on the way.
 * @returns its path in the store; null where what is live is what would be
 * @throws OgError where it cannot be built, does not pass, or came too late
 */
export async function buildState(
  wish: PackWish,
  building: StateBuilding,
  figures: BuildFigures,
): Promise<string | null> {
  const { og, store, folder, signal } = building
  const { library } = wish
  const adding = addingWords(wish)
  const dry = (await og([...adding, '--dry-run'])) as DryAnswer
  checkWhole(dry)
  const { version, source, commit } = dry
  figures.version = version
  const named = { key: library.toLowerCase(), version }
  const before = entryOf(await readEntries(store), named)
  if (before !== null) {
    const { live } = before
    Object.assign(figures, { before: pathOf(live), pages: live.pages, chunks: live.chunks })
    const isSame =
      commit !== null &&
      commit === live.commit &&
      !live.failed &&
      Bun.deepEquals(source, live.source)
    if (isSame && building.isMadeAlike(live)) return null
  }
  const built = join(folder, 'store')
  if (before !== null) await copied({ from: store, to: built, signal }, before)
  const added = (await og([...adding, '--yes'])) as AddAnswer
  // Pages that failed keep their old text; a host that stopped answering in between does not.
  if (added.failed.length === 0) checkWhole(added)
  Object.assign(figures, { pages: added.pages, chunks: added.chunks })
  figures.notes.push(...notesOf(added))
  const made = entryOf(await readEntries(built), named)
  if (made === null) throw new OgError(`og add made no version "${version}"`)
  if (made.live.id === before?.live.id) return null
  await checkAnswers(wish, og, figures)
  await copied({ from: built, to: store, over: before?.live.id ?? null, signal }, made)
  return pathOf(made.live)
}

type Copying = { from: string; to: string; over?: string | null; signal: AbortSignal }

async function copied(copying: Copying, { live: { id } }: Entry): Promise<void> {
  const pick = (entries: Entry[]) => entries.filter(({ live }) => live.id === id)
  for await (const { problem } of copyStore({ ...copying, pick, lockTimeoutMs })) {
    if (problem !== null) throw problem
  }
}

function entryOf(entries: Entry[], named: { key: string; version: string }): Entry | null {
  return entries.find((entry) => isSameEntry(entry, named)) ?? null
}

function pathOf({ id }: Pick<Generation, 'id'>): string {
  return `generations/${id}`
}
