import { statSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { writeFileAtomically } from '../../platform/file/files.ts'
import { sha256OfFile } from '../../platform/hash.ts'
import { readIndex } from './build-registry.ts'
import { indexName, signatureName, type RegistryIndex, type RegistryPack } from './index-format.ts'
import type { PublishedRegistry } from './published.ts'
import { lockRegistryFolder, partialPackName } from './registry-lock.ts'

/**
 * Brings a registry folder up to date with the published index before the next index is built:
 * fetches missing packs, and replaces an older index with the published one. If the folder is
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
  await writeFileAtomically(join(folder, indexName), Buffer.from(files.index).toString())
  const signature = join(folder, signatureName)
  if (files.signature === null) await rm(signature, { force: true })
  else await writeFileAtomically(signature, Buffer.from(files.signature).toString())
  return fetched
}

function names({ packs }: RegistryIndex, { path, sha256 }: RegistryPack): boolean {
  return packs.some((it) => it.path === path && it.sha256 === sha256)
}

async function isPack(path: string, { size, sha256 }: RegistryPack): Promise<boolean> {
  const there = statSync(path, { throwIfNoEntry: false })
  return there?.size === size && (await sha256OfFile(path)) === sha256
}
