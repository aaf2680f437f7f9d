import { join } from 'node:path'
import { OgError } from '../../platform/error.ts'
import type { Source } from '../../store/source.ts'
import type { PackManifest } from '../pack/pack-format.ts'
import { packedSource } from '../pack/packed-source.ts'
import { openPackFile } from '../pack/read-pack.ts'
import type { RegistryPack } from '../registry/index-format.ts'
import type { PackWish } from './pack-list.ts'

/** What is known of a build, also of one that fails. */
export type PackFigures = {
  version: string | null
  pages: number | null
  chunks: number | null
  /** Percent; null: not measured. */
  health: number | null
  hits: number | null
  /** What was published before, by its path in the registry. */
  before: string | null
  notes: string[]
}

export const noFigures: Readonly<Omit<PackFigures, 'notes'>> = {
  version: null, pages: null, chunks: null, health: null, hits: null, before: null,
}

export type PackBuilding = {
  /** The folder of the registry, and what its index says. */
  registry: string
  packs: readonly RegistryPack[]
  /** Where the pack is written. */
  folder: string
  /** Runs og with these words, in a store of this build alone. @returns what it prints, parsed */
  og(words: readonly string[]): Promise<unknown>
  /** Whether a pack was cut and embedded as it would be today. */
  isMadeAlike(manifest: PackManifest): boolean
}

/**
 * Builds the pack of one library version by the commands that a person would type: the newest pack
 * of it is added, so that only what has changed is fetched and embedded, and then its source. What
 * comes out is checked before anybody sees it. `figures` is filled on the way.
 * @returns the file; null where what is published is what would be
 * @throws OgError where it cannot be built, or does not pass
 */
export async function buildPack(
  wish: PackWish, building: PackBuilding, figures: PackFigures,
): Promise<string | null> {
  const { og, registry } = building
  const { library } = wish
  const asked = wish.version === null ? [] : [`--version=${wish.version}`]
  const adding = ['add', library, '--from=source', ...wish.adding, ...asked, '--json']
  const { version, source, commit } = await og([...adding, '--dry-run']) as DryAnswer
  figures.version = version
  const newest = newestOf(building.packs, { library, version })
  const before = newest && manifestOf(join(registry, newest.path))
  if (newest && before) {
    Object.assign(figures, { before: newest.path, pages: before.pages, chunks: before.chunks })
    const isSame = commit !== null && commit === before.commit && before.failed === 0
      && Bun.deepEquals(packedSource(source), before.source) && before.vectors === wish.vectors
    if (isSame && building.isMadeAlike(before)) return null
    const add = ['add', join(registry, newest.path), `--as=${library}`, '--trust', '--json']
    await og(add)
  }
  const added = await og([...adding, '--yes']) as AddAnswer
  Object.assign(figures, { pages: added.pages, chunks: added.chunks })
  figures.notes.push(...notesOf(added))
  const file = join(building.folder, 'new.ogpack')
  const packing = [`--output=${file}`, `--vectors=${wish.vectors}`, '--license=source', '--json']
  await og(['pack', `${library}@${version}`, ...packing])
  if (before && isSameContent(before, manifestOf(file))) return null
  await checkAnswers(wish, og, figures)
  return file
}

/** The parts of what og prints that are used here. */
type DryAnswer = { version: string; source: Source; commit: string | null }
type AddAnswer = { pages: number; chunks: number; failed: { url: string; reason: string }[] }
type HealthAnswer = { libraries: { health: number | null; missed: { question: string }[] }[] }
type EvalAnswer = { arms: { hybrid: { hit_5_served: number } }; unknown_gold: string[] }

function newestOf(
  packs: readonly RegistryPack[], { library, version }: { library: string; version: string },
): RegistryPack | null {
  const mine = packs.filter((it) =>
    it.library.toLowerCase() === library.toLowerCase() && it.version === version)
  return mine.sort((a, b) => (a.indexedAt < b.indexedAt ? 1 : -1))[0] ?? null
}

function manifestOf(path: string): PackManifest {
  using pack = openPackFile(path)
  return pack.manifest
}

function notesOf({ failed: [first, ...more] }: AddAnswer): string[] {
  if (first === undefined) return []
  const others = more.length === 0 ? '' : `, and ${more.length} more`
  return [`cannot be read: ${first.url} (${first.reason})${others}`]
}

/** When it was made, and from which commit, changes nothing for who adds it. */
function isSameContent(before: PackManifest, now: PackManifest): boolean {
  const content = ({ contentHash, chunker, fingerprint, vectors, source, license, members }:
    PackManifest) =>
    [contentHash, chunker, fingerprint, vectors, source, license, members.map((it) => it.sha256)]
  return Bun.deepEquals(content(before), content(now))
}

/** @throws OgError where it finds too little of itself, or too few answers */
async function checkAnswers(
  { library, minHealth, questions, minHits }: PackWish, og: PackBuilding['og'],
  figures: PackFigures,
): Promise<void> {
  if (minHealth !== null) {
    const { libraries } = await og(['eval', '--self', `--library=${library}`, '--json']) as
      HealthAnswer
    const { health, missed } = libraries[0]!
    figures.health = health
    if (health !== null && health < minHealth) {
      throw new OgError(`Its search health is ${health} %, min_health asks for ${minHealth} %`, {
        hint: `"${missed[0]!.question}" does not find its section`,
      })
    }
  }
  if (questions === null) return
  const asked = ['eval', questions, `--library=${library}`, '--json']
  const { arms, unknown_gold: unknown } = await og(asked) as EvalAnswer
  figures.hits = Math.round(100 * arms.hybrid.hit_5_served)
  if (figures.hits < minHits) {
    throw new OgError(`${figures.hits} % of its questions are answered by the first five hits, ` +
      `min_hits asks for ${minHits} %`, {
      hint: unknown.length === 0 ? `og eval ${questions} says more`
        : `it has no page "${unknown[0]}", which is said to answer`,
    })
  }
}
