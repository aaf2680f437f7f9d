import { OgError } from '../../platform/error.ts'
import { readEntries, type Entry } from '../../store/registry.ts'
import { pickEntry } from '../../version/pick.ts'
import {
  replaceVersion,
  entryLocker,
  unchangedState,
  type LockedEntry,
  type VersionRun,
  type RunStart,
  type GenerationBuild,
} from '../add/replace-version.ts'
import type { RunRequest } from '../library.ts'
import type { LibraryContext } from '../library-context.ts'

export type ReindexRequest = RunRequest & {
  library: string
  version: string | null
  /** A copy of the chunk table in which another program has built a vector index. */
  table: string
}

export type ReindexResult = {
  library: string
  version: string
  status: 'indexed'
  chunks: number
  recall: number
  seconds: number
}

/**
 * Publishes a library version with a vector index that another program has built. Readers use the
 * previous state until then, and it stays for a rollback.
 * @throws OgError if the index does not belong to the live generation, or finds too few chunks
 */
export async function reindexLibrary(
  context: LibraryContext,
  request: ReindexRequest,
): Promise<ReindexResult> {
  const { folder } = context
  const picked = pickEntry(await readEntries(folder), request)
  let recall = 0
  const { result } = await replaceVersion(context, request, {
    async turn(start: RunStart<ReindexRequest>) {
      const turn = await entryLocker(picked)(start)
      const why = whyNot(turn.entry)
      if (why !== null) throw cannot(turn.entry, why)
      return turn
    },
    async write(run, work) {
      run.report({ phase: 'indexing' })
      recall = await publishIndex(run, work)
      return { ...unchangedState(run.entry.live), how: 'published' }
    },
  })
  const { library, version, chunks, seconds } = result
  return { library, version, status: 'indexed', chunks, recall, seconds }
}

function whyNot({ live }: Entry): string | null {
  if (live.fingerprint === null) return 'it has no embeddings'
  return live.embedded === undefined ? null : 'not all of it is embedded yet'
}

async function publishIndex(
  { request, entry, publish }: VersionRun<ReindexRequest, LockedEntry>,
  { before, generation }: GenerationBuild,
): Promise<number> {
  if (before.kind === 'fresh' || before.rest === 'damaged') {
    throw cannot(entry, 'it is damaged', 'og doctor --repair builds it anew')
  }
  const { id, takeIndex } = await generation()
  const { recall } = await takeIndex({ id: entry.live.id, table: request.table })
  request.signal?.throwIfAborted()
  await publish({ ...entry.live, id, indexedAt: new Date().toISOString() })
  return recall
}

function cannot({ library, version }: Entry, why: string, hint?: string): OgError {
  const message = `Cannot give library "${library}" version "${version}" another index: ${why}`
  return new OgError(message, { hint })
}
