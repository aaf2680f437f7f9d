import { existsSync, statSync } from 'node:fs'
import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Fingerprint } from '../embed/embedder.ts'
import { OgError } from '../platform/error.ts'
import { writeFileAtomically } from '../platform/file/files.ts'
import { lockExclusive, type Lock } from '../platform/lock.ts'
import { publishedIds } from './entry-file.ts'
import { writing } from './lance.ts'
import type { Chunker } from './chunker.ts'
import { readEntry, storedEntry } from './registry-schema.ts'
import { mending, parseRegistry, registryFormat, registryText } from './registry-text.ts'
import { remoteOf } from './remote/attached.ts'
import type { Source, SourceGap } from './source.ts'

/** One written state of a library version; never changed afterwards. */
export type Generation = {
  /** Folder name below `generations/`. */
  id: string
  pages: number
  chunks: number
  source: Source
  ref: string | null
  commit: string | null
  /** The tag of the commit, if a branch was read that has one. */
  tag?: string | undefined
  indexedAt: string
  /** null: built without embeddings (full-text only). */
  fingerprint: Fingerprint | null
  arithmetic: string | null
  chunker: Chunker
  /** Hash over every page's url, title and text: equal means nothing changed. */
  contentHash: string
  /** Pages that could not be read; absent in registries of earlier versions. */
  failed?: number
  /** Absent if nothing is known to be missing, and in registries of earlier versions. */
  incomplete?: SourceGap
  /** Chunks that are embedded so far; the rest have zeros. Absent: there is nothing to follow. */
  embedded?: number
  /** Between which cosines answers lie (search/confidence.ts); absent where it was not measured. */
  calibration?: { own: number; foreign: number }
  /** Absent where it was built from its source. */
  pack?: PackOrigin
}

/** Which pack a generation came out of: where it was, and the SHA-256 of its manifest. */
export type PackOrigin = { place: string; sha256: string }

/** The row that readers follow. `key` is the library's name in lower case, `library` as typed. */
export type Entry = {
  key: string
  library: string
  version: string
  live: Generation
  previous: Generation | null
}

/**
 * All entries, or none where there is no store yet. Reads one small file; needs no lock. Of a
 * bucket the file is a copy, which is renewed first where it is old.
 */
export async function readEntries(folder: string): Promise<Entry[]> {
  await remoteOf(folder)?.refresh()
  return readEntriesHere(folder)
}

/**
 * Reads the entries without asking a bucket: for who holds the lock of the registry, or has just
 * asked.
 */
export async function readEntriesHere(folder: string): Promise<Entry[]> {
  const path = join(folder, 'registry.json')
  for (let attempt = 1; ; attempt++) {
    const stamp = stampOf(path)
    if (stamp !== null && last?.stamp === stamp && last.path === path) return [...last.entries]
    const text = await readFile(path, 'utf8').catch((error) => nothingRead(path, error))
    if (text !== null) return entriesOf({ text, path, stamp })
    if (remoteOf(folder) !== null) return []
    // Without it nothing is named, and the next sweep would delete all that there is.
    const published = await publishedIds(folder)
    if (published.length === 0) return []
    // There is a registry before a generation is published: somebody has just made or deleted it.
    if (attempt < 5) await Bun.sleep(5)
    else throw missing(path, published.length)
  }
}

/** A server reads the registry before each search, and finds what it found before. */
let last: (ReadRegistry & { entries: readonly Entry[] }) | null = null

/** `stamp` is from before the text was read; null: the file may still change without a trace. */
type ReadRegistry = { text: string; path: string; stamp: string | null }

function entriesOf({ text, path, stamp }: ReadRegistry): Entry[] {
  const isSame = last?.text === text && last.path === path
  const entries = isSame ? last!.entries : parseRegistry(text, path).entries.map(readEntry)
  last = { text, path, stamp, entries }
  return [...entries]
}

/**
 * What tells one state of a file from the next, without reading it; null where there is none, or
 * where it is so new that another state of this size could have the same times.
 */
function stampOf(path: string): string | null {
  try {
    const stats = statSync(path, { bigint: true, throwIfNoEntry: false })
    if (stats === undefined) return null
    const { dev, ino, size, mtimeNs, ctimeNs } = stats
    const changedMs = Number(mtimeNs > ctimeNs ? mtimeNs : ctimeNs) / 1e6
    return Date.now() - changedMs < settledMs ? null : [dev, ino, size, mtimeNs, ctimeNs].join()
  } catch {
    // Who reads it says why.
    return null
  }
}

/** Some file systems tell times in steps of two seconds. */
const settledMs = 3_000

function nothingRead(path: string, error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null
  const isFolder = error.code === 'EISDIR'
  throw new OgError(`Cannot read store ${path}: ${isFolder ? 'it is a folder' : error.message}`, {
    ...(isFolder ? { hint: mending } : {}),
  })
}

function missing(path: string, nPublished: number): OgError {
  return new OgError(
    `Cannot read store ${path}: it is missing, and generations/ holds ${nPublished}`,
    { hint: mending },
  )
}

/**
 * The right to change which generations there are: to make, name or delete one. Whoever holds it
 * sees registry and folders as they belong together. Held for milliseconds.
 */
export function lockRegistry(folder: string): Promise<Lock> {
  const what = `the registry of ${folder}`
  return lockExclusive(join(folder, 'locks', 'registry'), { timeoutMs: 60_000, what, pollMs: 10 })
}

/**
 * Changes the entries as one atomic step: a reader, and whoever comes after kill -9, sees all of
 * it or nothing. Writers take turns. `read` says what there is where the registry cannot.
 */
export async function changeEntries(
  folder: string,
  change: (entries: Entry[]) => Entry[] | Promise<Entry[]>,
  { read = readEntries }: { read?: typeof readEntries } = {},
): Promise<void> {
  const remote = remoteOf(folder)
  if (remote !== null) return remote.change(change)
  using _turn = await lockRegistry(folder)
  await deleteLeftovers(folder)
  const before = await read(folder)
  if (!existsSync(join(folder, 'registry.json'))) await writeEntries(folder, before)
  await writeEntries(folder, await change(before))
}

async function writeEntries(folder: string, entries: Entry[]): Promise<void> {
  const text = registryText({ format: registryFormat, entries: entries.map(storedEntry) })
  await writing(folder, () => writeFileAtomically(join(folder, 'registry.json'), text))
}

/** What a run left that was killed while it replaced the registry; under the lock nobody does. */
async function deleteLeftovers(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (name.startsWith('.registry.json.')) await rm(join(folder, name), { force: true })
  }
}
