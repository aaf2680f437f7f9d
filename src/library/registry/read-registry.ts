import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { copyFile, open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { messageOf, OgError } from '../../platform/error.ts'
import { writeFileAtomically } from '../../platform/file/files.ts'
import { readBytes } from '../../platform/file/read-file.ts'
import { sha256 } from '../../platform/hash.ts'
import { parsePublicKey, verifyMinisign } from '../../platform/minisign.ts'
import { NetworkError } from '../../platform/web/http.ts'
import { openPackWeb } from '../pack/fetch-pack.ts'
import { isRemoteAddress } from '../pack/packed-source.ts'
import {
  indexLimitMb,
  indexName,
  parseIndex,
  registryError,
  signatureName,
  type RegistryIndex,
  type RegistryPack,
} from './index-format.ts'
import { rememberSerial, type KnownRegistry } from './known-registries.ts'
import { defaultVersion, matchVersion, matchingVersions } from '../../version/version.ts'

type ReadingRegistry = {
  lists: string
  /** Folder of the cached indexes, so that a server need not send an index again. */
  folder: string
  signal?: AbortSignal | undefined
  now?: Date
}

/**
 * Reads the index of a registry. The registry's key must have signed it, and it must be at least as
 * new as the newest one seen, and not expired. If the registry is unreachable, uses the cached copy
 * until it expires. An index replaces the cached copy only if it passed all these checks.
 * @throws OgError if the index cannot be verified
 */
export async function readRegistry(
  registry: KnownRegistry,
  reading: ReadingRegistry,
): Promise<RegistryIndex> {
  const { url, serial } = registry
  const read = () => fetched(registry, reading)
  // A publisher may replace the index and its signature between the two reads. A second attempt
  // reads a matching pair.
  const { index, keep } = await read().catch((error) => {
    if (registry.key === null || error instanceof NetworkError) throw error
    return read()
  })
  checkAge(registry, index, reading.now ?? new Date())
  await keep?.()
  if (index.serial > serial) await rememberSerial(reading.lists, url, index.serial)
  return index
}

function checkAge({ url, serial }: KnownRegistry, index: RegistryIndex, now: Date): void {
  const what = `"${url}"`
  if (index.serial < serial) {
    throw registryError(
      what,
      `its serial is ${index.serial}, and ${serial} was seen before`,
      'the server has an old state: wait, or ask the owner of the registry',
    )
  }
  if (Date.parse(index.expires) <= now.getTime()) {
    throw registryError(
      what,
      `it expired at ${index.expires}`,
      'newer packs may be missing: ask the owner of the registry; --from source builds without it',
    )
  }
}

export function registryFileAddress({ url }: Pick<KnownRegistry, 'url'>, path: string): string {
  return isRemoteAddress(url) ? `${url.replace(/\/*$/, '/')}${path}` : join(url, path)
}

/** `keep` replaces the cached copy. Undefined if the cached copy is the same index. */
type BelievedIndex = { index: RegistryIndex; keep?: () => Promise<void> }

/**
 * Parses and verifies an index.
 * @throws OgError if the index is invalid or not signed by the registry's key
 */
export function verifyIndex(
  { url, key }: KnownRegistry,
  { index: { bytes }, signature }: IndexCopy,
): RegistryIndex {
  const what = `"${url}"`
  if (key !== null) {
    if (signature === null) throw registryError(what, 'it is not signed')
    const text = textOf(signature)!
    withRegistryName(what, () => verifyMinisign(bytes, text, parsePublicKey(key)))
  }
  return parseIndex(bytes, what)
}

function withRegistryName(what: string, verify: () => unknown): void {
  try {
    verify()
  } catch (error) {
    throw registryError(what, messageOf(error), 'it was changed, or signed by another key')
  }
}

async function fetched(
  registry: KnownRegistry,
  { folder, signal }: ReadingRegistry,
): Promise<BelievedIndex> {
  const { url, key } = registry
  const isRemote = isRemoteAddress(url)
  const path = join(folder, `${sha256(url).slice(0, 16)}.json`)
  const cache = isRemote ? cachedCopy(registry, path) : null
  try {
    const { read } = await openRegistryFiles(registry, signal)
    const required = async (name: string, cachedFile: IndexFile | null | undefined) => {
      const file = await read(name, cachedFile)
      if (file === null) throw registryError(`"${url}"`, `${name} is missing`)
      return file
    }
    const files = {
      index: await required(indexName, cache?.files.index),
      signature: key === null ? null : await required(signatureName, cache?.files.signature),
    }
    if (cache !== null && Bun.deepEquals(files, cache.files)) return { index: cache.index }
    const index = verifyIndex(registry, files)
    return isRemote ? { index, keep: () => keepFiles(path, files) } : { index }
  } catch (error) {
    if (!(error instanceof NetworkError) || cache === null) throw error
    return { index: cache.index }
  }
}

function textOf(file: IndexFile | null): string | null {
  return file && Buffer.from(file.bytes).toString()
}

/** A file of a registry and its ETag, which is '' if the server sent none. */
export type IndexFile = { bytes: Uint8Array; etag: string }

type RegistryFiles = {
  /** Returns `cachedFile` if the file has not changed, and null if the file is missing. */
  read(name: string, cachedFile?: IndexFile | null): Promise<IndexFile | null>
  copy(pack: Pick<RegistryPack, 'path' | 'size'>, to: string): Promise<void>
}

/** Opens the files of a registry in a folder or on a server. */
export async function openRegistryFiles(
  { url }: Pick<KnownRegistry, 'url'>,
  signal: AbortSignal | undefined,
): Promise<RegistryFiles> {
  if (!isRemoteAddress(url)) {
    const read = async (name: string) => {
      const path = join(url, name)
      if (!existsSync(path)) return null
      const bytes = await readBytes(path, { limitMb: indexLimitMb }).catch((error: Error) => {
        throw registryError(`"${url}"`, `${name} cannot be read: ${error.message}`)
      })
      return { bytes, etag: '' }
    }
    return { read, copy: ({ path }, to) => copyFile(join(url, path), to) }
  }
  const web = openPackWeb()
  await web.trust(url)
  const refusal = (place: string, status: number) =>
    new OgError(`Cannot fetch "${place}": server answered ${status}`)
  return {
    async read(name, cachedFile) {
      const place = registryFileAddress({ url }, name)
      const tag = cachedFile?.etag ?? ''
      const headers = (): Record<string, string> => (tag === '' ? {} : { 'if-none-match': tag })
      return web.fetch(place, { headers, signal, attempts: 2 }, async (answer) => {
        const { status } = answer
        if (status === 304 && cachedFile && tag !== '') return cachedFile
        if (status === 404 || status === 410) return null
        if (status !== 200) throw refusal(place, status)
        const limits = { sizeBytes: indexLimitMb * 2 ** 20, timeoutMs: 120_000 }
        return { bytes: await answer.bytes(limits), etag: answer.headers.get('etag') ?? '' }
      })
    },
    async copy({ path, size }, to) {
      const place = registryFileAddress({ url }, path)
      await web.fetch(place, { signal }, async (answer) => {
        if (answer.status !== 200) throw refusal(place, answer.status)
        await using file = await open(to, 'w')
        for await (const piece of answer.pieces({ sizeBytes: size, timeoutMs: 3_600_000 })) {
          await file.write(piece)
        }
        await file.datasync()
      })
    },
  }
}

export type IndexCopy = { index: IndexFile; signature: IndexFile | null }

function cachedCopy(
  registry: KnownRegistry,
  path: string,
): { files: IndexCopy; index: RegistryIndex } | null {
  try {
    const { index, signature } = JSON.parse(readFileSync(path, 'utf8')) as KeptText
    const files = { index: cachedFile(index), signature: signature && cachedFile(signature) }
    return { files, index: verifyIndex(registry, files) }
  } catch {
    return null // The index is fetched again, which costs only time.
  }
}

/** Index and signature are in one file, so that a killed process never leaves a mismatched pair. */
type KeptText = Record<'index' | 'signature', { text: string; etag: string } | null>

function cachedFile(file: KeptText['index']): IndexFile {
  return { bytes: new TextEncoder().encode(file!.text), etag: file!.etag }
}

async function keepFiles(path: string, { index, signature }: IndexCopy): Promise<void> {
  const toText = (file: IndexFile) => ({ text: textOf(file)!, etag: file.etag })
  const texts: KeptText = { index: toText(index), signature: signature && toText(signature) }
  try {
    mkdirSync(dirname(path), { recursive: true })
    await writeFileAtomically(path, JSON.stringify(texts))
  } catch (cause) {
    throw new OgError(`Cannot write "${path}": ${messageOf(cause)}`, { cause })
  }
}

export type ListedPack = { registry: KnownRegistry; pack: RegistryPack; place: string }

/**
 * Returns a library version's pack from the first registry that has one. Chooses it by the version
 * rules, or takes the newest if no version is given. Returns null if no registry has a pack. Calls
 * `onProblem` for a registry that cannot be verified, and continues with the next.
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

/** Returns the newest pack of the matching version, but a yanked one only for an exact version. */
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
  const chosenVersion =
    version === null
      ? defaultVersion(versions)
      : (matchVersion(version, versions) ?? matchingVersions(version, versions)[0])
  const ofVersion = mine.filter((it) => it.version === chosenVersion)
  return ofVersion.sort((a, b) => (a.indexedAt < b.indexedAt ? 1 : -1))[0] ?? null
}

export function searchPacks({ packs }: RegistryIndex, text: string): RegistryPack[] {
  const words = text.toLowerCase().split(/\s+/)
  const newest = new Map<string, RegistryPack>()
  for (const pack of packs) {
    const text = `${pack.library} ${pack.title}`.toLowerCase()
    if (pack.yanked || !words.every((word) => text.includes(word))) continue
    const name = `${pack.library}@${pack.version}`
    const other = newest.get(name)
    if (other === undefined || other.indexedAt < pack.indexedAt) newest.set(name, pack)
  }
  return [...newest.values()]
}
