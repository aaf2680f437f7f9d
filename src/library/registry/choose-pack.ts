import { defaultVersion, matchVersion, matchingVersions } from '../../version/version.ts'
import { placeIn, readRegistry, type ReadingRegistry } from './read-registry.ts'
import type { RegistryIndex, RegistryPack } from './index-format.ts'
import type { KnownRegistry } from './known-registries.ts'

/** A pack that a registry has, and where. */
export type ListedPack = { registry: KnownRegistry; pack: RegistryPack; place: string }

/**
 * The pack of the first registry that has this version of this library, by the rules of versions;
 * without a version the newest. Null where none has it. `onProblem` hears of registries that
 * cannot be believed: the others are asked all the same.
 */
export async function chooseListed(
  registries: readonly KnownRegistry[],
  query: { library: string; version: string | null },
  reading: ReadingRegistry & { onProblem: (error: unknown) => void },
): Promise<ListedPack | null> {
  for (const registry of registries) {
    const index = await readRegistry(registry, reading).catch((error) => {
      reading.signal?.throwIfAborted()
      reading.onProblem(error)
      return null
    })
    const pack = index && chosenPack(index, query)
    if (pack) return { registry, pack, place: placeIn(registry, pack.path) }
  }
  return null
}

/** The newest pack of the version that is meant; a yanked one only where it is named to the dot. */
export function chosenPack(
  { packs }: RegistryIndex,
  { library, version }: { library: string; version: string | null },
): RegistryPack | null {
  const key = library.toLowerCase()
  const mine = packs.filter(
    (it) => it.library.toLowerCase() === key && (!it.yanked || it.version === version),
  )
  if (mine.length === 0) return null
  const versions = [...new Set(mine.map((it) => it.version))]
  const meant =
    version === null
      ? defaultVersion(versions)
      : (matchVersion(version, versions) ?? matchingVersions(version, versions)[0])
  const ofVersion = mine.filter((it) => it.version === meant)
  return ofVersion.sort((a, b) => (a.indexedAt < b.indexedAt ? 1 : -1))[0] ?? null
}

/** Packs whose library or title has all words of a text; the newest of each version. */
export function searchPacks({ packs }: RegistryIndex, text: string): RegistryPack[] {
  const words = text.toLowerCase().split(/\s+/)
  const newest = new Map<string, RegistryPack>()
  for (const pack of packs) {
    const shown = `${pack.library} ${pack.title}`.toLowerCase()
    if (pack.yanked || !words.every((word) => shown.includes(word))) continue
    const name = `${pack.library}@${pack.version}`
    const other = newest.get(name)
    if (other === undefined || other.indexedAt < pack.indexedAt) newest.set(name, pack)
  }
  return [...newest.values()]
}
