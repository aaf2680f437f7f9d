import { join } from 'node:path'
import type { Table } from '@lancedb/lancedb'
import { OgError, messageOf } from '../platform/error.ts'
import type { Kernels } from '../platform/kernels/kernels.ts'
import type { Lock } from '../platform/lock.ts'
import {
  chunksByRowId,
  embeddingsByRowId,
  openFullText,
  requestClock,
} from './chunks/chunk-search.ts'
import { chunkRows, chunksExcept, embeddedChunks } from './chunks/chunk-copy.ts'
import { chunksByUrl, chunksOfPage, pagesByUrl } from './by-address.ts'
import { chunksInBlock, readChunkBlock, type ChunkBlock, openRowUrls } from './chunks/row-urls.ts'
import { chunkHeadings, chunkRanges, type ChunkRow } from './chunks/chunk-table.ts'
import {
  Damage,
  FileFault,
  describeLanceError,
  withExplainedErrors,
  checkBytes,
  type CheckBytes,
} from './integrity/damage.ts'
import { searchLiteral } from './chunks/literal.ts'
import { checkTableFiles, deepCheck } from './file-checks.ts'
import { leaseGeneration } from './generation.ts'
import { connectOnce } from './lance.ts'
import { readManifest, type Manifest, lacksTables } from './integrity/manifest.ts'
import { licenseName, readLicense } from './pages/license.ts'
import { pageIndexName, readPageIndex, type PageIndex } from './pages/page-index.ts'
import {
  findPageByUrl,
  pageHeads,
  pageRows,
  pageStates,
  pageTexts,
  type PageHead,
} from './pages/page-table.ts'
import { readEntries, type Entry, type Generation } from './registry.ts'
import { openTablesOnce, type TableName } from './remote/open-tables.ts'
import { remoteBucketOf, type RemoteBucket } from './remote-bucket.ts'
import { fetchEntry, readableEntries } from './remote/local-copies.ts'
import { rowChecks, type RowCheck } from './integrity/row-sums.ts'
import { bestScores } from './chunks/vector-block.ts'
import {
  openVectorSearch,
  readVectorIndex,
  vectorIndexName,
  vectorIndexRows,
  warmUp,
} from './chunks/vector-index.ts'
import { readVocabulary, vocabularyName, type Vocabulary } from './pages/vocabulary.ts'
import { limitToPages, type OpenGeneration } from './open-generation.ts'
import { preferSearchFile } from './search-file/prefer-search-file.ts'

/**
 * Up to this many rows, a process's second search loads the shown columns (1.5 KB per row) and the
 * terms (half as much) into memory. Without an index, it also loads the embeddings.
 */
const blockRows = 100_000

/** `opened` are newly opened generations, and `gone` are ids of open ones not in the registry. */
type OpenResult = { picked: Entry[]; opened: OpenGeneration[]; gone: string[] }

/**
 * Opens the entries that `pick` selects, unless they are already open. Reads the registry again if
 * a selected generation has just been replaced and swept.
 */
export async function openEntries(
  folder: string,
  kernels: Kernels,
  {
    pick,
    openIds,
    isWhole = false,
  }: {
    pick: (entries: Entry[]) => Entry[]
    openIds: Set<string>
    /** Copies tables of any size to this machine and verifies them. */
    isWhole?: boolean
  },
): Promise<OpenResult> {
  for (let attempt = 1; ; attempt++) {
    const entries = readableEntries(folder, await readEntries(folder))
    const selection = pick(entries)
    const entriesToOpen = selection.filter((entry) => !openIds.has(entry.live.id))
    const leases = await leaseAll(folder, entriesToOpen, isWhole ? 'whole' : undefined)
    if (Array.isArray(leases)) {
      const live = new Set(entries.map((entry) => entry.live.id))
      const readers = entriesToOpen.map((entry, i) =>
        openEntry(folder, entry, { kernels, lease: leases[i]! }),
      )
      const broken = readers.find((one) => one instanceof Error)
      if (broken === undefined) {
        const gone = [...openIds].filter((id) => !live.has(id))
        return { picked: selection, opened: readers as OpenGeneration[], gone }
      }
      for (const lease of leases) lease[Symbol.dispose]()
      throw broken
    }
    if (attempt === 5) throw missingGeneration(folder, leases)
    await Bun.sleep(5)
  }
}

function missingGeneration(folder: string, entry: Entry): Damage {
  const path = join(folder, 'generations', entry.live.id)
  const hint = 'og add builds it again, og remove forgets it'
  return new Damage(entry, `${path} is missing or cannot be locked`, hint)
}

/**
 * Leases all entries, or returns the first entry whose generation is missing. Leases each entry
 * right after copying it, because the next copy may evict copies without a lease.
 */
async function leaseAll(
  folder: string,
  entries: readonly Entry[],
  how?: 'whole',
): Promise<Lock[] | Entry> {
  using leasesSoFar = new DisposableStack()
  const leases: Lock[] = []
  for (const entry of entries) {
    await fetchEntry(folder, entry, how)
    const lease = leaseGeneration(folder, entry.live.id)
    if (lease === null) return entry
    leases.push(leasesSoFar.use(lease))
  }
  leasesSoFar.move()
  return leases
}

/** Returns errors instead of throwing them so that the caller can release all leases. */
function openEntry(
  folder: string,
  entry: Entry,
  { kernels, lease }: { kernels: Kernels; lease: Lock },
): OpenGeneration | Error {
  const path = join(folder, 'generations', entry.live.id)
  try {
    const manifest = readManifest(path)
    const remote = lacksTables(path) ? remoteBucketOf(folder) : null
    const tables = openGeneration(path, entry.live, { kernels, lease, manifest, remote })
    const open = remote === null ? preferSearchFile(tables, { path, manifest, kernels }) : tables
    return withExplainedErrors(open, async (error) => {
      if (error instanceof OgError) return error
      if (error instanceof FileFault) return new Damage(entry, error.message)
      if (remote !== null) return remoteReadError(remote, entry, error)
      return new Damage(entry, (await deepCheck(path)) ?? describeLanceError(error))
    })
  } catch (error) {
    return error instanceof FileFault ? new Damage(entry, error.message) : (error as Error)
  }
}

/**
 * Opens a finished but unpublished generation. Relies on the writer's lease because closing a
 * second lease of this process would also release the first.
 */
export function openUnpublished(
  folder: string,
  generation: Generation,
  kernels: Kernels,
): OpenGeneration {
  const path = join(folder, 'generations', generation.id)
  const lease = { [Symbol.dispose]() {} }
  return openGeneration(path, generation, { kernels, lease, manifest: null, remote: null })
}

/**
 * `remote` is the service that stores the tables; null if they are local. A service answers every
 * search, because loading its tables into memory would defeat its purpose.
 */
type Opening = {
  kernels: Kernels
  lease: Lock
  manifest: Manifest | null
  remote: RemoteBucket | null
}

function openGeneration(
  path: string,
  generation: Generation,
  { kernels, lease, manifest, remote }: Opening,
): OpenGeneration {
  const connected = connectOnce(path)
  const openLocal = async (name: TableName) => {
    if (manifest !== null) checkTableFiles(path, manifest, name)
    return (await connected()).openTable(name)
  }
  const { table, close } = openTablesOnce(
    (name) => remote?.openTable(generation.id, name) ?? openLocal(name),
    remote?.keys,
  )
  const checked = rowChecks(path, manifest)
  const chunks = () => table('chunks')
  const isLarge = generation.chunks > blockRows
  const urls = isLarge ? openRowUrls(generation.chunks, { open: chunks, warm: warmUp }) : () => null
  const fullText = openFullText(generation.chunks, { most: blockRows, open: chunks, urls })
  const { vectorIndex, ...derived } = derivedReaders(path, manifest)
  const isIndexed =
    generation.chunks > vectorIndexRows ||
    manifest?.files.some((file) => file.path === vectorIndexName) === true
  const vectors = openVectorSearch(generation, kernels, {
    open: chunks,
    index: isIndexed ? vectorIndex : null,
    urls,
  })
  const whole: OpenGeneration = {
    generation,
    fullText: (terms, limit) => fullText(terms, { limit }),
    fullTextOfAll: (terms, limit) => fullText(terms, { limit, isAll: true }),
    literal: async (text, limit) => searchLiteral(await chunks(), text, limit),
    nearest: vectors.nearest,
    ...derived,
    prepareSearch: () => void chunks().catch(() => {}),
    within: (urls) => limitToPages(urls, { whole, vectors }),
    chunks: rowReader(generation, { chunks, checked: checked('chunks'), most: blockRows }),
    async *chunkHeadings() {
      yield* chunkHeadings(await chunks())
    },
    bestScores: async (embeddings) => bestScores(kernels, await chunks(), embeddings),
    embeddings: async (rowIds) =>
      generation.fingerprint &&
      (vectors.embeddingsOf(rowIds) ??
        embeddingsByRowId(await chunks(), rowIds, generation.fingerprint.dimensions)),
    chunkRanges: async (url) => chunkRanges(await chunks(), url),
    chunksOf: async (url) => chunksOfPage(await chunks(), url),
    ...readPages(() => table('pages'), checked('pages')),
    async *chunkRows() {
      yield* chunkRows(await chunks())
    },
    ...byAddress(generation, table),
    async *chunksBut(urls) {
      yield* chunksExcept(await table('chunks'), urls)
    },
    async *embeddedChunks(urls) {
      if (generation.fingerprint === null) return
      const { dimensions } = generation.fingerprint
      yield* embeddedChunks(await table('chunks'), { urls, dimensions })
    },
    [Symbol.dispose]() {
      close()
      lease[Symbol.dispose]()
    },
  }
  return whole
}

type PageReads = Pick<OpenGeneration, 'page' | 'pageHeads' | 'pageTexts' | 'pageStates' | 'pages'>

function readPages(pages: () => Promise<Table>, check: RowCheck): PageReads {
  let heads: Promise<ReadonlyMap<string, PageHead>> | null = null
  const readHeads = () => (heads ??= pages().then(pageHeads))
  return {
    async page(url) {
      const page = await findPageByUrl(await pages(), url)
      if (page !== null) await check([page.rowId], [page.row])
      return page && page.row
    },
    pageHeads: readHeads,
    async pageTexts(urls) {
      const all = await readHeads()
      const heads = urls.flatMap((url) => all.get(url) ?? [])
      return pageTexts(await pages(), heads, check)
    },
    pageStates: async () => pageStates(await pages()),
    async *pages() {
      yield* pageRows(await pages())
    },
  }
}

function byAddress(
  { fingerprint }: Generation,
  table: (name: 'pages' | 'chunks') => Promise<Table>,
): Pick<OpenGeneration, 'pagesByUrl' | 'chunksByPlace'> {
  return {
    async *pagesByUrl() {
      yield* pagesByUrl(await table('pages'))
    },
    async *chunksByPlace() {
      yield* chunksByUrl(await table('chunks'), fingerprint?.dimensions ?? null)
    },
  }
}

function derivedReaders(path: string, manifest: Manifest | null) {
  let pageIndex: Promise<PageIndex | null> | null = null
  let vocabulary: Promise<Vocabulary | null> | null = null
  const check =
    (name: string): CheckBytes =>
    (bytes) => {
      const file = manifest?.files.find((it) => it.path === name)
      if (file !== undefined) checkBytes(file, bytes)
    }
  return {
    vectorIndex: () => readVectorIndex(path, check(vectorIndexName)),
    pageIndex: () => (pageIndex ??= readPageIndex(path, check(pageIndexName))),
    vocabulary: () => (vocabulary ??= readVocabulary(path, check(vocabularyName))),
    license: () => readLicense(path, check(licenseName)),
  }
}

/** Returns a function that reads rows by id. LanceDB answers until the rows are in memory. */
function rowReader(
  generation: Generation,
  { chunks, checked, most }: { chunks: () => Promise<Table>; checked: RowCheck; most: number },
) {
  const isLaterRequest = requestClock()
  let reading: Promise<void> | null = null
  let block: ChunkBlock | null = null
  return async (rowIds: bigint[]): Promise<ChunkRow[]> => {
    const inMemory = block && chunksInBlock(block, rowIds)
    if (inMemory) return inMemory
    const table = await chunks()
    if (isLaterRequest() && generation.chunks <= most) {
      reading ??= readChunkBlock(table, generation.chunks, checked).then(
        (read) => void (block = read),
        () => {},
      )
    }
    const rows = await chunksByRowId(table, rowIds)
    await checked(rowIds, rows)
    return rows
  }
}

/**
 * Returns the error of a failed read. The message contains only the status because the rest of a
 * response may repeat signed data.
 */
export function remoteReadError(
  { place }: Pick<RemoteBucket, 'place'>,
  { library, version }: Entry,
  cause: unknown,
): OgError {
  const [status] = /\b[45]\d\d\b(?= [A-Z])|(?<=status: )[45]\d\d\b/.exec(messageOf(cause)) ?? []
  const why = status === undefined ? 'LanceDB cannot read it' : `it answers ${status}`
  const message = `Cannot read library "${library}" version "${version}" in ${place}: ${why}`
  return new OgError(message, { code: 'unreachable', hint: 'try again later' })
}
