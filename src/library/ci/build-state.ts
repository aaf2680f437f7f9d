import { join } from 'node:path'
import { OgError } from '../../platform/error.ts'
import { readEntries, type Entry, type Generation } from '../../store/registry.ts'
import { copyStore } from '../copy.ts'
import { isSameEntry } from '../lock.ts'
import { checkSearchQuality, planAdd, runAdd, type BuildFigures, type RunOg } from './build.ts'
import type { PackSpec } from './pack-list.ts'
import { sha256 } from '../../platform/hash.ts'

type StateBuilding = {
  store: string
  folder: string
  og: RunOg
  isMadeAlike(live: Generation): boolean
  signal: AbortSignal
}

/** Maximum wait for another builder that publishes the same version. */
const lockTimeoutMs = 600_000

/**
 * Builds one library version in a separate store and publishes it to the target store. Starts from
 * the live state, so that only changes are fetched and embedded. Checks the result first, and
 * replaces only the state from which the build started. The build adds its measurements to
 * `figures`.
 * @returns the path in the store; null if the content equals the live state
 * @throws OgError if the build fails, does not pass the checks, or is too late because the live
 * state has changed
 */
export async function buildState(
  spec: PackSpec,
  building: StateBuilding,
  figures: BuildFigures,
): Promise<string | null> {
  const { og, store, folder, signal } = building
  const { library } = spec
  const { version, source, commit } = await planAdd(spec, og, figures)
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
  await runAdd(spec, og, figures)
  const made = entryOf(await readEntries(built), named)
  if (made === null) throw new OgError(`og add created no version "${version}"`)
  if (made.live.id === before?.live.id) return null
  await checkSearchQuality(spec, og, figures)
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

/** One of `count` jobs that share a list; `index` starts at 1. */
type Shard = { index: number; count: number }

export function parseShard(text: string): Shard {
  const [, index, count] = /^(\d{1,6})\/(\d{1,6})$/.exec(text) ?? []
  const shard = { index: Number(index), count: Number(count) }
  if (shard.index >= 1 && shard.index <= shard.count) return shard
  throw new OgError(`Cannot use --shard "${text}": it is I/N, with I from 1 to N`)
}

/**
 * Whether a name belongs to this job, which is the job whose hash with the name is highest
 * (rendezvous hashing). A new job takes an equal share from each other job; all other names stay
 * where they are.
 */
export function isInShard(name: string, { index, count }: Shard): boolean {
  let [best, highest] = [0, '']
  for (let job = 1; job <= count; job++) {
    const hash = sha256(`${job}\n${name}`)
    if (hash > highest) [best, highest] = [job, hash]
  }
  return best === index
}
