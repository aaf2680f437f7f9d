import { defaultVersion, matchVersion, matchingVersions } from '../../version/version.ts'
import { registryFileAddress, readRegistry, type ReadingRegistry } from './read-registry.ts'
import type { RegistryIndex, RegistryPack } from './index-format.ts'
import type { KnownRegistry } from './known-registries.ts'

export type ListedPack = { registry: KnownRegistry; pack: RegistryPack; place: string }

/**
 * Returns the pack of a library version from the first registry that has one, chosen by the version
 * rules; without a version the newest. Returns null if no registry has a pack. Calls `onProblem`
 * for a registry that cannot be verified, and continues with the next.
 */
export async function choosePackFromRegistries(
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
    const pack = index && choosePack(index, query)
    if (pack) return { registry, pack, place: registryFileAddress(registry, pack.path) }
  }
  return null
}

/**
 * Returns the newest pack of the matching version. A yanked pack is returned only if the request
 * names its exact version.
 */
export function choosePack(
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
