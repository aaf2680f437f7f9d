import { userHome } from '../../../config/paths.ts'
import type { NewerPack } from '../../../library/add/update.ts'
import type { AddRequest } from '../../../library/library.ts'
import type { RegistryIndex } from '../../../library/registry/index-format.ts'
import type { Og } from '../../../open.ts'
import { once } from '../../../platform/once.ts'
import type { Context } from '../../context.ts'
import { readingOf } from './registry.ts'

type InstallOptions = Pick<AddRequest, 'minHealth' | 'lockTimeoutMs' | 'onProgress' | 'signal'>

/**
 * Updates a library version that came from a known registry to the newest pack of that registry.
 */
export function newerPacks(context: Context, og: Og, adding: InstallOptions): NewerPack {
  const read = new Map<string, RegistryIndex>()
  const registries = once(async () => {
    const { readRegistries } = await import('../../../library/registry/known-registries.ts')
    return await readRegistries(userHome(context.env))
  })
  return async ({ library, version, place }) => {
    const { choosePack } = await import('../../../library/registry/choose-pack.ts')
    const { placeIn, readRegistry } = await import('../../../library/registry/read-registry.ts')
    const all = await registries()
    const registry = all.find((it) => place.startsWith(placeIn(it, '-').slice(0, -1)))
    if (registry === undefined) return null
    const index = read.get(registry.url) ?? (await readRegistry(registry, await readingOf(context)))
    read.set(registry.url, index)
    // The library may be indexed under another name than the registry's.
    const before = index.packs.find(({ path }) => placeIn(registry, path) === place)
    const pack = choosePack(index, { library: before?.library ?? library, version })
    if (pack === null || pack.version !== version) return null
    const path = placeIn(registry, pack.path)
    return await og.packs.add({ ...adding, path, sha256: pack.manifest, library })
  }
}
