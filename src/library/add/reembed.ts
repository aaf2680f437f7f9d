import { OgError } from '../../platform/error.ts'
import { hasGeneration, type GenerationWriter } from '../../store/generation.ts'
import { readEntries, type Entry, type Generation } from '../../store/registry.ts'
import { findGenerationFault } from '../../store/file-checks.ts'
import type { IntactState } from './live-state.ts'
import { cutPages } from './ingest.ts'
import type { AddResult, RunRequest } from '../library.ts'
import type { LibraryContext } from '../library-context.ts'
import { pickEntry, pickEntries } from '../../version/pick.ts'
import { chunkerOf, isEmbeddedBy, withParserOf } from '../recipe.ts'
import {
  replaceVersion,
  entryLocker,
  unchangedState,
  type LockedEntry,
  type NextState,
  type VersionRun,
  type GenerationBuild,
  type RunStart,
} from './replace-version.ts'
import { toOutcome, type VersionOutcome, type UpdateOutcome, type UpdateRequest } from './update.ts'
import { embedRemaining, lacksOnlyEmbeddings } from './publish-early.ts'

export type ReembedRequest = RunRequest & { library: string | null; version: string | null }

export type ReembedResult = {
  library: string
  version: string
  status: 'reembedded' | 'unchanged'
  before: string | null
  model: string
  pages: number
  chunks: number
  embedded: number
  /** Pages that could not be cut. Searches do not find them. */
  failed: AddResult['failed']
  seconds: number
}

export type ReembedOutcome = VersionOutcome<ReembedResult>

/**
 * Cuts and embeds indexed library versions again with the current settings, from their stored
 * pages. Readers use the old embeddings until the new ones are complete, and a rollback restores
 * the old ones. If one version fails, the rest continues.
 * @throws OgError if the library is not indexed, embeddings are off, or the run is interrupted
 */
export async function* reembedLibraries(
  context: LibraryContext,
  request: ReembedRequest,
): AsyncGenerator<ReembedOutcome> {
  if (context.fingerprint === null) {
    throw new OgError('Cannot embed again: embeddings.embedding_backend is none', {
      hint: 'og config set embeddings.embedding_backend builtin',
    })
  }
  for (const entry of entriesToReembed(await readEntries(context.folder), request)) {
    const outcome = await toOutcome(entry, () => reembed(context, entry, request))
    request.signal?.throwIfAborted()
    yield outcome
  }
}

function entriesToReembed(entries: Entry[], { library, version }: ReembedRequest): Entry[] {
  if (library === null) return entries
  const any = pickEntry(entries, { library, version })
  const isMine = (entry: Entry) => (version === null ? entry.key === any.key : entry === any)
  return entries.filter(isMine)
}

async function reembed(
  context: LibraryContext,
  old: Entry,
  request: ReembedRequest,
): Promise<ReembedResult> {
  const { entry, result } = await replaceVersion(context, request, {
    turn: entryLocker(old),
    current: currentState,
    write: rebuild,
  })
  const { library, version, pages, chunks, embedded, failed, seconds } = result
  return {
    library,
    version,
    status: result.status === 'unchanged' ? 'unchanged' : 'reembedded',
    before: entry.live.fingerprint?.model ?? null,
    model: context.fingerprint!.model,
    pages,
    chunks,
    embedded,
    failed,
    seconds,
  }
}

async function currentState({
  context,
  entry: { live },
  request,
}: VersionRun<ReembedRequest, LockedEntry>) {
  const isDone =
    isEmbeddedBySettings(context, live) &&
    (await isModelSame(context, live, request.signal)) &&
    (await findGenerationFault(context.folder, live.id)) === null
  return isDone ? live : null
}

/** Ignores the parser's version: stored pages can be embedded anew, but not parsed anew. */
function isEmbeddedBySettings(context: LibraryContext, live: Generation): boolean {
  const chunker = withParserOf(live.chunker, chunkerOf(context.chunking))
  return context.isMadeBySettings({ ...live, chunker }) && hasGeneration(context.folder, live.id)
}

/** Requests a probe if needed, because an endpoint may serve a new model under the same name. */
async function isModelSame(
  context: LibraryContext,
  live: Generation,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  return (
    live.fingerprint?.probe === undefined || isEmbeddedBy(live, await context.embedder(), signal)
  )
}

async function rebuild(
  run: VersionRun,
  { before, generation }: GenerationBuild,
): Promise<NextState> {
  if (before.kind === 'update') return rewritePages(run, before, await generation())
  const { library, version } = run.target
  throw new OgError(
    `Cannot embed library "${library}" version "${version}" again: its pages cannot be read`,
    { hint: 'run og doctor; og add reads its source again' },
  )
}

export async function rewritePages(
  run: VersionRun,
  { entry, open }: IntactState,
  generation: GenerationWriter,
): Promise<NextState> {
  let characters = 0
  for await (const rows of open.pages()) {
    run.request.signal?.throwIfAborted()
    for (const { text } of rows) characters += text.length
    await generation.appendPages(rows)
  }
  await generation.keepLicense(await open.license())
  run.report({ phase: 'embedding', pages: entry.live.pages })
  const { made, failed, ...cut } = await cutPages(run, generation, { characters })
  const { calibration: _, embedded: _rest, ...old } = entry.live
  const chunker = withParserOf(made.chunker, old.chunker)
  const live = {
    ...old,
    ...made,
    chunker,
    failed: Math.max(old.failed ?? 0, failed.length),
    indexedAt: new Date().toISOString(),
  }
  const collected = { skipped: [], failed, kept: 0 }
  return { ...unchangedState(live), how: 'written', ...cut, collected }
}

export type ResumeRequest = RunRequest & Pick<UpdateRequest, 'library' | 'version'>

/**
 * Resumes embedding library versions that were published before all chunks were embedded. Covers
 * one library or version, or the whole store. Fetches nothing. If one version fails, the rest
 * continues.
 * @throws OgError if the library or version is not indexed, or the run is interrupted
 */
export async function* resumeLibraries(
  context: LibraryContext,
  request: ResumeRequest,
): AsyncGenerator<UpdateOutcome> {
  for (const entry of unfinished(await readEntries(context.folder), request)) {
    const outcome = await toOutcome(entry, () => resume(context, entry, request))
    request.signal?.throwIfAborted()
    yield outcome
  }
}

function unfinished(
  entries: Entry[],
  { library, version }: Pick<ResumeRequest, 'library' | 'version'>,
): Entry[] {
  const any = library === null ? null : pickEntry(entries, { library, version })
  const matches = version === null ? entries : pickEntries(entries, { library, version })
  return matches.filter(
    ({ key, live }) => live.embedded !== undefined && (any === null || key === any.key),
  )
}

async function resume(
  context: LibraryContext,
  entry: Entry,
  request: ResumeRequest,
): Promise<AddResult> {
  const { result } = await replaceVersion(context, request, {
    async turn(start: RunStart) {
      Object.assign(start.progress, { version: entry.version, isSearchable: true })
      const turn = await entryLocker(entry)(start)
      start.report({ phase: 'embedding', pages: turn.entry.live.pages })
      return turn
    },
    current: async ({ entry: { live } }) => (live.embedded === undefined ? live : null),
    write: embedEntry,
  })
  return result
}

/** Cuts the stored pages again if settings or og have changed since the version was cut. */
async function embedEntry(
  run: VersionRun,
  { before, generation }: GenerationBuild,
): Promise<NextState> {
  if (before.kind === 'fresh') {
    const { library, version } = run.target
    throw new OgError(
      `Cannot embed the rest of library "${library}" version "${version}": ` +
        'its pages cannot be read',
      { hint: 'run og doctor; og update reads its source again' },
    )
  }
  if (!lacksOnlyEmbeddings(run.context, before))
    return rewritePages(run, before, await generation())
  const { live } = before.entry
  const embedded = await embedRemaining(run, before, live)
  return { ...unchangedState(live), how: 'published', embedded }
}
