import { existsSync, statSync } from 'node:fs'
import { copyFile, open, readFile, mkdir, rename, rm } from 'node:fs/promises'
import { join, dirname } from 'node:path'
import { OgError } from '../../platform/error.ts'
import { sha256OfFile } from '../../platform/hash.ts'
import type { Web } from '../../platform/web/web.ts'
import { openPackWeb } from '../pack/fetch-pack.ts'
import { isRemoteAddress } from '../pack/packed-source.ts'
import {
  indexLimitMb,
  indexName,
  registryError,
  signatureName,
  type RegistryIndex,
  type RegistryPack,
} from './index-format.ts'
import type { KnownRegistry } from './known-registries.ts'
import { verifyIndex, registryFileAddress } from './read-registry.ts'
import { writeFileAtomically } from '../../platform/file/files.ts'
import { readIndex, lockRegistryFolder, partialPackName } from './build-registry.ts'

type PublishedRegistry = {
  index: RegistryIndex
  files: { index: Uint8Array; signature: Uint8Array | null }
  fetch(pack: RegistryPack, to: string): Promise<void>
}

type Files = {
  read(name: string): Promise<Uint8Array | null>
  write(pack: RegistryPack, to: string): Promise<void>
}

type Reading = { signal: AbortSignal }

/**
 * Reads the index of a registry for its publisher, even if it has expired.
 * @returns null if there is no index yet
 * @throws OgError if the index cannot be read or is not signed by `key`
 */
export async function readPublishedRegistry(
  registry: Pick<KnownRegistry, 'url' | 'key'>,
  reading: Reading,
): Promise<PublishedRegistry | null> {
  const { url } = registry
  const files = isRemoteAddress(url) ? await onServer(url, reading) : onDisk(url)
  const read = async () => {
    const index = await files.read(indexName)
    if (index === null) return null
    const signature = await files.read(signatureName)
    const text = signature && Buffer.from(signature).toString()
    const unseen = { ...registry, name: url, serial: 0 }
    return { files: { index, signature }, index: verifyIndex(unseen, { index, signature: text }) }
  }
  // Index and signature are two files. If a publisher replaced them between the two reads, a second
  // attempt reads a matching pair.
  const published = await read().catch((error) => {
    if (registry.key === null) throw error
    return read()
  })
  return published && { ...published, fetch: (pack, to) => fetchPack(files, { url, pack, to }) }
}

async function fetchPack(
  files: Files,
  { url, pack, to }: { url: string; pack: RegistryPack; to: string },
): Promise<void> {
  await files.write(pack, to)
  if ((await sha256OfFile(to)) === pack.sha256) return
  throw registryError(`"${url}"`, `${pack.path} is not the pack that its index names`)
}

function onDisk(folder: string): Files {
  return {
    read: async (name) => (existsSync(join(folder, name)) ? readFile(join(folder, name)) : null),
    write: ({ path }, to) => copyFile(join(folder, path), to),
  }
}

async function onServer(url: string, { signal }: Reading): Promise<Files> {
  const web = openPackWeb()
  await web.trust(url)
  return {
    read: (name) => fetchBytes(web, registryFileAddress({ url }, name), { signal }),
    write: ({ path, size }, to) =>
      fetchFile(web, registryFileAddress({ url }, path), { signal, size, to }),
  }
}

async function fetchBytes(web: Web, url: string, request: Reading): Promise<Uint8Array | null> {
  return web.fetch(url, request, async (answer) => {
    if (answer.status === 404 || answer.status === 410) return null
    if (answer.status !== 200) throw refusal(url, answer.status)
    return answer.bytes({ sizeBytes: indexLimitMb * 2 ** 20, timeoutMs: 120_000 })
  })
}

async function fetchFile(
  web: Web,
  url: string,
  { size, to, ...request }: Reading & { size: number; to: string },
): Promise<void> {
  await web.fetch(url, request, async (answer) => {
    if (answer.status !== 200) throw refusal(url, answer.status)
    await using file = await open(to, 'w')
    for await (const piece of answer.pieces({ sizeBytes: size, timeoutMs: 3_600_000 })) {
      await file.write(piece)
    }
    await file.datasync()
  })
}

function refusal(url: string, status: number): OgError {
  return new OgError(`Cannot fetch "${url}": server answered ${status}`)
}

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
