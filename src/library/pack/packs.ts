import { existsSync, mkdirSync, statSync } from 'node:fs'
import { extname, join } from 'node:path'
import type { Entry } from '../../store/registry.ts'
import { findGenerationFault } from '../../store/file-checks.ts'
import { Damage } from '../../store/integrity/damage.ts'
import { messageOf, OgError } from '../../platform/error.ts'
import { printableUrl } from '../../platform/web/http.ts'
import { pickEntry } from '../../version/pick.ts'
import type { OpenVersions, OpenEntries } from '../entries.ts'
import type { AddResult } from '../library.ts'
import type { LibraryContext } from '../library-context.ts'
import { openRemotePack, type FetchedPack } from './fetch-pack.ts'
import { installPack, type InstallRequest } from './install-pack.ts'
import { toLicense, readSourceLicense } from './license.ts'
import { packError, type PackManifest, type PackMember } from './pack-format.ts'
import { isRemoteAddress } from './packed-source.ts'
import { openPackFile } from './read-pack.ts'
import { writePack, type License, type PackOptions, type WrittenPack } from './write-pack.ts'
import { createTempFolder } from '../../platform/file/files.ts'

export type PackRequest = Omit<PackOptions, 'license'> & {
  /** `kept` is the licence at the time of indexing, and `source` is the current one. */
  license: License | 'kept' | 'source' | null
  library: string
  version: string | null
  to: string | null
}

type PackAddRequest = Omit<InstallRequest, 'open' | 'head' | 'place'> & {
  path: string
  /** Hash of the manifest, if a registry lists it. A pack with a different hash is rejected. */
  sha256?: string
}

export type Packs = {
  write(request: PackRequest): Promise<WrittenPack & { path: string }>
  add(request: PackAddRequest): Promise<AddResult>
}

type Ready = { context: LibraryContext; entries: OpenEntries }

export function openPacks(ready: () => Promise<Ready>): Packs {
  return {
    async write(request) {
      const {
        context: { folder, reach },
        entries,
      } = await ready()
      using openVersions = await entries((all) => [pickEntry(all, request)])
      const [one] = openVersions
      if (one!.entry.live.embedded !== undefined) throw notYetEmbedded(one!.entry)
      // Read every byte, so that a damaged library is never packed.
      const fault = await findGenerationFault(folder, one!.entry.live.id)
      if (fault !== null) throw new Damage(one!.entry, fault)
      const path = outputPath(request.to, packFileName(one!.entry))
      const { signal } = request
      const license = await licenseFor(one!, request.license, { reach, signal })
      return { path, ...(await writePack(one!, path, { ...request, license })) }
    },
    async add({ path, ...request }) {
      if (isRemoteAddress(path)) return await addRemote(ready, path, request)
      const head = headOf(path)
      if (request.sha256 !== undefined && head.sha256 !== request.sha256) {
        throw packError(`"${path}"`, 'the registry lists a different pack')
      }
      const { context } = await ready()
      const open = async () => openPackFile(path)
      return await installPack(context, { ...request, open, head, place: path })
    },
  }
}

async function licenseFor(
  { entry, open }: OpenVersions[number],
  license: PackRequest['license'],
  asking: Parameters<typeof readSourceLicense>[1],
): Promise<License | null> {
  if (license === 'source') return readSourceLicense(entry.live, asking)
  if (license !== 'kept') return license
  const text = await open.license()
  return text === null ? null : toLicense(text)
}

function headOf(path: string): InstallRequest['head'] {
  using pack = openPackFile(path)
  return { manifest: pack.manifest, sha256: pack.sha256 }
}

async function addRemote(
  ready: () => Promise<Ready>,
  url: string,
  request: Omit<PackAddRequest, 'path'>,
): Promise<AddResult> {
  const { signal, sha256 } = request
  const remote = await openRemotePack(url, { signal, sha256 })
  const { manifest } = remote.head
  const { context, entries } = await ready()
  const folder = join(context.folder, 'packs')
  let fetched: FetchedPack | null = null
  await using stack = new AsyncDisposableStack()
  const open = async (entry: Entry | null, onProgress: (share: number) => void) => {
    const memberHere = stack.use(await findReusableMembers(entries, entry, manifest))
    return (fetched = await remote.fetch({ folder, memberHere, onProgress, signal }))
  }
  const place = printableUrl(url)
  const result = await installPack(context, { ...request, open, head: remote.head, place })
  ;(fetched as FetchedPack | null)?.forget()
  return result
}

function notYetEmbedded({ library, version, live }: Entry): OgError {
  const { embedded = 0, chunks } = live
  return new OgError(
    `Cannot pack library "${library}" version "${version}": ${embedded} of ${chunks} chunks are ` +
      'embedded',
    { hint: 'og add --resume embeds the rest' },
  )
}

/** Returns a file name such as `fastapi-0.115.0.ogpack`. */
export function packFileName({ library, version }: { library: string; version: string }): string {
  const plain = (text: string) => text.replace(/[^\w.+-]+/g, '-').replace(/^[-.]+/, '')
  return `${plain(library)}-${plain(version)}.ogpack`
}

/**
 * Returns a file name that no pack has had. Numbers only increase, because packs with lower numbers
 * may have been deleted.
 */
export function unusedPackName(taken: readonly string[], name: string): string {
  const stem = name.slice(0, -'.ogpack'.length)
  const numbers = taken.flatMap((it) => {
    if (it === name) return 1
    if (!it.startsWith(`${stem}+`)) return []
    const number = /^(\d{1,9})\.ogpack$/.exec(it.slice(stem.length + 1))?.[1]
    return number === undefined ? [] : Number(number)
  })
  return numbers.length === 0 ? name : `${stem}+${Math.max(...numbers) + 1}.ogpack`
}

/**
 * Returns the path of the file to write: `to` itself, or the default name in `to` if `to` is a
 * folder or null. Creates a missing folder. If `to` does not exist and has no extension, it is a
 * folder.
 */
export function outputPath(to: string | null, name: string): string {
  if (to === null) return name
  const isNewFolder = /[/\\]$/.test(to) || extname(to) === ''
  const isFolder = existsSync(to) ? statSync(to).isDirectory() : isNewFolder
  if (!isFolder) return to
  try {
    mkdirSync(to, { recursive: true })
  } catch (cause) {
    throw new OgError(`Cannot create folder "${to}": ${messageOf(cause)}`, { cause })
  }
  return join(to, name)
}

/**
 * Returns the pack members that can be made from the live generation, by packing the generation
 * into a temporary file with the same options. Returns no members if the embeddings differ.
 */
export async function findReusableMembers(
  entries: OpenEntries,
  entry: Entry | null,
  { fingerprint, vectors }: PackManifest,
): Promise<AsyncDisposable & ((member: PackMember) => Buffer | null)> {
  const isAlike =
    entry !== null &&
    entry.live.embedded === undefined &&
    (vectors === 'none' || Bun.deepEquals(entry.live.fingerprint, fingerprint))
  if (!isAlike) return Object.assign(() => null, { async [Symbol.asyncDispose]() {} })
  await using stack = new AsyncDisposableStack()
  const folder = stack.use(await createTempFolder('og-known'))
  const path = join(folder.path, 'known.ogpack')
  {
    using openVersions = await entries((all) => all.filter(({ live }) => live.id === entry.live.id))
    await writePack(openVersions[0]!, path, { vectors, license: null, isHasty: true })
  }
  const pack = stack.use(openPackFile(path))
  const bySha256 = new Map(pack.manifest.members.map((member) => [member.sha256, member]))
  const resources = stack.move()
  const content = ({ sha256 }: PackMember) => {
    const member = bySha256.get(sha256)
    return member === undefined ? null : pack.content(member)
  }
  return Object.assign(content, { [Symbol.asyncDispose]: () => resources.disposeAsync() })
}
