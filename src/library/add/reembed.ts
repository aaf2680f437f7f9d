import { probedFingerprint } from '../../embed/probe.ts'
import { messageOf, OgError } from '../../platform/error.ts'
import { createGeneration, hasGeneration, sweep } from '../../store/generation.ts'
import { publish } from '../../store/publish.ts'
import { readEntries, type Entry, type Generation } from '../../store/registry.ts'
import { generationFault } from '../../store/integrity/wholeness.ts'
import { openBefore, type Update } from './before.ts'
import { calibrated } from './calibrate.ts'
import { ingestChunks, type Embedding } from './ingest.ts'
import { noProgress, type AddProgress } from '../library.ts'
import { lockEntry } from '../lock.ts'
import type { Opened } from '../opened.ts'
import { pickEntry } from '../../version/pick.ts'
import { chunkerOf, isModelOf, withParserOf } from './recipe.ts'

export type ReembedRequest = {
  /** null: every library. */
  library: string | null
  /** null: every version of the library. */
  version: string | null
  lockTimeoutMs: number
  onProgress?: (progress: AddProgress, library: string) => void
  signal?: AbortSignal
}

export type ReembedResult = {
  library: string
  version: string
  status: 'reembedded' | 'unchanged'
  /** The model that embedded it before; null: none did. */
  before: string | null
  model: string
  pages: number
  chunks: number
  /** Chunks whose embedding was computed in this run. */
  embedded: number
  seconds: number
}

/** Of each library version either what was done or why not; then it is as it was. */
export type ReembedOutcome = { library: string; version: string } & (
  | { result: ReembedResult; error: null }
  | { result: null; error: OgError }
)

/**
 * Cuts and embeds indexed library versions anew by the settings, from their stored pages: nothing
 * is fetched. Readers have the old embeddings until the new ones are whole; the old ones stay for a
 * rollback. One that fails does not keep the next from its turn.
 * @throws OgError where the library is not indexed, embeddings are switched off, or on interruption
 */
export async function* reembedLibraries(
  opened: Opened,
  request: ReembedRequest,
): AsyncGenerator<ReembedOutcome> {
  if (opened.fingerprint === null) {
    throw new OgError('Cannot embed anew: embeddings.embedding_backend is none', {
      hint: 'og config set embeddings.embedding_backend builtin',
    })
  }
  for (const entry of entriesToReembed(await readEntries(opened.folder), request)) {
    const { library, version } = entry
    const outcome: ReembedOutcome = await reembed(opened, entry, request).then(
      (result) => ({ library, version, result, error: null }),
      (error) => ({ library, version, result: null, error: asOgError(error) }),
    )
    request.signal?.throwIfAborted()
    yield outcome
  }
}

function entriesToReembed(entries: Entry[], { library, version }: ReembedRequest): Entry[] {
  if (library === null) return entries
  const any = pickEntry(entries, { library, version })
  const isMine = (entry: Entry) =>
    version === null ? entry.key === any.key : entry === any
  return entries.filter(isMine)
}

async function reembed(
  opened: Opened,
  old: Entry,
  request: ReembedRequest,
): Promise<ReembedResult> {
  const started = performance.now()
  const { library, version } = old
  const progress: AddProgress = { ...noProgress, phase: 'embedding' }
  using locked = await lockEntry(opened.folder, old, { progress, request })
  const { entry, report } = locked
  const { live } = entry
  const isDone = isEmbeddedBySettings(opened, live)
    && (await isModelSame(opened, live, request.signal))
    && (await generationFault(opened.folder, live.id)) === null
  const steps = { report, request }
  const built = isDone ? { live, embedded: 0 } : await rebuild(opened, entry, steps)
  return {
    library,
    version,
    status: isDone ? 'unchanged' : 'reembedded',
    before: live.fingerprint?.model ?? null,
    model: opened.fingerprint!.model,
    pages: built.live.pages,
    chunks: built.live.chunks,
    embedded: built.embedded,
    seconds: (performance.now() - started) / 1000,
  }
}

/** An older parser is no reason: its pages are all there is. */
function isEmbeddedBySettings(opened: Opened, live: Generation): boolean {
  const chunker = withParserOf(live.chunker, chunkerOf(opened.chunking))
  return opened.isMadeBySettings({ ...live, chunker }) && hasGeneration(opened.folder, live.id)
}

/** An endpoint may have another model by the same name; it is asked where that can be told. */
async function isModelSame(
  opened: Opened, live: Generation, signal: AbortSignal | undefined,
): Promise<boolean> {
  return live.fingerprint?.probe === undefined || isModelOf(live, await opened.embedder(), signal)
}

type Steps = {
  report: (step: Partial<AddProgress>) => void
  request: { signal?: AbortSignal }
}
type Rebuilt = { live: Generation; embedded: number }

async function rebuild(opened: Opened, entry: Entry, steps: Steps): Promise<Rebuilt> {
  const rebuilt = await rebuildFromPages(opened, entry, steps)
  if (rebuilt !== null) return rebuilt
  const { library, version } = entry
  throw new OgError(
    `Cannot embed library "${library}" version "${version}" anew: its pages cannot be read`,
    { hint: 'run og doctor; og add reads its source again' },
  )
}

/**
 * Cuts and embeds the stored pages anew, for who holds the lock of the library version. Null where
 * they are damaged.
 */
export async function rebuildFromPages(
  opened: Opened,
  entry: Entry,
  steps: Steps,
): Promise<Rebuilt | null> {
  await sweep(opened.folder)
  using before = await openBefore(opened, entry)
  if (before.kind === 'fresh') return null
  try {
    return await build(opened, before, steps)
  } finally {
    // Whatever ended this run matters more than a failed sweep: the next writer sweeps again.
    await sweep(opened.folder).catch(() => [])
  }
}

async function build(
  opened: Opened,
  { entry, open, rest }: Update,
  { report, request: { signal } }: Steps,
): Promise<Rebuilt> {
  using generation = await createGeneration(opened.folder)
  const embedding = await opened.embedding()
  let characters = 0
  for await (const rows of open.pages()) {
    signal?.throwIfAborted()
    for (const { text } of rows) characters += text.length
    await generation.appendPages(rows)
  }
  await generation.keepLicense(await open.license())
  report({ phase: 'embedding', pages: entry.live.pages })
  const { chunks, embedded } = await ingestChunks(generation, embedding, {
    ...opened.chunking,
    maxTokens: embedding?.embedder.maxTokens ?? 512,
    countTokens: await opened.countTokens(),
    characters,
    onProgress: report,
    signal,
  })
  report({ phase: 'indexing' })
  await generation.finish()
  embedding?.cache.prune()
  const made = await recordOf(opened, { entry, embedding, id: generation.id, chunks })
  const live = embedding === null ? made : await calibrated(opened, made, embedding)
  signal?.throwIfAborted()
  await publish(opened.folder, (entries) => {
    const before = entries.find((it) => it.live.id === entry.live.id)
    if (before === undefined) throw changedMeanwhile(entry)
    return { ...before, before, live, isDamaged: rest === 'damaged' }
  })
  return { live, embedded }
}

async function recordOf(
  { chunking }: Opened,
  made: { entry: Entry; embedding: Embedding; id: string; chunks: number },
): Promise<Generation> {
  const { calibration: _, embedded: _rest, ...live } = made.entry.live
  const embedder = made.embedding?.embedder ?? null
  return {
    ...live,
    id: made.id,
    chunks: made.chunks,
    indexedAt: new Date().toISOString(),
    fingerprint: embedder === null ? null : await probedFingerprint(embedder),
    arithmetic: embedder?.arithmetic ?? null,
    chunker: withParserOf(chunkerOf(chunking), live.chunker),
  }
}

/** Only by somebody who edits the registry by hand: this run has the version's lock. */
function changedMeanwhile({ library, version }: Entry): OgError {
  return new OgError(
    `Cannot embed library "${library}" version "${version}" anew: it was changed meanwhile`,
    { hint: 'run the command again' },
  )
}

function asOgError(error: unknown): OgError {
  if (error instanceof OgError) return error
  return new OgError(`internal: ${messageOf(error)}`, { cause: error })
}
