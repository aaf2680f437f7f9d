import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Table } from '@lancedb/lancedb'
import type { CheckResult } from '../platform/check.ts'
import { createTempFolder } from '../platform/file/files.ts'
import { formatCount } from '../platform/text/count.ts'
import { searchFullText, searchNearest } from './chunks/chunk-search.ts'
import { appendChunks, buildFullTextIndex, type ChunkRow } from './chunks/chunk-table.ts'
import { readVectorIndex, vectorIndexRows, type VectorIndex } from './chunks/vector-index.ts'
import { describeLanceError } from './integrity/damage.ts'
import { readEntryFile, type EntryFile } from './entry-file.ts'
import { deepCheck, quickCheck, findEntryFileFault, findGenerationFault } from './file-checks.ts'
import { leaseGeneration } from './generation.ts'
import { loadLance } from './lance.ts'
import { readEntries, type Entry, type Generation } from './registry.ts'
import { generationSize, hasUnlistedFiles, lacksTables } from './integrity/manifest.ts'
import { remoteBucketOf } from './remote-bucket.ts'

/** `broken` lists live generations that are unreadable or differ from their registry entry. */
export type StoreHealth = {
  entries: Entry[]
  broken: { entry: Entry; problem: string }[]
  orphans: string[]
}

export async function checkLance(): Promise<CheckResult> {
  const started = performance.now()
  await using folder = await createTempFolder('og-doctor')
  const database = await (await loadLance()).connect(folder.path)
  const into = { database, table: null }
  const table = await appendChunks(into, ['apple', 'pear', 'plum'].map(trialRow), trialEmbeddings)
  await buildFullTextIndex(table)
  const [byText] = await searchFullText(table, ['pear'], { limit: 1 })
  const [byVector] = await searchNearest(table, Float32Array.of(0, 0, 1), { limit: 1 })
  table.close()
  database.close()
  const ms = Math.round(performance.now() - started)
  if (byText?.url === 'pear' && byVector?.url === 'plum') {
    return { ok: true, detail: `writes, indexes and searches (${ms} ms)` }
  }
  const urls = `${byText?.url ?? 'nothing'} and ${byVector?.url ?? 'nothing'}`
  return { ok: false, detail: `searching for pear and plum found ${urls}` }
}

/** Up to this size, hashing a generation is faster than opening and searching its tables. */
const hashedBytes = 8_000_000

/**
 * Reads every live generation. For a small one, reads every byte. For a larger one, reads both
 * tables, each row's id, the full-text index and all embeddings. `isDeep` does both for all
 * generations and also reads every byte of the previous ones. Changes nothing. For a bucket, checks
 * the local copies and the names and sizes of the objects; with `isDeep`, also copies every live
 * generation.
 * @throws OgError if the registry cannot be read
 */
export async function readStoreHealth(
  folder: string,
  { isDeep = false }: { isDeep?: boolean } = {},
): Promise<StoreHealth> {
  const generations = join(folder, 'generations')
  const folders = await readdir(generations, { withFileTypes: true }).catch(() => [])
  const entries = await readEntries(folder)
  const broken: StoreHealth['broken'] = []
  for (const entry of entries) {
    const problem = await findLiveProblem(folder, entry, { isDeep })
    if (problem !== null) broken.push({ entry, problem })
  }
  // A generation that was replaced and swept during the check is not broken.
  const now = await readEntries(folder)
  const live = new Set(now.map((entry) => entry.live.id))
  const referenced = new Set([...entries, ...now].flatMap((it) => [it.live.id, it.previous?.id]))
  return {
    entries,
    broken: broken.filter(({ entry }) => live.has(entry.live.id)),
    orphans: folders
      .filter((it) => it.isDirectory() && !referenced.has(it.name))
      .map((it) => it.name),
  }
}

/**
 * Returns the reason why a live generation is unreadable or differs from its registry entry, or
 * null.
 * @throws OgError if LanceDB cannot be loaded, which is not the generation's fault
 */
export async function findLiveProblem(
  folder: string,
  entry: Entry,
  { isDeep }: { isDeep: boolean },
): Promise<string | null> {
  const { live, previous } = entry
  await loadLance()
  const problem = await generationProblem(folder, live, { isDeep }).catch(unreadable)
  if (problem !== null) return problem
  const own = await mismatchedEntryFile(folder, entry)
  if (own !== null) {
    return `generation ${live.id} is of library "${own.library}" version "${own.version}"`
  }
  const entryFault = await findEntryFileFault(folder, live.id)
  if (entryFault !== null) return entryFault
  const before = isDeep && previous ? await findGenerationFault(folder, previous.id) : null
  return before && `the state before it cannot be read: ${before}`
}

/**
 * Returns the generation's own registry row if its library or version differs from the registry, or
 * null. Labels of dated versions may differ because such versions get new labels.
 */
export async function mismatchedEntryFile(
  folder: string,
  { key, library, version, live }: Entry,
): Promise<EntryFile | null> {
  const own = await readEntryFile(folder, live.id)
  if (own === null) return null
  const isNamed = own.key === key && library.toLowerCase() === key
  const isVersion = own.version === version || own.version.startsWith('local-')
  return isNamed && isVersion ? null : own
}

export async function vectorIndexes(
  folder: string,
  entries: readonly Entry[],
): Promise<{ entry: Entry; index: VectorIndex | null }[]> {
  const large = entries.filter(({ live }) => {
    const isThere = existsSync(join(folder, 'generations', live.id))
    const isEmbedded = live.fingerprint !== null && live.embedded === undefined
    return isThere && isEmbedded && live.chunks > vectorIndexRows
  })
  return Promise.all(
    large.map(async (entry) => {
      const path = join(folder, 'generations', entry.live.id)
      return { entry, index: await readVectorIndex(path) }
    }),
  )
}

async function generationProblem(
  folder: string,
  generation: Generation,
  { isDeep }: { isDeep: boolean },
): Promise<string | null> {
  const path = join(folder, 'generations', generation.id)
  const remote = remoteBucketOf(folder)
  if (remote !== null) {
    const fault = await remote.fault(generation.id)
    if (fault !== null) return `in the bucket ${fault}`
    if (isDeep) await remote.fetchGeneration(generation.id, 'whole')
    if (lacksTables(path) || (!isDeep && !existsSync(path))) return null
  }
  if (!existsSync(path)) return `its folder generations/${generation.id} is missing`
  using lease = leaseGeneration(folder, generation.id)
  if (lease === null) return `generations/${generation.id} cannot be opened: its lease is missing`
  const isHashed = isDeep || (await generationSize(path)) <= hashedBytes
  const fault = await (isHashed ? deepCheck(path) : quickCheck(path))
  if (fault !== null) return `it cannot be read: ${fault}`
  if (!isDeep && isHashed && (await isAsWritten(folder, generation))) return null
  const database = await (await loadLance()).connect(path)
  const openHandles: { close(): void }[] = [database]
  try {
    const pages = await database.openTable('pages')
    const chunks = await database.openTable('chunks')
    openHandles.unshift(pages, chunks)
    const nRows = { pages: await countRows(pages, 'hash'), chunks: await countRows(chunks, 'url') }
    return countProblem(generation, nRows) ?? (await searchProblem(generation, chunks))
  } finally {
    for (const one of openHandles) one.close()
  }
}

/**
 * True if a generation's own row matches the registry and its folder contains no other files.
 * LanceDB would read a newer version of a table that another program left there.
 */
async function isAsWritten(folder: string, generation: Generation): Promise<boolean> {
  const own = (await readEntryFile(folder, generation.id))?.live
  if (own?.pages !== generation.pages || own.chunks !== generation.chunks) return false
  if (own.fingerprint?.dimensions !== generation.fingerprint?.dimensions) return false
  return !(await hasUnlistedFiles(join(folder, 'generations', generation.id)))
}

/** Returns LanceDB's message without source locations. */
function unreadable(error: unknown): string {
  return `it cannot be read: ${describeLanceError(error)}`
}

function countProblem(
  expected: Generation,
  { pages, chunks }: { pages: number; chunks: number },
): string | null {
  if (pages === expected.pages && chunks === expected.chunks) return null
  return (
    `it holds ${formatCount(pages, 'page')} and ${formatCount(chunks, 'chunk')}, ` +
    `the registry says ${expected.pages} and ${expected.chunks}`
  )
}

async function searchProblem(generation: Generation, chunks: Table): Promise<string | null> {
  const indexes = await chunks.listIndices()
  if (!indexes.some((it) => it.columns.includes('terms'))) return 'its full-text index is missing'
  await searchFullText(chunks, ['the'], { limit: 1 })
  if (generation.fingerprint === null) return null
  const { dimensions } = generation.fingerprint
  const hits = await searchNearest(chunks, new Float32Array(dimensions).fill(1), { limit: 1 })
  return hits.length === 1 ? null : 'its embeddings cannot be searched'
}

/** Counts the rows in a table's files, because the number in LanceDB's manifest may be wrong. */
async function countRows(table: Table, column: string): Promise<number> {
  let rows = 0
  for await (const batch of table.query().select([column])) rows += batch.numRows
  return rows
}

const trialEmbeddings = { block: Float32Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1), dimensions: 3 }

function trialRow(word: string): ChunkRow {
  const texts = { url: word, title: word, heading: word, content: word, terms: word }
  const lines = { start_line: 1, end_line: 1 }
  return { ...texts, ...lines, chunk_index: 0, start_offset: 0, end_offset: word.length }
}
