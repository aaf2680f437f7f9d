import { existsSync, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Fingerprint } from '../embed/embedder.ts'
import { messageOf, OgError } from '../platform/error.ts'
import { writeFileAtomically } from '../platform/file/files.ts'
import { deleteLeftovers } from '../platform/file/space.ts'
import { lockExclusive, type Lock } from '../platform/lock.ts'
import { publishedIds } from './entry-file.ts'
import { withWriteErrors } from './lance.ts'
import { repairHint, parseRegistry, registryFormat, registryText } from './registry-text.ts'
import { remoteBucketOf } from './remote-bucket.ts'
import type { Source, SourceGap } from './source.ts'
import type { MissingName } from '../api/link/unresolved.ts'

/** A stored state of a library version. It never changes. */
export type Generation = {
  /** Name of its folder in `generations/`. */
  id: string
  pages: number
  chunks: number
  source: Source
  ref: string | null
  commit: string | null
  /** The commit's tag, if the source is a branch whose commit has a tag. */
  tag?: string | undefined
  indexedAt: string
  /** Null if the generation has only full text. */
  fingerprint: Fingerprint | null
  arithmetic: string | null
  chunker: string
  /** Hash of every page's URL, title and text. Equal hashes mean equal content. */
  contentHash: string
  /** Number of pages that could not be read. */
  failed?: number
  /** Undefined if no gap is known. */
  incomplete?: SourceGap
  /** Number of chunks embedded so far; the others are zeros. Undefined if all are embedded. */
  embedded?: number
  /** Range of cosines of good answers (search/confidence.ts); undefined if it was not measured. */
  calibration?: { own: number; foreign: number }
  /** Leftovers in the pages; undefined if there are none. */
  leftovers?: LeftoverCounts | undefined
  /** Public names of the library's packages; undefined if it has no API reference. */
  names?: PublicNames | undefined
  /** Undefined if the generation was built from its source. */
  pack?: PackOrigin
}

/** Number of leftovers per kind (page/leftover.ts), and the worst page as `path: example`. */
export type LeftoverCounts = {
  includes: number
  absent?: number
  shortcodes: number
  components: number
  empty: number
  fileTitle: number
  pages: number
  examples: string[]
  /** The three most frequent names of components, shortcodes and directives. */
  frequent?: { name: string; count: number }[]
}

/** The number of public names that packages declare, and the names that the index lacks. */
export type PublicNames = {
  declared: number
  missing: number
  groups: MissingGroup[]
  /** Number of names with shortened documentation, and some of their modules. */
  shortened?: { count: number; modules: string[] }
}

/** Names missing for the same reason. `count` is the total, and `names` may be incomplete. */
export type MissingGroup = Pick<MissingName, 'reason' | 'from'> & { count: number; names: string[] }

/** The source pack of a generation: its path or URL, and the SHA-256 of its manifest. */
export type PackOrigin = { place: string; sha256: string }

/** A registry row. `key` is the library's name in lower case, `library` the name as typed. */
export type Entry = {
  key: string
  library: string
  version: string
  live: Generation
  previous: Generation | null
}

/**
 * Returns all entries, or none if there is no store yet. Reads one small file without a lock. For a
 * bucket, reads the local copy of that file, refreshed if it is old.
 */
export async function readEntries(folder: string): Promise<Entry[]> {
  await remoteBucketOf(folder)?.refresh()
  return readLocalEntries(folder)
}

/**
 * Reads the entries without contacting a bucket, for callers that hold the registry lock or have
 * just refreshed the copy.
 */
export async function readLocalEntries(folder: string): Promise<Entry[]> {
  const path = join(folder, 'registry.json')
  for (let attempt = 1; ; attempt++) {
    const stamp = stampOf(path)
    if (stamp !== null && last?.stamp === stamp && last.path === path) return [...last.entries]
    const text = await readFile(path, 'utf8').catch((error) => unlessMissing(path, error))
    if (text !== null) return entriesOf({ text, path, stamp })
    if (remoteBucketOf(folder) !== null) return []
    // If the registry were missing, no generation would be referenced, and the next sweep would
    // delete them all.
    const published = await publishedIds(folder)
    if (published.length === 0) return []
    // A generation is published only after the registry exists, so another process has just created
    // or deleted the registry.
    if (attempt < 5) await Bun.sleep(5)
    else throw missingRegistry(path, published.length)
  }
}

/** Cached because a server reads the registry before each search, and it rarely changes. */
let last: (ReadRegistry & { entries: readonly Entry[] }) | null = null

/** `stamp` was taken before the text was read. If it is null, the file may change unnoticed. */
type ReadRegistry = { text: string; path: string; stamp: string | null }

function entriesOf({ text, path, stamp }: ReadRegistry): Entry[] {
  const isSame = last?.text === text && last.path === path
  const entries = isSame ? last!.entries : parseRegistry(text, path).entries
  last = { text, path, stamp, entries }
  return [...entries]
}

/**
 * Returns a stamp that identifies a file's state without reading the file. Returns null if the file
 * is missing, or so new that another state could have the same size and times.
 */
function stampOf(path: string): string | null {
  try {
    const stats = statSync(path, { bigint: true, throwIfNoEntry: false })
    if (stats === undefined) return null
    const { dev, ino, size, mtimeNs, ctimeNs } = stats
    const changedMs = Number(mtimeNs > ctimeNs ? mtimeNs : ctimeNs) / 1e6
    return Date.now() - changedMs < stampAgeMs ? null : [dev, ino, size, mtimeNs, ctimeNs].join()
  } catch {
    // The error is reported when the file is read.
    return null
  }
}

/** Some file systems store times in steps of two seconds. */
const stampAgeMs = 3_000

function unlessMissing(path: string, error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null
  const isFolder = error.code === 'EISDIR'
  throw new OgError(
    `Cannot read store ${path}: ${isFolder ? 'it is a folder' : messageOf(error)}`,
    { ...(isFolder ? { hint: repairHint } : {}) },
  )
}

function missingRegistry(path: string, nPublished: number): OgError {
  return new OgError(
    `Cannot read store ${path}: it is missing, and generations/ has ${nPublished}`,
    { hint: repairHint },
  )
}

/**
 * Waits for the lock that is required to create, reference or delete generations. Its holder sees
 * the registry and the folders in a consistent state. The lock is held for milliseconds.
 */
export function lockRegistry(folder: string): Promise<Lock> {
  const what = `the registry of ${folder}`
  return lockExclusive(join(folder, 'locks', 'registry'), { timeoutMs: 60_000, what, pollMs: 10 })
}

/**
 * Changes the entries atomically, even if the process is killed: readers see all of the change or
 * nothing. Writers wait for each other. `read` supplies the entries if the registry is unreadable.
 */
export async function changeEntries(
  folder: string,
  change: (entries: Entry[]) => Entry[] | Promise<Entry[]>,
  { read = readEntries }: { read?: typeof readEntries } = {},
): Promise<void> {
  const remote = remoteBucketOf(folder)
  if (remote !== null) return remote.change(change)
  using _turn = await lockRegistry(folder)
  await deleteLeftovers(folder, '.registry.json.')
  const before = await read(folder)
  if (!existsSync(join(folder, 'registry.json'))) await writeEntries(folder, before)
  await writeEntries(folder, await change(before))
}

async function writeEntries(folder: string, entries: Entry[]): Promise<void> {
  const text = registryText({ format: registryFormat, entries })
  await withWriteErrors(folder, () => writeFileAtomically(join(folder, 'registry.json'), text))
}
