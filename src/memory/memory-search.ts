import type { Embedder } from '../embed/embedder.ts'
import { messageOf } from '../platform/error.ts'
import type { Kernels } from '../platform/kernels/kernels.ts'
import { isDamage } from '../platform/sqlite.ts'
import { differInValue } from './audit/audit-near.ts'
import { parseEntries } from './entry.ts'
import { findCorrections, invalidIds, rowsById } from './index/chunk-rows.ts'
import { findChunksSharingTerms } from './index/full-text.ts'
import type { EntryChunking } from './index/entry-chunks.ts'
import { fileState, appendRows, hasEntryBody } from './index/index-rows.ts'
import {
  emptyIndex,
  isRefusedByFolder,
  moveToCreatedFolder,
  openMemoryIndex,
  type MemoryIndex,
} from './index/memory-index.ts'
import type { RecallRequest } from './recall/recall-request.ts'
import { recall, type RecallAnswer, type RecallHit } from './recall/recall.ts'
import { isSearched, searchedFiles, sourceLabel, syncIndex, type SyncResult } from './index/sync.ts'
import { seeds, type Workspace } from './workspace.ts'
import { hasEntryInFile } from './memory-files.ts'
import { openVectors, type Vectors } from './index/vectors.ts'
import type { ConflictingEntry } from './write/append.ts'
import type { AppendedText, EntryComparison, NewEntry } from './write/write-lock.ts'
import { mkdirSync, watch, type FSWatcher } from 'node:fs'
import { join } from 'node:path'
import { indexTermsOf } from '../chunk/terms.ts'

export type MemorySearch = AsyncDisposable & {
  readonly index: MemoryIndex
  /** Indexes all changes since the last call. `force` rereads all files. */
  sync(options?: { force?: boolean }): Promise<SyncResult>
  /** Indexes a write and embeds it in the background. The caller must hold the write lock. */
  onWritten(text: AppendedText): Promise<void>
  compare(entry: NewEntry, day: string): Promise<EntryComparison>
  search(request: RecallRequest): Promise<MemoryAnswer>
  /** Indexes and embeds manual edits as they happen, until the result is disposed. */
  watch(): Disposable
  /**
   * Waits up to `waitMs` until all chunks are embedded.
   * @returns the number of remaining chunks, or null if there is no embedder
   */
  embedAll(waitMs: number): Promise<number | null>
}

export type HitWithRelations = RecallHit & {
  /** Relations of the entities that the entry mentions, newest first. */
  relations: string[]
}

export type MemoryAnswer = Omit<RecallAnswer, 'hits'> & {
  hits: HitWithRelations[]
  /** Relations of the entities that the query mentions, newest first. */
  relations: string[]
  warnings: string[]
}

type SearchOptions = {
  /** Null disables vectors. Called at most once, at first use. */
  embedder: (() => Promise<Embedder | null>) | null
  kernels: Kernels
  chunking?: EntryChunking
  /**
   * Maximum time that a query waits for missing embeddings. A warning tells how many are still
   * missing after it.
   */
  patienceMs?: number
  warn: (line: string) => void
}

/**
 * Opens the index of a workspace. The first call that needs them opens the embedder and reads the
 * files.
 */
export function openMemorySearch(workspace: Workspace, options: SearchOptions): MemorySearch {
  const { chunking, patienceMs = defaultPatienceMs, warn } = options
  const index = openMemoryIndex(workspace.path, { seeds, chunking })
  if (isRefusedByFolder(index)) {
    warn(`the index of memory "${workspace.name}" is kept in memory: ${index.inMemoryBecause}`)
  }
  const relations = openEntityRelations(index)
  const vectors = lazyVectors(index, options)
  const sync = async (how?: { force?: boolean }) => {
    moveToCreatedFolder(index)
    return syncIndex(index, searchedFiles(workspace), how)
  }
  return {
    index,
    sync,
    onWritten: ({ file, appended, before, after }) =>
      retryAsyncIfDamaged(index, async () => {
        moveToCreatedFolder(index)
        const source = sourceLabel(file)
        const states = { before: before && fileState(before), after: fileState(after) }
        const row = { path: file, source, text: appended ?? '', ...states }
        // The next sync handles all other writes.
        const isPlaced =
          isAlone({ appended, before, after }) &&
          isSelfContained({ appended }) &&
          isSearched(workspace, file) &&
          appendRows(index, row)
        if (!isPlaced) await sync()
        vectors.wake()
      }),
    compare: ({ file, body }, day) =>
      retryAsyncIfDamaged(index, async () => {
        await sync()
        const isDuplicate =
          file !== null &&
          (isSearched(workspace, file)
            ? hasEntryBody(index, file, body)
            : await hasEntryInFile(workspace, file, body))
        return { isDuplicate, conflicts: isDuplicate ? [] : conflictsIn(index, body, day) }
      }),
    search: (request) =>
      retryAsyncIfDamaged(index, async () => {
        // The model embeds the query while sync reads the files.
        if (request.mode !== 'full-text') vectors.prepare(request.query)
        const synced = await sync()
        const warnings = synced.errors.map(({ file, error }) => `cannot read ${file}: ${error}`)
        const recalled = await answer(index, { vectors, request, patienceMs, warnings })
        const hits = recalled.hits.map((hit) => ({
          ...hit,
          relations: relations.in(hit.text, maxLines),
        }))
        return { ...recalled, hits, relations: relations.in(request.query, maxLines), warnings }
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
 * Runs `ask`. If it finds damage that `sync` did not notice, rebuilds the index and runs `ask`
 * again.
 */
async function retryAsyncIfDamaged<T>(index: MemoryIndex, ask: () => Promise<T>): Promise<T> {
  const { database } = index
  return ask().catch((error) => {
    if (!isDamage(error)) throw error
    // A concurrent call may have recreated the index already.
    if (index.database === database) emptyIndex(index)
    return ask()
  })
}

/** Longer notes contain several statements, so similar text does not suggest a contradiction. */
const maxConflictChars = 500
const nCompared = 10

function conflictsIn(index: MemoryIndex, body: string, day: string): ConflictingEntry[] {
  if (body.length > maxConflictChars) return []
  const candidates = findChunksSharingTerms(index, body, {
    nTerms: 4,
    nMissing: 2,
    limit: nCompared,
  })
  const rows = [...rowsById(index, candidates).values()]
  const ids = rows.map(({ entryId }) => entryId)
  const replaced = findCorrections(index, ids, day)
  const invalid = invalidIds(index, day)
  return rows
    .filter(({ id, entryId, source }) => {
      const holds = !invalid.has(id) && !replaced.has(entryId)
      return holds && source !== 'relations' && source !== 'daily'
    })
    .map(({ entryId, path, text }) => ({ entry_id: entryId, file: path, text: noteOf(text) }))
    .filter(({ text }) => differInValue(body, text))
}

function noteOf(text: string): string {
  return parseEntries(text)[0]?.body ?? text
}

/** True if the appended text has its own heading. A relation has none. */
function isSelfContained({ appended }: Pick<AppendedText, 'appended'>): boolean {
  return /^\s*#{1,2} /.test(appended ?? '')
}

/**
 * True if the file is exactly its old content plus the appended text. An editor, which takes no
 * lock, may have added text at the same time. Recording the file as indexed would then hide that
 * text.
 */
function isAlone({ appended, before, after }: Pick<AppendedText, 'appended' | 'before' | 'after'>) {
  if (appended === null) return false
  const isSameFile = before === null || before.ino === after.ino
  return isSameFile && after.size === (before?.size ?? 0) + Buffer.byteLength(appended)
}

/** Maximum number of relations per hit, because an entity may have hundreds. */
const maxLines = 10
/** Enough time to load the model (1 s) and embed about 2,000 short notes. */
const defaultPatienceMs = 10_000

type RecallInputs = {
  vectors: LazyVectors
  request: RecallRequest
  patienceMs: number
  warnings: string[]
}

/**
 * Recalls entries by full text and vectors. If the embedder fails, uses full text only and adds a
 * warning.
 */
async function answer(
  index: MemoryIndex,
  { vectors, request, patienceMs, warnings }: RecallInputs,
): Promise<RecallAnswer> {
  const fullText = { index, vectors: null, embedQuery: async () => new Float32Array(0) }
  if (request.mode === 'full-text') return recall(fullText, request)
  try {
    const opened = await vectors.opened()
    if (opened === null) {
      if (request.mode === 'vector')
        warnings.push('searched by full text only: there is no embedder')
      return await recall(fullText, { ...request, mode: 'full-text' })
    }
    const embedding = vectors.embedQuery(opened.embedder, request.query)
    await opened.vectors.embedPending(patienceMs)
    const recaller = { index, vectors: opened.vectors, embedQuery: () => embedding }
    const recalled = await recall(recaller, request)
    const { nPending } = recalled
    if (nPending > 0) {
      warnings.push(
        nPending === 1
          ? '1 entry is not embedded yet and is found by full text only'
          : `${nPending} entries are not embedded yet and are found by full text only`,
      )
    }
    return recalled
  } catch (error) {
    if (isDamage(error)) throw error
    warnings.push(`searched by full text only: ${messageOf(error)}`)
    return recall(fullText, { ...request, mode: 'full-text' })
  }
}

type OpenVectors = { embedder: Embedder; vectors: Vectors }
type LazyVectors = AsyncDisposable & {
  opened(): Promise<OpenVectors | null>
  /** Embeds pending chunks if the embedder is open. */
  wake(): void
  /** Starts to embed a query if the embedder is open. */
  prepare(query: string): void
  /** Returns the embedding that `prepare` started, or embeds the query. */
  embedQuery(embedder: Embedder, query: string): Promise<Float32Array>
}

function lazyVectors(index: MemoryIndex, options: SearchOptions): LazyVectors {
  let opening: Promise<OpenVectors | null> | null = null
  let ready: OpenVectors | null = null
  const prepared = new Map<string, Promise<Float32Array>>()
  function embedQuery(embedder: Embedder, query: string): Promise<Float32Array> {
    const embedding = prepared.get(query) ?? embedder.embedQuery(query)
    prepared.delete(query)
    // The caller awaits the embedding later.
    embedding.catch(() => {})
    return embedding
  }
  async function open(): Promise<OpenVectors | null> {
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
    // The next search reports a failure.
    wake: () => void ready?.vectors.embedPending(0).catch(() => {}),
    prepare(query) {
      if (ready !== null) prepared.set(query, embedQuery(ready.embedder, query))
    },
    embedQuery,
    async [Symbol.asyncDispose]() {
      await (await opening?.catch(() => null))?.vectors[Symbol.asyncDispose]()
    },
  }
}

/**
 * Calls `onChange` shortly after a Markdown file in the workspace or its `daily` folder has
 * changed. Combines changes within `quietMs` into one call. The watchers do not keep the process
 * alive.
 */
export function watchWorkspace(
  folder: string,
  onChange: () => void,
  options: { quietMs?: number } = {},
): Disposable {
  const daily = join(folder, 'daily')
  mkdirSync(daily, { recursive: true })
  let timer: ReturnType<typeof setTimeout> | null = null
  const notice = (name: string | null) => {
    if (name !== null && !/^[^.].*\.md$/i.test(name)) return
    if (timer !== null) clearTimeout(timer)
    timer = setTimeout(onChange, options.quietMs ?? 100)
    timer.unref()
  }
  const watchers = [folder, daily].map((path) => watchFolder(path, notice))
  return {
    [Symbol.dispose]() {
      if (timer !== null) clearTimeout(timer)
      for (const watcher of watchers) watcher.close()
    },
  }
}

/**
 * Watches one folder. If the watcher fails, no change is lost, because each search checks the
 * files.
 */
function watchFolder(path: string, notice: (name: string | null) => void): FSWatcher {
  const watcher = watch(path, { persistent: false }, (_, name) => notice(name))
  watcher.on('error', () => watcher.close())
  return watcher
}

export type EntityRelations = {
  /** Returns at most `limit` lines of RELATIONS.md without bullets, newest first. */
  in(text: string, limit: number): string[]
}

/**
 * Rereads the relations after every change. An entity matches if the text contains its whole name.
 * Matching ignores case and works in any script; names have no wildcards.
 */
export function openEntityRelations(index: MemoryIndex): EntityRelations {
  let read = { database: index.database, version: '', byFirstTerm: new Map<string, Entity[]>() }
  return {
    in(text, limit) {
      const { database } = index
      const version = versionOf(index)
      // A recreated index reuses row ids.
      const isRead = database === read.database && version === read.version
      if (!isRead) read = { database, version, byFirstTerm: readEntities(index) }
      if (read.byFirstTerm.size === 0) return []
      return linesNamed(indexTermsOf(text), read.byFirstTerm).slice(0, limit)
    },
  }
}

type Line = { id: number; text: string }
type Entity = { name: string[]; lines: Line[] }

function versionOf({ database }: MemoryIndex): string {
  const select = `SELECT count(*) || ' ' || ifnull(max(id), 0) || ' ' || ifnull(sum(id), 0)
    AS version FROM chunks WHERE path = 'RELATIONS.md'`
  return database.query<{ version: string }, []>(select).get()!.version
}

function readEntities({ database }: MemoryIndex): Map<string, Entity[]> {
  const select = `SELECT id, text FROM chunks WHERE path = 'RELATIONS.md'`
  const entities = new Map<string, Entity>()
  for (const { id, text } of database.query<Line, []>(select).all()) {
    const names = /^-\s+\[([^\]]+)\]\s+--[^->]+-->\s+\[([^\]]+)\]/.exec(text)?.slice(1) ?? []
    const line = { id, text: text.replace(/^-\s+/, '') }
    for (const name of new Set(names.map((name) => indexTermsOf(name).join(' ')))) {
      if (name === '') continue
      const entity = entities.get(name) ?? { name: name.split(' '), lines: [] }
      entity.lines.push(line)
      entities.set(name, entity)
    }
  }
  return Map.groupBy(entities.values(), ({ name }) => name[0]!)
}

function linesNamed(words: string[], byFirstTerm: Map<string, Entity[]>): string[] {
  const byId = new Map<number, string>()
  for (const [at, word] of words.entries()) {
    for (const { name, lines } of byFirstTerm.get(word) ?? []) {
      if (!name.every((term, i) => words[at + i] === term)) continue
      for (const { id, text } of lines) byId.set(id, text)
    }
  }
  return [...byId].sort(([a], [b]) => b - a).map(([, text]) => text)
}
