import { readdirSync, statSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { OgError } from '../../platform/error.ts'
import { writeFileAtomically } from '../../platform/file/files.ts'
import { sha256OfFile } from '../../platform/hash.ts'
import { shellWord } from '../../platform/text/shell-word.ts'
import { checkPackFile } from '../pack/check-pack.ts'
import {
  indexName,
  indexText,
  isPackPath,
  parseIndex,
  registryError,
  signatureName,
  type RegistryIndex,
  type RegistryPack,
} from './index-format.ts'
import { signIndex, type MinisignSecret } from '../../platform/minisign.ts'
import { lockTransient, type Lock } from '../../platform/lock.ts'

type BuildRequest = {
  secret: MinisignSecret | null
  days: number
  /** Versions that clients must not choose any more, as `library@version`. */
  yank: readonly string[]
  /** Number of packs to keep per version, newest first. Null keeps all of them. */
  keep?: number | null
  /** The lowest serial to use if the previous index is lost. Clients may have seen that index. */
  serial?: number | null
  now?: Date
}

type BuiltRegistry = {
  serial: number
  packs: number
  added: string[]
  removed: string[]
  isWritten: boolean
}

/**
 * Turns a folder of packs into a registry that any web server can serve, by writing its index. Does
 * not read packs in the old index again. A published file never changes.
 * @throws OgError if a file is not a pack or has changed; nothing is written then
 */
export async function buildRegistry(folder: string, request: BuildRequest): Promise<BuiltRegistry> {
  const { now = new Date(), secret, days, keep = null } = request
  const what = `registry "${folder}"`
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
    throw new OgError(`Cannot build ${what}: there is no such folder`, {
      hint: `og pack --all -o ${shellWord(folder)} writes packs into it`,
    })
  }
  using _lock = await lockRegistryFolder(folder)
  await rm(join(folder, partialPackName), { force: true })
  const before = await readIndex(folder)
  if (secret === null && existing(join(folder, signatureName)) !== null) {
    throw new OgError(`Cannot build ${what}: its index was signed`, {
      hint: 'give its key with --key',
    })
  }
  const all = withYanked(await readPacks(folder, before), request.yank)
  const packs = keep === null ? all : newestPacks(all, keep)
  const paths = new Set(before?.packs.map(({ path }) => path))
  const added = packs.filter(({ path }) => !paths.has(path)).map(({ path }) => path)
  const removed = [...paths.difference(new Set(packs.map(({ path }) => path)))]
  const lifeMs = days * 86_400_000
  const isFresh =
    before !== null &&
    Bun.deepEquals(before.packs, packs) &&
    Date.parse(before.expires) - now.getTime() > lifeMs / 2
  if (isFresh) {
    await deleteOthers(folder, { all, packs })
    return { serial: before.serial, packs: packs.length, added, removed, isWritten: false }
  }
  const serial = Math.max((before?.serial ?? 0) + 1, request.serial ?? 0)
  const expires = new Date(now.getTime() + lifeMs).toISOString()
  const text = indexText({ serial, time: now.toISOString(), expires, packs })
  await writeFileAtomically(join(folder, indexName), text)
  if (secret !== null) {
    const comment = `serial ${serial}, expires ${expires}`
    const signature = signIndex(secret, Buffer.from(text), { comment })
    await writeFileAtomically(join(folder, signatureName), signature)
  }
  await deleteOthers(folder, { all, packs })
  return { serial, packs: packs.length, added, removed, isWritten: true }
}

export async function readIndex(folder: string): Promise<RegistryIndex | null> {
  const path = join(folder, indexName)
  return existing(path) === null ? null : parseIndex(await readFile(path), `"${folder}"`)
}

/**
 * Reads the packs in a registry's folder, ordered by library, version and path.
 * @throws OgError if a file is not a pack, or has changed
 */
export async function readPacks(
  folder: string,
  before?: RegistryIndex | null,
): Promise<RegistryPack[]> {
  before = before === undefined ? await readIndex(folder) : before
  const byPath = new Map(before?.packs.map((pack) => [pack.path, pack]))
  const packs: RegistryPack[] = []
  for (const path of packPaths(folder)) {
    packs.push(await readPack(folder, path, { last: byPath.get(path), since: before?.time }))
  }
  const key = ({ library, version, path }: RegistryPack) => `${library}\n${version}\n${path}`
  return packs.sort((a, b) => (key(a) < key(b) ? -1 : 1))
}

function packPaths(folder: string): string[] {
  const paths = (readdirSync(folder, { recursive: true }) as string[])
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => path.endsWith('.ogpack') && !/(^|\/)\./.test(path))
  const odd = paths.find((path) => !isPackPath(path))
  if (odd === undefined) return paths
  throw registryError(
    `"${folder}"`,
    `the name of "${odd}" has other characters than letters, ` + 'digits and . _ + @ -',
    'rename it',
  )
}

/** Skips a file with the same inode change time, which no program can set. */
async function readPack(
  folder: string,
  path: string,
  { last, since }: { last?: RegistryPack; since?: string },
): Promise<RegistryPack> {
  const file = join(folder, path)
  const { size, ctimeMs } = statSync(file)
  if (last && since && last.size === size && ctimeMs < Date.parse(since) - 1000) return last
  const sha256 = await sha256OfFile(file)
  if (last?.sha256 === sha256) return last
  if (last !== undefined) {
    throw registryError(
      `"${folder}"`,
      `"${path}" was published with other bytes`,
      'what is published stays as it is: give the new one another name; the newest is chosen',
    )
  }
  // Checks the whole pack because other people install packs from the signed index.
  const pack = checkPackFile(file)
  const { library, version, title, license, indexedAt, pages, chunks, ...manifest } = pack.manifest
  const model = manifest.vectors === 'none' ? null : manifest.fingerprint!.model
  return {
    library,
    version,
    title,
    license,
    path,
    size,
    sha256,
    manifest: pack.sha256,
    indexedAt,
    pages,
    chunks,
    model,
    yanked: false,
  }
}

function withYanked(packs: RegistryPack[], yank: readonly string[]): RegistryPack[] {
  const labelOf = ({ library, version }: RegistryPack) => `${library}@${version}`
  const unknown = yank.find((name) => !packs.some((pack) => labelOf(pack) === name))
  if (unknown !== undefined) {
    throw new OgError(`Cannot yank "${unknown}": the registry has no such pack`, {
      hint: 'write LIBRARY@VERSION as "og registry search" prints it',
    })
  }
  return packs.map((pack) => (yank.includes(labelOf(pack)) ? { ...pack, yanked: true } : pack))
}

function newestPacks(all: RegistryPack[], keep: number): RegistryPack[] {
  const versions = Map.groupBy(all, ({ library, version }) => `${library}\n${version}`)
  const newest = new Set(
    [...versions.values()].flatMap((packs) =>
      packs.toSorted((a, b) => (a.indexedAt < b.indexedAt ? 1 : -1)).slice(0, keep),
    ),
  )
  return all.filter((pack) => newest.has(pack))
}

/**
 * Deletes packs only after the new index, which does not list them, is written. Clients with the
 * previous index then learn that they should retry.
 */
async function deleteOthers(
  folder: string,
  { all, packs }: Record<'all' | 'packs', RegistryPack[]>,
): Promise<void> {
  for (const { path } of all) {
    if (!packs.some((it) => it.path === path)) await rm(join(folder, path), { force: true })
  }
}

function existing(path: string) {
  return statSync(path, { throwIfNoEntry: false }) ?? null
}

/** Temporary name of a pack that is being copied. A killed run may leave such a file. */
export const partialPackName = '.og-ci.part'

/** Waits for the exclusive lock on a registry's folder. Deletes the lock file afterwards. */
export function lockRegistryFolder(folder: string): Promise<Lock> {
  const what = `registry "${folder}"`
  return lockTransient(join(folder, '.og-registry.lock'), { timeoutMs: 600_000, what })
}
