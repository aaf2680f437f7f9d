import { statSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { join, dirname } from 'node:path'
import { sha256OfFile } from '../../platform/hash.ts'
import {
  indexName,
  registryError,
  signatureName,
  type RegistryIndex,
  type RegistryPack,
} from './index-format.ts'
import type { KnownRegistry } from './known-registries.ts'
import { openRegistryFiles, verifyIndex, type IndexCopy } from './read-registry.ts'
import { writeFileAtomically } from '../../platform/file/files.ts'
import { readIndex, lockRegistryFolder, partialPackName } from './build-registry.ts'

type PublishedRegistry = {
  index: RegistryIndex
  files: IndexCopy
  fetch(pack: RegistryPack, to: string): Promise<void>
}

/**
 * Reads a registry's index for its publisher, even if it has expired.
 * @returns null if there is no index yet
 * @throws OgError if the index cannot be read or is not signed by `key`
 */
export async function readPublishedRegistry(
  registry: Pick<KnownRegistry, 'url' | 'key'>,
  { signal }: { signal: AbortSignal },
): Promise<PublishedRegistry | null> {
  const { url } = registry
  const { read: readFile, copy } = await openRegistryFiles(registry, signal)
  const read = async () => {
    const index = await readFile(indexName)
    if (index === null) return null
    const files = { index, signature: await readFile(signatureName) }
    return { files, index: verifyIndex({ ...registry, name: url, serial: 0 }, files) }
  }
  // A publisher may replace the index and its signature between the two reads. A second attempt
  // reads a matching pair.
  const published = await read().catch((error) => {
    if (registry.key === null) throw error
    return read()
  })
  const fetch = async (pack: RegistryPack, to: string) => {
    await copy(pack, to)
    if ((await sha256OfFile(to)) === pack.sha256) return
    throw registryError(`"${url}"`, `${pack.path} is not the pack that its index names`)
  }
  return published && { ...published, fetch }
}

/**
 * Brings a registry folder up to date with the published index before the next index is built.
 * Fetches missing packs, and replaces an older index with the published one. If the folder is
 * newer, fetches only packs that its own index lists. Keeps packs that no index lists yet.
 * @returns the number of packs fetched
 */
export async function seedRegistry(
  folder: string,
  { index, files, fetch }: PublishedRegistry,
): Promise<number> {
  using _lock = await lockRegistryFolder(folder)
  const local = await readIndex(folder)
  const isNewer = local !== null && local.serial > index.serial
  const packs = isNewer ? index.packs.filter((pack) => names(local, pack)) : index.packs
  let fetched = 0
  for (const pack of packs) {
    const path = join(folder, pack.path)
    if (await isPack(path, pack)) continue
    const part = join(folder, partialPackName)
    await fetch(pack, part)
    await mkdir(dirname(path), { recursive: true })
    await rename(part, path)
    fetched++
  }
  if (isNewer) return fetched
  const removed = (local?.packs ?? []).filter(
    ({ path }) => !index.packs.some((it) => it.path === path),
  )
  for (const { path } of removed) await rm(join(folder, path), { force: true })
  await writeFileAtomically(join(folder, indexName), files.index.bytes)
  const signature = join(folder, signatureName)
  if (files.signature === null) await rm(signature, { force: true })
  else await writeFileAtomically(signature, files.signature.bytes)
  return fetched
}

function names({ packs }: RegistryIndex, { path, sha256 }: RegistryPack): boolean {
  return packs.some((it) => it.path === path && it.sha256 === sha256)
}

async function isPack(path: string, { size, sha256 }: RegistryPack): Promise<boolean> {
  const there = statSync(path, { throwIfNoEntry: false })
  return there?.size === size && (await sha256OfFile(path)) === sha256
}
