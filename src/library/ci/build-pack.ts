import { join } from 'node:path'
import type { PackManifest } from '../pack/pack-format.ts'
import { publicSource } from '../pack/packed-source.ts'
import { openPackFile } from '../pack/read-pack.ts'
import type { RegistryPack } from '../registry/index-format.ts'
import type { PackSpec } from './pack-list.ts'
import { readdirSync } from 'node:fs'
import { copyFile, open, rename, rm } from 'node:fs/promises'
import { OgError } from '../../platform/error.ts'
import { syncFolder } from '../../platform/file/files.ts'
import { explainDiskError } from '../../platform/file/space.ts'
import { unusedPackName, packFileName } from '../pack/packs.ts'
import { lockRegistryFolder, partialPackName } from '../registry/build-registry.ts'
import { readEntries, type Entry, type Generation } from '../../store/registry.ts'
import { copyStore } from '../copy.ts'
import { isSameEntry } from '../lock.ts'
import type { Source } from '../../store/source.ts'

type PackBuilding = {
  /** The registry's folder, and the packs in its index. */
  registry: string
  packs: readonly RegistryPack[]
  folder: string
  og: RunOg
  isMadeAlike(manifest: PackManifest): boolean
}

/**
 * Builds the pack of one library version with the same commands that a person would enter. First
 * adds the newest pack, so that only changes are fetched and embedded, and then the source. Checks
 * the result before publication. Adds the build's measurements to `figures`.
 * @returns the file name, or null if the content equals the published pack
 * @throws OgError if the build fails or does not pass the checks
 */
export async function buildPack(
  spec: PackSpec,
  building: PackBuilding,
  figures: BuildFigures,
): Promise<string | null> {
  const { og, registry } = building
  const { library } = spec
  const { version, source, commit } = await planAdd(spec, og, figures)
  const newest = newestOf(building.packs, { library, version })
  const before = newest && manifestOf(join(registry, newest.path))
  if (newest && before) {
    Object.assign(figures, { before: newest.path, pages: before.pages, chunks: before.chunks })
    const isSame =
      commit !== null &&
      commit === before.commit &&
      before.failed === 0 &&
      Bun.deepEquals(publicSource(source), before.source) &&
      before.vectors === spec.vectors
    if (isSame && building.isMadeAlike(before)) return null
    const add = ['add', join(registry, newest.path), `--as=${library}`, '--trust', '--json']
    await og(add)
  }
  await runAdd(spec, og, figures)
  const file = join(building.folder, 'new.ogpack')
  const packing = [`--output=${file}`, `--vectors=${spec.vectors}`, '--license=source', '--json']
  await og(['pack', `${library}@${version}`, ...packing])
  if (before && isSameContent(before, manifestOf(file))) return null
  await checkSearchQuality(spec, og, figures)
  return file
}

function newestOf(
  packs: readonly RegistryPack[],
  { library, version }: { library: string; version: string },
): RegistryPack | null {
  const mine = packs.filter(
    (it) => it.library.toLowerCase() === library.toLowerCase() && it.version === version,
  )
  return mine.sort((a, b) => (a.indexedAt < b.indexedAt ? 1 : -1))[0] ?? null
}

function manifestOf(path: string): PackManifest {
  using pack = openPackFile(path)
  return pack.manifest
}

/** Compares packs without their time and commit, which do not matter to users. */
function isSameContent(before: PackManifest, now: PackManifest): boolean {
  const content = ({ contentHash, members, ...one }: PackManifest) => [
    [contentHash, one.chunker, one.fingerprint, one.vectors, one.source, one.license],
    members.map((it) => it.sha256),
  ]
  return Bun.deepEquals(content(before), content(now))
}

/**
 * Adds a pack to a registry's folder, atomically, under a name that no pack of this version has
 * had: `kettle-1.0.ogpack`, then `kettle-1.0+2.ogpack`. Does not write the index.
 * @returns the file name
 */
export async function publishPack(
  folder: string,
  { from, library, version }: { from: string; library: string; version: string },
): Promise<string> {
  const what = `registry "${folder}"`
  using _lock = await lockRegistryFolder(folder)
  // The name is fixed and used under the lock, so the next run overwrites a killed run's file.
  const part = join(folder, partialPackName)
  try {
    await copyFile(from, part)
    await using file = await open(part, 'r+')
    await file.sync()
  } catch (cause) {
    await rm(part, { force: true }).catch(() => {})
    const refused = explainDiskError(cause, 'the registry')
    if (refused === null) throw cause
    throw new OgError(`Cannot publish into ${what}: ${refused.why}`, { cause })
  }
  const name = unusedPackName(readdirSync(folder), packFileName({ library, version }))
  await rename(part, join(folder, name))
  await syncFolder(folder)
  return name
}

type StateBuilding = {
  store: string
  folder: string
  og: RunOg
  isMadeAlike(live: Generation): boolean
  signal: AbortSignal
}

/** Maximum wait for another builder of the same version. */
const lockTimeoutMs = 600_000

/**
 * Builds one library version in a separate store and publishes it to the target store. Starts from
 * the live state, so that only changes are fetched and embedded. Checks the result first, and
 * replaces only the state from which the build started. Adds the build's measurements to `figures`.
 * @returns the path in the store, or null if the content equals the live state
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
  const label = { key: library.toLowerCase(), version }
  const before = entryOf(await readEntries(store), label)
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
  const made = entryOf(await readEntries(built), label)
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

function entryOf(entries: Entry[], label: { key: string; version: string }): Entry | null {
  return entries.find((entry) => isSameEntry(entry, label)) ?? null
}

function pathOf({ id }: Pick<Generation, 'id'>): string {
  return `generations/${id}`
}

/** Measurements of a build, recorded even if it failed. */
export type BuildFigures = {
  version: string | null
  pages: number | null
  chunks: number | null
  /** In percent; null if it was not measured. */
  health: number | null
  hits: number | null
  /** The previously published result as its path in the registry or store. */
  before: string | null
  notes: string[]
}

export const emptyFigures: Readonly<Omit<BuildFigures, 'notes'>> = {
  version: null,
  pages: null,
  chunks: null,
  health: null,
  hits: null,
  before: null,
}

export type RunOg = (words: readonly string[]) => Promise<unknown>

type DryRunResult = {
  version: string
  source: Source
  commit: string | null
  incomplete: string | null
}
type AddRunResult = {
  pages: number
  chunks: number
  failed: { url: string; reason: string }[]
  incomplete: string | null
}
type HealthAnswer = { libraries: { health: number | null; missed: { question: string }[] }[] }
type EvalAnswer = { arms: { hybrid: { hit_5_served: number } }; unknown_gold: string[] }

export function addCommandArguments({
  library,
  version,
  addArguments: adding,
}: PackSpec): string[] {
  const option = version === null ? [] : [`--version=${version}`]
  return ['add', library, '--from=source', ...adding, ...option, '--json']
}

async function planAdd(spec: PackSpec, og: RunOg, figures: BuildFigures): Promise<DryRunResult> {
  const planned = (await og([...addCommandArguments(spec), '--dry-run'])) as DryRunResult
  checkComplete(planned)
  figures.version = planned.version
  return planned
}

async function runAdd(spec: PackSpec, og: RunOg, figures: BuildFigures): Promise<void> {
  const added = (await og([...addCommandArguments(spec), '--yes'])) as AddRunResult
  // Failed pages keep their old text.
  if (added.failed.length === 0) checkComplete(added)
  Object.assign(figures, { pages: added.pages, chunks: added.chunks })
  figures.notes.push(...failureNotes(added))
}

/**
 * Checks that the intended source can be read, so that an incomplete source does not replace the
 * published state.
 * @throws OgError if the host does not respond
 */
function checkComplete({ incomplete }: Pick<DryRunResult, 'incomplete'>): void {
  if (incomplete === null) return
  throw new OgError(`Its source is incomplete: ${incomplete}`, {
    hint: 'the published state was kept; build again when the host responds',
  })
}

export function failureNotes({ failed: [first, ...more] }: AddRunResult): string[] {
  if (first === undefined) return []
  const others = more.length === 0 ? '' : `, and ${more.length} more`
  return [`cannot be read: ${first.url} (${first.reason})${others}`]
}

/** @throws OgError if search health is too low, or too few questions have an answer */
export async function checkSearchQuality(
  { library, minHealth, questions, minHits }: PackSpec,
  og: RunOg,
  figures: BuildFigures,
): Promise<void> {
  if (minHealth !== null) {
    const { libraries } = (await og([
      'eval',
      '--self',
      `--library=${library}`,
      '--json',
    ])) as HealthAnswer
    const { health, missed } = libraries[0]!
    figures.health = health
    if (health !== null && health < minHealth) {
      throw new OgError(`Its search health is ${health} %, min_health requires ${minHealth} %`, {
        hint: `"${missed[0]!.question}" does not find its section`,
      })
    }
  }
  if (questions === null) return
  const words = ['eval', questions, `--library=${library}`, '--json']
  const { arms, unknown_gold: unknown } = (await og(words)) as EvalAnswer
  figures.hits = Math.round(100 * arms.hybrid.hit_5_served)
  if (figures.hits < minHits) {
    throw new OgError(
      `${figures.hits} % of its questions are answered by the first five hits, ` +
        `min_hits requires ${minHits} %`,
      {
        hint:
          unknown.length === 0
            ? `run og eval ${questions} for details`
            : `it has no page "${unknown[0]}", which is said to answer`,
      },
    )
  }
}
