import type { Embedder } from '../embed/embedder.ts'
import { fullMessageOf } from '../platform/error.ts'
import type { Kernels } from '../platform/kernels/kernels.ts'
import { canWrite } from '../platform/file/space.ts'
import { localTime } from './text.ts'
import type { AuditEdit } from './audit/audit.ts'
import type { Backup } from './backup/backup-list.ts'
import { bootstrap, type RelevantEntry } from './bootstrap/bootstrap.ts'
import type { Decision } from './capture/capture.ts'
import { readInbox } from './capture/inbox.ts'
import type { CompactRequest } from './compact.ts'
import { recallForContext } from './bootstrap/recalled-context.ts'
import { history, undo, type HistoryRequest } from './write/history.ts'
import { list, type ListRequest, read, type ReadRequest } from './read.ts'
import { openMemorySearch, type MemorySearch } from './memory-search.ts'
import { resolveMemoryFile, readMemoryText } from './write/memory-file.ts'
import { openRecallCounts, type RecallCounts } from './recall/recall-counts.ts'
import { relate, removeRelations, type RelateRequest, type RelationChoice } from './relate.ts'
import { pathsFrom, queryRelations, type RelationQuery } from './relation/relation-query.ts'
import { parseRelations } from './relation/relation.ts'
import { searchMemory, type MemorySearchRequest } from './session-search.ts'
import type { MemorySettings } from './settings.ts'
import { readEntries } from './memory-files.ts'
import { removeEntry } from './write/edit.ts'
import { recover, type Writer } from './write/write-lock.ts'
import { type CustomFile, openWorkspace, type Workspace } from './workspace.ts'
import { write, type WriteRequest } from './write/write.ts'

/**
 * An open memory; release it with `await using`. Results are plain data with upstream's names.
 * Failures are OgErrors with upstream's messages. The CLI, MCP and web interfaces render both.
 */
export type OpenMemory = Awaited<ReturnType<typeof openMemory>>

export type BootstrapText = { content: string; chars: number }

export type OpenMemoryOptions = {
  root: string
  name: string
  /** The user's workspace, which bootstrap shows together with a project's memory. */
  userName?: string | null
  customFiles?: readonly CustomFile[]
  settings: MemorySettings
  /** Null disables vectors. Called at first use. */
  embedder: (() => Promise<Embedder | null>) | null
  kernels: Kernels
  warn: (line: string) => void
  clock?: () => Date
}

/** Opens a memory. The first write creates the folder and the missing seed files. */
export async function openMemory(options: OpenMemoryOptions) {
  const { settings, warn, clock = () => new Date() } = options
  const workspace = await openWorkspace(options)
  const { root, userName = null } = options
  const user = userName === null ? null : await openWorkspace({ root, name: userName })
  const search = openMemorySearch(workspace, { ...options, chunking: settings.chunking })
  const recalls = openRecallCounts(workspace, clock)
  const writer: Writer = {
    workspace,
    clock,
    lockTimeoutMs: settings.lockTimeoutMs,
    onWritten: (text) => search.onWritten(text),
    compare: (entry) => search.compare(entry, localTime(clock()).day),
    mutableTiers: settings.mutableTiers,
    settled: null,
  }
  if (await canWrite(workspace.path)) await recover(writer)
  const opened: SessionParts = { workspace, user, search, recalls, writer, settings, clock, warn }
  return {
    workspace,
    search,
    ...readMethods(opened),
    ...relationMethods(opened),
    ...writeMethods(opened),
    ...inboxMethods(opened),
    ...upkeepMethods(opened),
  }
}

type SessionParts = {
  workspace: Workspace
  user: Workspace | null
  search: MemorySearch
  recalls: RecallCounts
  writer: Writer
  settings: MemorySettings
  clock: () => Date
  warn: (line: string) => void
}

function readMethods(opened: SessionParts) {
  const { workspace, search, recalls, settings, clock } = opened
  return {
    recall: async (request: MemorySearchRequest) => {
      const answer = await searchMemory(opened, request)
      recalls.count(answer.results.map(({ entry_id }) => entry_id))
      return answer
    },
    read: (request: ReadRequest) => read(workspace, request, clock()),
    list: (request: ListRequest = {}) => list(workspace, request, clock()),
    entries: () => readEntries(workspace),
    sync: (options?: { force?: boolean }) => search.sync(options),
    history: (options?: HistoryRequest) => history(workspace, options),
    bootstrap: (options: { task?: string; toolUsage?: string } = {}) =>
      bootstrapText(opened, options),
    context: (task: string, { maxTokens }: { maxTokens: number }) =>
      recallForContext(search, task, {
        maxTokens,
        minCosine: settings.contextMinCosine,
        settings: settings.recall,
        now: clock(),
      }),
    audit: async () => {
      const { audit } = await import('./audit/audit.ts')
      return audit(workspace, {
        now: clock(),
        recalls: recalls.read(),
        maxEntryChars: settings.chunking.tokens * 4 * 3,
        maxFileChars: settings.bootstrap.maxCharsPerFile,
        unrecalledDays: 90,
      })
    },
  }
}

function relationMethods({ workspace }: SessionParts) {
  const relations = async (query: RelationQuery = {}) => {
    const text = await readMemoryText(resolveMemoryFile(workspace, 'RELATIONS.md')).catch(
      (error) => {
        if (error.code === 'ENOENT') return ''
        throw error
      },
    )
    return queryRelations(parseRelations(text), query)
  }
  return {
    relations,
    /** Returns the names that are related to a name over one or more hops, nearest first. */
    paths: async (from: string, options: { hops: number; to?: string; asOf?: string }) =>
      pathsFrom(await relations({ asOf: options.asOf }), from, options),
  }
}

function writeMethods({ writer }: SessionParts) {
  return {
    write: (request: WriteRequest) => write(writer, request),
    relate: (request: RelateRequest) => relate(writer, request),
    /** Marks the relations as past if `keep` is set; otherwise deletes their lines. */
    removeRelations: (choice: RelationChoice, options: { keep: boolean; until?: string }) =>
      removeRelations(writer, choice, options),
    undo: (options?: { id?: string }) => undo(writer, options),
    removeEntry: (entry: { file: string; id: string }) => removeEntry(writer, entry),
    applyEdits: async (edits: readonly AuditEdit[]) => {
      const { applyEdits } = await import('./audit/audit-patch.ts')
      return applyEdits(writer, edits)
    },
  }
}

function inboxMethods({ workspace, writer }: SessionParts) {
  return {
    /** Returns captured notes that are neither accepted nor dropped, oldest first. */
    inbox: () => readInbox(workspace),
    decide: async (decision: Decision) => {
      const { decide } = await import('./capture/capture.ts')
      return decide(writer, decision, await readInbox(workspace))
    },
  }
}

function upkeepMethods({ search, recalls, writer, settings }: SessionParts) {
  const keep = settings.backupsKept ?? undefined
  return {
    compact: async (request: CompactRequest) => {
      const { compact } = await import('./compact.ts')
      return compact(writer, request, { tiers: settings.bootstrap.compactionTiers, keep })
    },
    backup: async () => {
      const { backUpWorkspace } = await import('./backup/backup.ts')
      return backUpWorkspace(writer, { keep })
    },
    restore: async (chosen: Backup) => {
      const { restore } = await import('./backup/export-import.ts')
      const result = await restore(writer, chosen)
      await search.sync({ force: true })
      return result
    },
    export: async () => {
      const { exportMemory } = await import('./backup/export-import.ts')
      return exportMemory(writer)
    },
    import: async (path: string, options: { replace: boolean }) => {
      const { importMemory } = await import('./backup/export-import.ts')
      const result = await importMemory(writer, path, options)
      await search.sync({ force: true })
      return result
    },
    async [Symbol.asyncDispose]() {
      recalls[Symbol.dispose]()
      await search[Symbol.asyncDispose]()
    },
  }
}

/** Returns the bootstrap text. If a sync or backup fails, adds a warning and continues. */
async function bootstrapText(
  opened: SessionParts,
  { task, toolUsage }: { task?: string; toolUsage?: string },
): Promise<BootstrapText> {
  const { workspace, user, search, writer, settings, clock, warn } = opened
  const tell = (what: string) => (error: unknown) => warn(`${what} failed: ${fullMessageOf(error)}`)
  if (settings.syncOnBootstrap) await search.sync({ force: true }).catch(tell('sync'))
  const { text, isOverThreshold } = await bootstrap(workspace, {
    settings: settings.bootstrap,
    user,
    now: clock(),
    toolUsage: toolUsage ?? null,
    relevant: task === undefined || task.trim() === '' ? [] : await relevantTo(opened, task),
  })
  if (isOverThreshold) {
    const { backUpWorkspace } = await import('./backup/backup.ts')
    const keep = settings.backupsKept ?? undefined
    await backUpWorkspace(writer, { skipUnchanged: true, keep }).catch(tell('backup'))
  }
  return { content: text, chars: [...text].length }
}

async function relevantTo(opened: SessionParts, task: string): Promise<RelevantEntry[]> {
  const { results } = await searchMemory(opened, { query: task, top_k: 20 })
  const relevant = results.filter(({ confidence }) => confidence === 'high')
  return relevant.map(({ path, start_line, end_line, text }) => ({
    path,
    startLine: start_line,
    endLine: end_line,
    text,
  }))
}
