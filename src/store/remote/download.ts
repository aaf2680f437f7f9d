import { existsSync } from 'node:fs'
import { mkdir, readdir, rename, rm, stat, writeFile, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { runInOrder } from '../../platform/concurrency.ts'
import { syncFolder, syncTree } from '../../platform/file/files.ts'
import { sha256, sha256OfFile } from '../../platform/hash.ts'
import { createLockFile, lockExclusive, tryLockExclusive, type Lock } from '../../platform/lock.ts'
import { FileFault } from '../integrity/damage.ts'
import {
  leaseName,
  readManifest,
  type ManifestFile,
  lacksTables,
  withoutTablesMark,
} from '../integrity/manifest.ts'
import { withWriteErrors } from '../lance.ts'
import { lockRegistry, readLocalEntries } from '../registry.ts'
import { isInTable } from './open-tables.ts'
import { OgError } from '../../platform/error.ts'
import type { Bucket } from './bucket.ts'
import type { GenerationOrigin } from '../remote-bucket.ts'

type ReceiveOptions = {
  origin: GenerationOrigin
  /** Called under the registry lock when the generation is in place, before any sweep. */
  onPlaced?: () => void
  /** If true, entry.json is not copied: the publisher writes it later. */
  isUnnamed?: boolean
  mostBytes?: number
}

/**
 * Copies a generation into a folder unless it is already there. Copies each file to a temporary
 * folder and compares it with its SHA-256. A single rename then puts all files in place. Resumes
 * the copy of a killed run. Creates nothing if the origin lacks the generation. If a local
 * generation has no tables, adds them, unless the generation exceeds `mostBytes`.
 * @returns true if the generation was copied
 * @throws Fault if the data differs from the data that was written
 */
export async function downloadGeneration(
  folder: string,
  id: string,
  { origin, onPlaced = () => {}, isUnnamed = false, mostBytes = Infinity }: ReceiveOptions,
): Promise<boolean> {
  const path = join(folder, 'generations', id)
  const lease = join(path, leaseName)
  return withWriteErrors(folder, async () => {
    using _turn = await lockCopying(folder, id)
    const beside = join(folder, 'copying', id)
    const isLacking = () => !existsSync(lease) || (lacksTables(path) && mostBytes === Infinity)
    if (isLacking()) {
      if (!(await receiveInto(beside, origin, { isUnnamed, mostBytes }))) return false
      await syncTree(beside)
      createLockFile(join(beside, leaseName))
      await mkdir(dirname(path), { recursive: true })
    }
    using _registry = await lockRegistry(folder)
    const isNew = isLacking()
    if (existsSync(lease)) {
      if (isNew) await addTables(beside, path)
    } else {
      await rm(path, { recursive: true, force: true })
      await rename(beside, path)
      await syncFolder(dirname(path))
    }
    onPlaced()
    return isNew
  })
}

/** Deletes partial copies of generations that no row references any more. */
export async function sweepCopying(folder: string): Promise<void> {
  const leftovers = await readdir(join(folder, 'copying')).catch(() => [])
  if (leftovers.length === 0) return
  const entries = await readLocalEntries(folder)
  const referenced = new Set(entries.flatMap(({ live, previous }) => [live.id, previous?.id]))
  for (const id of leftovers.filter((it) => !referenced.has(it))) {
    using turn = tryLockExclusive(turnPath(folder, id))
    if (turn !== null) await rm(join(folder, 'copying', id), { recursive: true, force: true })
  }
}

/**
 * Moves each table with a single rename. The generation counts as one without tables until the
 * marker file is removed at the end.
 */
async function addTables(beside: string, path: string): Promise<void> {
  for (const name of (await readdir(beside)).filter((it) => it.endsWith('.lance'))) {
    await rm(join(path, name), { recursive: true, force: true })
    await rename(join(beside, name), join(path, name))
  }
  await rm(join(path, withoutTablesMark))
  await syncFolder(path)
  await rm(beside, { recursive: true })
}

async function receiveInto(
  beside: string,
  { place, file }: GenerationOrigin,
  { isUnnamed, mostBytes }: Required<Pick<ReceiveOptions, 'isUnnamed' | 'mostBytes'>>,
): Promise<boolean> {
  await mkdir(beside, { recursive: true })
  const fetchFile = (name: string) => file(name, join(beside, name))
  if (!(await fetchFile('manifest.json'))) return false
  if (!isUnnamed && !(await fetchFile('entry.json'))) return false
  const all = readManifest(beside).files
  const odd = all.find(({ path }) => !isPlainPath(path))
  if (odd !== undefined) throw new FileFault(`manifest.json names ${JSON.stringify(odd.path)}`)
  const isWithoutTables = all.reduce((sum, { size }) => sum + size, 0) > mostBytes
  const files = isWithoutTables ? all.filter(({ path }) => !isInTable(path)) : all
  await rm(join(beside, withoutTablesMark), { force: true })
  for (const folder of new Set(files.map(({ path }) => dirname(path)))) {
    await mkdir(join(beside, folder), { recursive: true })
  }
  const receive = async (name: string, isRight: (path: string) => Promise<boolean>) => {
    const path = join(beside, name)
    // A response body may be truncated without an error. A file that is wrong three times is also
    // wrong at the origin.
    for (let attempt = 0; attempt < 3; attempt++) {
      if (await isRight(path)) return true
      if (!(await fetchFile(name))) return false
    }
    if (await isRight(path)) return true
    throw new FileFault(`${name} in ${place} has changed since it was written`)
  }
  const receiveFile = (file: ManifestFile) => receive(file.path, (path) => isWhole(path, file))
  for await (const isThere of runInOrder(files, receiveFile, { lanes: uploadLanes }))
    if (!isThere) return false
  await fetchFile('renewed-validators.json')
  if (isWithoutTables) await writeFile(join(beside, withoutTablesMark), '')
  return true
}

async function isWhole(path: string, { size, sha256 }: ManifestFile): Promise<boolean> {
  const stats = await stat(path).catch(() => null)
  return stats?.size === size && (await sha256OfFile(path)) === sha256
}

/**
 * Accepts only names of the form that LanceDB and og choose. People with write access to the bucket
 * must not be able to write elsewhere on this machine.
 */
function isPlainPath(path: string): boolean {
  return path.split('/').every((part) => /^[\w-][\w.-]*$/.test(part))
}

/** Waits for the lock that is required to write `copying/<id>`. */
function lockCopying(folder: string, id: string): Promise<Lock> {
  return lockExclusive(turnPath(folder, id), {
    timeoutMs: 3_600_000,
    what: `the copy of generation ${id}`,
  })
}

/** Returns the path of one of 256 lock files. They are never deleted. */
function turnPath(folder: string, id: string): string {
  return join(folder, 'locks', `copy-${sha256(id).slice(0, 2)}`)
}

export const uploadLanes = 8

/** Size limit of one PUT (5 GB for S3). */
const mostBytes = 5_000_000_000

/**
 * Uploads the files of a generation that the bucket lacks. Uploads the manifest last, so a
 * generation with a manifest is complete. An interrupted upload can be resumed because a file name
 * always means the same content.
 */
export async function uploadGeneration(
  { bucket, folder }: { bucket: Bucket; folder: string },
  id: string,
): Promise<void> {
  const path = join(folder, 'generations', id)
  const below = `generations/${id}/`
  const there = new Map<string, number>()
  for await (const { key, size } of bucket.list(below)) there.set(key.slice(below.length), size)
  if (there.has('manifest.json')) return
  const manifest = readManifest(path)
  const lacking = manifest.files.filter((file) => there.get(file.path) !== file.size)
  const upload = async (name: string, sum: string | null) => {
    const file = join(path, name)
    const { size } = await stat(file)
    if (size > mostBytes) throw tooLarge(name, size)
    const sha256 = sum ?? (await sha256OfFile(file))
    await bucket.write(below + name, { path: file, size, sha256 })
  }
  for await (const _ of runInOrder(lacking, (it) => upload(it.path, it.sha256), {
    lanes: uploadLanes,
  }));
  const notes = await readFile(join(path, 'renewed-validators.json'), 'utf8').catch(() => null)
  if (notes !== null) await upload('renewed-validators.json', null)
  await upload('entry.json', null)
  await upload('manifest.json', null)
}

function tooLarge(name: string, size: number): OgError {
  const gigabytes = (size / 1e9).toFixed(1)
  return new OgError(
    `Cannot publish "${name}": it is ${gigabytes} GB, the limit of a bucket is 5 GB`,
  )
}
