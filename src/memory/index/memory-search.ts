import type { Embedder } from '../../embed/embedder.ts'
import { messageOf } from '../../platform/error.ts'
import type { Kernels } from '../../platform/kernels/kernels.ts'
import { isDamage } from '../../platform/sqlite.ts'
import type { EntryChunking } from './entry-chunks.ts'
import { fileState } from './file-state.ts'
import { appendRows, hasBody } from './index-rows.ts'
import { emptyIndex, openMemoryIndex, type MemoryIndex } from './memory-index.ts'
import { openNamedRelations } from '../relation/named-relations.ts'
import type { RecallRequest } from '../recall/recall-request.ts'
import { recall, type Recalled, type RecallHit } from '../recall/recall.ts'
import { isSearched, searchedFiles, sourceOf } from './searched-files.ts'
import { seeds } from '../seeds.ts'
import { syncIndex, type SyncResult } from './sync.ts'
import { hasEntryInFile } from '../tier-entries.ts'
import { openVectors, type Vectors } from './vectors.ts'
import { watchWorkspace } from './watch.ts'
import type { Workspace } from '../workspace.ts'
import type { Written } from '../write/writer.ts'

/** The search of a workspace: its index and embeddings, in step with the files. */
export type MemorySearch = AsyncDisposable & {
  readonly index: MemoryIndex
  /** Takes over what changed in the files since the last call; `force` reads all of them. */
  sync(options?: { force?: boolean }): Promise<SyncResult>
  /** Takes over what a write changed; embeds it after returning. Called under the writer's lock. */
  written(written: Written): Promise<void>
  /** Whether an entry of exactly this body stands in the file, and nothing corrects it. */
  hasEntry(file: string, body: string): Promise<boolean>
  search(request: RecallRequest): Promise<MemoryAnswer>
  /** Takes over and embeds what changes by hand, as it happens, until it is disposed. */
  watch(): Disposable
  /** Waits `waitMs` at most until all is embedded. @returns how many are not; null: no embedder */
  embedAll(waitMs: number): Promise<number | null>
}

export type HitWithRelations = RecallHit & {
  /** Relations of the entities that its text names, newest first. */
  relations: string[]
}

export type MemoryAnswer = Omit<Recalled, 'hits'> & {
  hits: HitWithRelations[]
  /** Relations of the entities that the query names, newest first. */
  relations: string[]
  /** Reasons why the answer may be incomplete, one sentence each. */
  warnings: string[]
}

export type SearchOptions = {
  /** Null: full text only. Called at most once, when first needed. */
  embedder: (() => Promise<Embedder | null>) | null
  kernels: Kernels
  chunking?: EntryChunking
  warn: (line: string) => void
}

/** Opens the index of a workspace; embedder and files are first touched by the first call. */
export function openMemorySearch(workspace: Workspace, options: SearchOptions): MemorySearch {
  const { chunking, warn } = options
  const index = openMemoryIndex(workspace.path, { seeds, chunking })
  if (index.inMemoryBecause !== null) {
    warn(`the index of memory "${workspace.name}" is kept in memory: ${index.inMemoryBecause}`)
  }
  const named = openNamedRelations(index)
  const vectors = lazyVectors(index, options)
  const sync = async (how?: { force?: boolean }) =>
    syncIndex(index, await searchedFiles(workspace), how)
  return {
    index,
    sync,
    written: ({ file, appended, before, after }) =>
      mended(index, async () => {
        const source = sourceOf(file)
        const states = { before: before && fileState(before), after: fileState(after) }
        const row = { path: file, source, text: appended ?? '', ...states }
        // A write that is no append, or that the index cannot place, is left to a sync.
        const isPlaced =
          isAlone({ appended, before, after }) &&
          isSelfContained({ appended }) &&
          isSearched(workspace, file) &&
          appendRows(index, row)
        if (!isPlaced) await sync()
        vectors.wake()
      }),
    async hasEntry(file, body) {
      if (!isSearched(workspace, file)) return hasEntryInFile(workspace, file, body)
      return mended(index, async () => {
        await sync()
        return hasBody(index, file, body)
      })
    },
    search: (request) =>
      mended(index, async () => {
        const synced = await sync()
        const warnings = synced.errors.map(({ file, error }) => `cannot read ${file}: ${error}`)
        const recalled = await answer(index, { vectors, request, warnings })
        const hits = recalled.hits.map((hit) => ({
          ...hit,
          relations: named.in(hit.text, maxLines),
        }))
        return { ...recalled, hits, relations: named.in(request.query, maxLines), warnings }
      }),
    watch: () =>
      watchWorkspace(
        workspace.path,
        () => void sync().then(vectors.wake, (error) => warn(`cannot sync: ${messageOf(error)}`)),
      ),
    async embedAll(waitMs) {
      const opened = await vectors.opened()
      if (opened === null) return null
      await opened.vectors.embedPending(waitMs)
      return opened.vectors.nPending
    },
    async [Symbol.asyncDispose]() {
      await vectors[Symbol.asyncDispose]()
      index[Symbol.dispose]()
    },
  }
}

/**
 * Runs `ask`; where it meets damage, which may lie where no sync looks, the index is emptied and
 * `ask` runs again, on an index made anew from the files.
 */
async function mended<T>(index: MemoryIndex, ask: () => Promise<T>): Promise<T> {
  const { database } = index
  return ask().catch((error) => {
    if (!isDamage(error)) throw error
    // Another call may have made it anew meanwhile.
    if (index.database === database) emptyIndex(index)
    return ask()
  })
}

/**
 * Whether what was appended says where it belongs by its own heading. A relation is a line under a
 * heading that stands further above.
 */
function isSelfContained({ appended }: Pick<Written, 'appended'>): boolean {
  return /^\s*#{1,2} /.test(appended ?? '')
}

/**
 * Whether the file holds what it held and the appended text, and no more: an editor, or a shell,
 * takes no lock, and may have added its own meanwhile. What the file is after that must not be
 * noted as known, or the foreign text is never read.
 */
function isAlone({ appended, before, after }: Pick<Written, 'appended' | 'before' | 'after'>) {
  if (appended === null) return false
  const isSameFile = before === null || before.ino === after.ino
  return isSameFile && after.size === (before?.size ?? 0) + Buffer.byteLength(appended)
}

/** The most relations that an answer shows with each hit: an entity may have hundreds. */
const maxLines = 10
/**
 * How long a query waits for embeddings of entries just written; a warning counts those left over.
 * A search by vectors alone waits longer: on a busy machine the model takes a second to load.
 */
const patienceMs = { hybrid: 300, 'full-text': 0, vector: 10_000 }

type RecallInputs = { vectors: LazyVectors; request: RecallRequest; warnings: string[] }

/** Recalls by words and vectors; where the embedder fails, by words alone with a warning. */
async function answer(
  index: MemoryIndex,
  { vectors, request, warnings }: RecallInputs,
): Promise<Recalled> {
  const fullText = { index, vectors: null, embedQuery: async () => new Float32Array(0) }
  if (request.mode === 'full-text') return recall(fullText, request)
  try {
    const opened = await vectors.opened()
    if (opened === null) {
      if (request.mode === 'vector') warnings.push('searched by words alone: there is no embedder')
      return await recall(fullText, { ...request, mode: 'full-text' })
    }
    const { embedder } = opened
    const embedding = embedder.embedQuery(request.query)
    embedding.catch(() => {})
    await opened.vectors.embedPending(patienceMs[request.mode])
    const recaller = { index, vectors: opened.vectors, embedQuery: () => embedding }
    const recalled = await recall(recaller, request)
    const { nPending } = recalled
    if (nPending > 0) {
      warnings.push(
        nPending === 1
          ? '1 entry is not yet embedded, and found by its words alone'
          : `${nPending} entries are not yet embedded, and found by their words alone`,
      )
    }
    return recalled
  } catch (error) {
    if (isDamage(error)) throw error
    warnings.push(`searched by words alone: ${messageOf(error)}`)
    return recall(fullText, { ...request, mode: 'full-text' })
  }
}

type Opened = { embedder: Embedder; vectors: Vectors }
type LazyVectors = AsyncDisposable & {
  opened(): Promise<Opened | null>
  /** Embeds the chunks without embeddings, if the embedder is open already. */
  wake(): void
}

function lazyVectors(index: MemoryIndex, options: SearchOptions): LazyVectors {
  let opening: Promise<Opened | null> | null = null
  let ready: Opened | null = null
  async function open(): Promise<Opened | null> {
    const embedder = (await options.embedder?.()) ?? null
    if (embedder === null) return null
    ready = { embedder, vectors: openVectors(index, { ...options, embedder }) }
    return ready
  }
  return {
    opened() {
      opening ??= open().catch((error) => {
        opening = null
        throw error
      })
      return opening
    },
    // The next search reports a failure, since it has to wait for the same embeddings.
    wake: () => void ready?.vectors.embedPending(0).catch(() => {}),
    async [Symbol.asyncDispose]() {
      await (await opening?.catch(() => null))?.vectors[Symbol.asyncDispose]()
    },
  }
}
