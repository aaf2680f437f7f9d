import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { messageOf, OgError } from '../../platform/error.ts'
import { writeFileAtomically } from '../../platform/file/files.ts'
import { readBytes } from '../../platform/file/read-file.ts'
import { sha256 } from '../../platform/hash.ts'
import { parsePublicKey, verifyMinisign } from '../../platform/minisign.ts'
import { NetworkError } from '../../platform/web/http.ts'
import type { Web } from '../../platform/web/web.ts'
import { openPackWeb } from '../pack/fetch-pack.ts'
import { openOci } from '../pack/oci.ts'
import { isOci, isRemote } from '../pack/pack-place.ts'
import {
  indexLimitMb, indexName, parseIndex, refusedRegistry, signatureName, type RegistryIndex,
} from './index-format.ts'
import { rememberSerial, type KnownRegistry } from './known-registries.ts'

export type ReadingRegistry = {
  home: string
  /** For what was fetched last, by which a server need not send it again. */
  folder: string
  signal?: AbortSignal | undefined
  now?: Date
}

/**
 * What a registry says now: signed by its key, not older than what was seen, and not expired. Where
 * it cannot be reached, what it said last serves until it expires.
 * @throws OgError where it cannot be believed
 */
export async function readRegistry(
  registry: KnownRegistry, reading: ReadingRegistry,
): Promise<RegistryIndex> {
  const { url, serial } = registry
  const what = `"${url}"`
  const read = () => isRemote(url) ? fetched(registry, reading) : onDisk(registry)
  // Index and signature are two files: who reads between two writes reads again.
  const index = await read().then((stored) => believed(registry, stored))
    .catch((error) => {
      if (registry.key === null || error instanceof NetworkError) throw error
      return read().then((stored) => believed(registry, stored))
    })
  if (index.serial < serial) {
    throw refusedRegistry(what, `its serial is ${index.serial}, and ${serial} was seen before`,
      'an old state is served: wait, or ask who keeps it')
  }
  const now = reading.now ?? new Date()
  if (Date.parse(index.expires) <= now.getTime()) {
    throw refusedRegistry(what, `what it says held until ${index.expires}`,
      'newer packs may be held back: ask who keeps it; --from source builds without it')
  }
  if (index.serial > serial) await rememberSerial(reading.home, url, index.serial)
  return index
}

/** Where a file of a registry is. */
export function placeIn({ url }: Pick<KnownRegistry, 'url'>, path: string): string {
  if (isOci(url)) return `${url}#${path}`
  return isRemote(url) ? `${url.replace(/\/*$/, '/')}${path}` : join(url, path)
}

type IndexFiles = { index: Uint8Array; signature: string | null }

function believed({ url, key }: KnownRegistry, { index, signature }: IndexFiles): RegistryIndex {
  const what = `"${url}"`
  if (key !== null) {
    if (signature === null) throw refusedRegistry(what, 'it is not signed')
    verified(what, () => verifyMinisign(index, signature, parsePublicKey(key)))
  }
  return parseIndex(index, what)
}

/** Said of the registry. */
function verified(what: string, verify: () => unknown): void {
  try {
    verify()
  } catch (error) {
    throw refusedRegistry(what, messageOf(error), 'it was changed, or signed by another key')
  }
}

async function onDisk({ url, key }: KnownRegistry): Promise<IndexFiles> {
  const read = async (name: string) =>
    readBytes(join(url, name), { limitMb: indexLimitMb }).catch((error: Error) => {
      throw refusedRegistry(`"${url}"`, `${name} cannot be read: ${error.message}`)
    })
  const index = await read(indexName)
  const signature = key === null ? null : (await read(signatureName)).toString()
  return { index, signature }
}

async function fetched(registry: KnownRegistry, reading: ReadingRegistry): Promise<IndexFiles> {
  const { signal } = reading
  const web = openPackWeb()
  const kept = keptFiles(reading.folder, registry.url)
  try {
    const fetchOne = await fetcherOf(registry, { web, signal })
    const index = await fetchOne(indexName, kept.index)
    const signature = registry.key === null ? null : await fetchOne(signatureName, kept.signature)
    return { index, signature: signature && Buffer.from(signature).toString() }
  } catch (error) {
    if (!(error instanceof NetworkError) || !existsSync(kept.index)) throw error
    const signature = existsSync(kept.signature) ? readFileSync(kept.signature, 'utf8') : null
    return { index: readFileSync(kept.index), signature }
  }
}

type Fetching = { web: Web; signal: AbortSignal | undefined }

/** What fetches a file by its name, where it is not kept already. */
async function fetcherOf(
  registry: KnownRegistry, { web, signal }: Fetching,
): Promise<(name: string, kept: string) => Promise<Uint8Array>> {
  const { url } = registry
  if (!isOci(url)) {
    await web.trust(url)
    return (name, kept) => fetchFile(web, placeIn(registry, name), { kept, signal })
  }
  const artifact = await openOci(url, { web, signal })
  return async (name, kept) => {
    const file = artifact.files.get(name)
    if (file === undefined) throw refusedRegistry(`"${url}"`, `it has no ${name}`)
    const before = existsSync(kept) ? readFileSync(kept) : null
    if (before !== null && sha256(before) === file.sha256) return before
    const admission = artifact.headers
    const bytes = await fetchFile(web, artifact.urlOf(file), { kept, signal, admission })
    if (sha256(bytes) === file.sha256) return bytes
    throw refusedRegistry(`"${url}"`, `${name} is not what its digest names`)
  }
}

function keptFiles(folder: string, url: string): { index: string; signature: string } {
  mkdirSync(folder, { recursive: true })
  const stem = join(folder, sha256(url).slice(0, 16))
  return { index: `${stem}.json`, signature: `${stem}.minisig` }
}

type Keeping = {
  kept: string
  signal: AbortSignal | undefined
  /** What lets in at an address on the way. */
  admission?: (url: URL) => Record<string, string>
}

/** The file as it is now; what was kept where the server says that it is the same. */
async function fetchFile(
  web: Web, url: string, { kept, signal, admission = () => ({}) }: Keeping,
): Promise<Uint8Array> {
  const tagPath = `${kept}.etag`
  const tag = existsSync(kept) && existsSync(tagPath) ? readFileSync(tagPath, 'utf8') : ''
  const headers = (to: URL): Record<string, string> =>
    ({ ...(tag === '' ? {} : { 'if-none-match': tag }), ...admission(to) })
  return web.fetch(url, { headers, signal, attempts: 2 }, async (answer) => {
    if (answer.status === 304 && tag !== '') return readFileSync(kept)
    if (answer.status !== 200) {
      throw new OgError(`Cannot fetch "${url}": server answered ${answer.status}`)
    }
    const limits = { sizeBytes: indexLimitMb * 2 ** 20, timeoutMs: 120_000 }
    const bytes = await answer.bytes(limits)
    // Kept for speed alone: what was kept is believed by its signature, as what is fetched.
    await writeFileAtomically(kept, bytes)
    await writeFileAtomically(tagPath, answer.headers.get('etag') ?? '')
    return bytes
  }).catch((error) => {
    if (error instanceof OgError) throw error
    throw new OgError(`Cannot keep what "${url}" says: ${messageOf(error)}`, { cause: error })
  })
}
