import { OgError } from '../../platform/error.ts'
import { createGeneration, sweep } from '../../store/generation.ts'
import { publish } from '../../store/publish.ts'
import { readEntries, type Entry } from '../../store/registry.ts'
import { remoteOf } from '../../store/remote/attached.ts'
import { pickEntry } from '../../version/pick.ts'
import { openBefore } from '../add/before.ts'
import { noProgress, type AddProgress } from '../library.ts'
import { lockEntry } from '../lock.ts'
import type { Opened } from '../opened.ts'

export type ReindexRequest = {
  library: string
  /** null: the only one. */
  version: string | null
  /** A copy of its table of chunks, in which others have built a vector index. */
  table: string
  lockTimeoutMs: number
  onProgress?: (progress: AddProgress, library: string) => void
  signal?: AbortSignal
}

export type ReindexResult = {
  library: string
  version: string
  status: 'indexed'
  chunks: number
  /** Of the ten nearest chunks the share that the index finds. */
  recall: number
  seconds: number
}

/**
 * Publishes a library version as it is with a vector index that others have built. Readers have
 * the state before until then, which stays for a rollback.
 * @throws OgError where the index is not of the live state, or finds too little
 */
export async function reindexLibrary(
  opened: Opened, request: ReindexRequest,
): Promise<ReindexResult> {
  const started = performance.now()
  const { folder } = opened
  const picked = pickEntry(await readEntries(folder), request)
  const progress: AddProgress = { ...noProgress, phase: 'indexing' }
  using locked = await lockEntry(folder, picked, { progress, request })
  const { entry, report } = locked
  const why = whyNot(entry, remoteOf(folder)?.tableHost ?? null)
  if (why !== null) throw cannot(entry, why)
  await sweep(folder)
  report({ phase: 'indexing' })
  try {
    const recall = await build(opened, entry, request)
    const { library, version, live: { chunks } } = entry
    const seconds = (performance.now() - started) / 1000
    return { library, version, status: 'indexed', chunks, recall, seconds }
  } finally {
    // Whatever ended this run matters more than a failed sweep: the next writer sweeps again.
    await sweep(folder).catch(() => [])
  }
}

function whyNot({ live }: Entry, tableHost: string | null): string | null {
  if (tableHost !== null) return `its tables lie in ${tableHost}, which has indexes of its own`
  if (live.fingerprint === null) return 'it has no embeddings'
  return live.embedded === undefined ? null : 'not all of it is embedded yet'
}

async function build(
  opened: Opened, entry: Entry, { table, signal }: ReindexRequest,
): Promise<number> {
  using before = await openBefore(opened, entry)
  if (before.kind === 'fresh' || before.rest === 'damaged') {
    throw cannot(entry, 'it is damaged', 'og doctor --repair builds it anew')
  }
  if (before.rest === 'unchecked') {
    throw cannot(entry, 'an earlier og wrote it', 'og update writes it anew')
  }
  using generation = await createGeneration(opened.folder)
  const { recall } = await generation.takeIndex({ id: entry.live.id, table })
  signal?.throwIfAborted()
  const live = { ...entry.live, id: generation.id, indexedAt: new Date().toISOString() }
  await publish(opened.folder, (entries) => {
    const replaced = entries.find((it) => it.live.id === entry.live.id)
    if (replaced === undefined) throw cannot(entry, 'it was changed meanwhile')
    return { ...replaced, before: replaced, live }
  })
  return recall
}

function cannot({ library, version }: Entry, why: string, hint?: string): OgError {
  const message = `Cannot give library "${library}" version "${version}" another index: ${why}`
  return new OgError(message, { hint })
}
