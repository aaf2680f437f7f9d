import { join } from 'node:path'
import type { PackManifest } from '../pack/pack-format.ts'
import { packedSource } from '../pack/packed-source.ts'
import { openPackFile } from '../pack/read-pack.ts'
import type { RegistryPack } from '../registry/index-format.ts'
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

export type PackBuilding = {
  /** The folder of the registry, and what its index says. */
  registry: string
  packs: readonly RegistryPack[]
  /** Where the pack is written. */
  folder: string
  og: RunOg
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
  wish: PackWish,
  building: PackBuilding,
  figures: BuildFigures,
): Promise<string | null> {
  const { og, registry } = building
  const { library } = wish
  const adding = addingWords(wish)
  const dry = (await og([...adding, '--dry-run'])) as DryAnswer
  checkWhole(dry)
  const { version, source, commit } = dry
  figures.version = version
  const newest = newestOf(building.packs, { library, version })
  const before = newest && manifestOf(join(registry, newest.path))
  if (newest && before) {
    Object.assign(figures, { before: newest.path, pages: before.pages, chunks: before.chunks })
    const isSame =
      commit !== null &&
      commit === before.commit &&
      before.failed === 0 &&
      Bun.deepEquals(packedSource(source), before.source) &&
      before.vectors === wish.vectors
    if (isSame && building.isMadeAlike(before)) return null
    const add = ['add', join(registry, newest.path), `--as=${library}`, '--trust', '--json']
    await og(add)
  }
  const added = (await og([...adding, '--yes'])) as AddAnswer
  // Pages that failed keep their old text; a host that stopped answering in between does not.
  if (added.failed.length === 0) checkWhole(added)
  Object.assign(figures, { pages: added.pages, chunks: added.chunks })
  figures.notes.push(...notesOf(added))
  const file = join(building.folder, 'new.ogpack')
  const packing = [`--output=${file}`, `--vectors=${wish.vectors}`, '--license=source', '--json']
  await og(['pack', `${library}@${version}`, ...packing])
  if (before && isSameContent(before, manifestOf(file))) return null
  await checkAnswers(wish, og, figures)
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

/** When it was made, and from which commit, changes nothing for who adds it. */
function isSameContent(before: PackManifest, now: PackManifest): boolean {
  const content = ({
    contentHash,
    chunker,
    fingerprint,
    vectors,
    source,
    license,
    members,
  }: PackManifest) => [
    contentHash,
    chunker,
    fingerprint,
    vectors,
    source,
    license,
    members.map((it) => it.sha256),
  ]
  return Bun.deepEquals(content(before), content(now))
}
