import { untilAborted } from '../../platform/concurrency.ts'
import { OgError } from '../../platform/error.ts'
import {
  type GenerationWriter,
  createGeneration,
  sweepGenerations,
} from '../../store/generation.ts'
import type { Generation } from '../../store/registry.ts'
import { remoteBucketOf } from '../../store/remote-bucket.ts'
import { isApiPagePath } from '../../api/api-path.ts'
import { hasProse } from '../../chunk/api-text.ts'
import { embeddedTextFormatter } from '../../chunk/embedded-text.ts'
import { findRepeatsByPage, type RepeatedRanges } from '../../chunk/repeats.ts'
import type { LibraryContext, EmbeddingSetup } from '../library-context.ts'
import type { IntactState } from './live-state.ts'
import { embedRows } from './ingest.ts'
import { isEmbeddedBy } from '../recipe.ts'
import type { VersionRun } from './replace-version.ts'
import { probedFingerprint } from '../../embed/probe.ts'
import type { ChunkRow, Embeddings } from '../../store/chunks/chunk-table.ts'
import { collectMeanwhile } from '../../platform/garbage.ts'
import type { PageRow } from '../../store/pages/page-table.ts'
import { isZero } from '../../store/lance.ts'
import { calibrateGeneration } from './calibrate.ts'
import type { PreparedChunk } from './cut-page.ts'

/** A version with fewer characters is published only after it is embedded. */
const fewestCharacters = 32_000
/** The same limit as a number of chunks to embed, which takes some seconds. */
const fewestMissing = 48

/**
 * True if a library version may be published before it is embedded. It must be large enough, and
 * either new or not fully embedded in its live state. Never true with `minHealth`, because health
 * is measured with embeddings, or for buckets, because each published step uploads the whole
 * version again.
 */
export function canPublishEarly(
  { context, request, entry }: VersionRun,
  characters: number,
): boolean {
  if (context.fingerprint === null || remoteBucketOf(context.folder) !== null) return false
  if (typeof request.minHealth === 'number') return false
  return (entry === null || entry.live.embedded !== undefined) && characters >= fewestCharacters
}

export async function publishAndEmbed(
  run: VersionRun,
  generation: GenerationWriter,
  { embedding, record, missing }: Pick<StepOptions, 'embedding' | 'record'> & { missing: number },
): Promise<number> {
  const { request, entry } = run
  request.signal?.throwIfAborted()
  let published = entry === null ? -1 : (entry.live.embedded ?? entry.live.chunks)
  if (entry === null && missing >= fewestMissing) {
    await generation.finish({ isPartial: true })
    await run.publish({ ...record, embedded: 0 })
    published = 0
  }
  const work = await embeddingWork(generation, embedding)
  return embedInSteps(run, generation, { embedding, work, record, published })
}

export function lacksOnlyEmbeddings(
  context: LibraryContext,
  {
    entry: {
      live: { embedded, ...live },
    },
    rest,
  }: IntactState,
): boolean {
  return embedded !== undefined && rest === 'whole' && context.isMadeBySettings(live)
}

export async function embedRemaining(
  run: VersionRun,
  { entry: { live }, open }: IntactState,
  record: Generation,
): Promise<number> {
  const {
    context,
    request: { signal },
  } = run
  const embedding = (await context.embedding())!
  await untilAborted(embedding.ready?.() ?? Promise.resolve(), signal)
  if (!(await isEmbeddedBy(live, embedding.embedder, signal))) throw otherModel(record)
  await keepEmbeddings(open, embedding)
  const work = await embeddingWork(open, embedding)
  const published = live.embedded ?? live.chunks
  return embedInSteps(run, open, { embedding, work, record, published })
}

/** Copies published embeddings to the cache, because the user may have deleted the cache. */
async function keepEmbeddings(
  open: IntactState['open'],
  { cache }: NonNullable<EmbeddingSetup>,
): Promise<void> {
  const textOf = embeddedTextFormatter(await findRepeatsByPage(open.pages()))
  for await (const { embedding, ...chunk } of open.embeddedChunks(null)) {
    const text = textOf(chunk)
    if (cache.read([text])[0] === null) cache.write([text], embedding)
  }
}

function otherModel({ fingerprint }: Generation): OgError {
  return new OgError(
    'Cannot embed the rest: the endpoint now serves another model under the name ' +
      `"${fingerprint!.model}"`,
    { hint: '"og reembed" embeds the whole library again' },
  )
}

type CutPages = {
  pages(): AsyncGenerator<PageRow[]>
  chunkRows(): AsyncGenerator<ChunkRow[]>
  license(): Promise<string | null>
}

type EmbeddingWork = {
  chunks: number
  /** Number of chunks that begin a page. */
  openings: number
  /** Number of chunks by `urgency`. */
  byUrgency: number[]
  missing: number
  repeats: RepeatedRanges
}

/**
 * Returns a chunk's place in the order of embedding, from 0: the beginning of a guide, which
 * represents its page, then the rest of the guides, then the API reference. Symbols without a
 * sentence are last because few questions are about them.
 */
function urgency({ row }: PreparedChunk): number {
  if (isApiPagePath(row.url)) return hasProse(row.content) ? 2 : 3
  return row.chunk_index === 0 ? 0 : 1
}

/** Smaller versions are published only once, because each step writes the whole version again. */
const fewestStepped = 512
const batchRows = 512

type Embedders = NonNullable<EmbeddingSetup>

async function embeddingWork(
  cut: CutPages,
  { cache }: Pick<Embedders, 'cache'>,
): Promise<EmbeddingWork> {
  const repeats = await findRepeatsByPage(cut.pages())
  const work = { chunks: 0, openings: 0, byUrgency: [0, 0, 0, 0], missing: 0, repeats }
  const counted = new Set<number | bigint>()
  for await (const prepared of preparedRows(cut, work)) {
    work.chunks += prepared.length
    work.openings += prepared.filter(({ row }) => row.chunk_index === 0).length
    for (const chunk of prepared) work.byUrgency[urgency(chunk)]!++
    const cached = cache.read(prepared.map(({ text }) => text))
    prepared.forEach(({ text }, at) => cached[at] === null && counted.add(Bun.hash(text)))
  }
  return { ...work, missing: counted.size }
}

type StepOptions = {
  embedding: Embedders
  work: EmbeddingWork
  /** The generation's registry row, without the fields that each step sets: `id` and `embedded`. */
  record: Generation
  /**
   * Number of embedded chunks in the live generation, or -1 if there is none. A step is published
   * only if more chunks are embedded.
   */
  published: number
}

/**
 * Embeds chunks in steps, by `urgency`, so that searches can use some embeddings early. Publishes
 * the current state after as many chunks as there are pages, after half of all chunks, and at the
 * end. Missing embeddings are zeros. Each step is a new generation, so readers never see a partial
 * step. If the process is killed, the last published state remains, and its embeddings are in the
 * cache.
 * @returns the number of embeddings computed
 */
async function embedInSteps(
  { context, request: { signal }, report, publish }: VersionRun,
  cut: CutPages,
  { embedding, work, record, published }: StepOptions,
): Promise<number> {
  const { folder } = context
  const done = { chunks: work.chunks, toEmbed: work.missing, embedded: 0 }
  const tell = (phase: 'embedding' | 'indexing') => report({ phase, ...done })
  const step = (_missing: number, computed: number) => {
    signal?.throwIfAborted()
    done.embedded += computed
    tell('embedding')
  }
  const embed = (prepared: PreparedChunk[]) => embedRows(embedding, prepared, { step, signal })
  const { embedded: _, ...state } = record
  tell('embedding')
  const whole = { ...state, fingerprint: await probedFingerprint(embedding.embedder, signal) }
  let last = published
  async function publishStep(made: WrittenGeneration): Promise<void> {
    using _ = made
    await made.finish({ isPartial: true })
    await publish({ ...whole, id: made.id, embedded: made.embedded })
    last = made.embedded
    await sweepGenerations(folder)
  }
  // Indexing a step uses one processor, so embed the next chunks at the same time.
  let publishing = Promise.resolve()
  try {
    for (const most of stepsOf(work)) {
      await embedMostUrgent(cut, { work, most, embed })
      await publishing
      if (work.chunks - work.missing + done.embedded <= last) continue
      const embedStored = async (prepared: PreparedChunk[]) => knownRows(embedding, prepared)
      publishing = publishStep(await writeGeneration(folder, cut, { work, embed: embedStored }))
      publishing.catch(() => {})
    }
    using made = await writeGeneration(folder, cut, { work, embed })
    tell('indexing')
    await made.finish()
    embedding.cache.prune()
    const live = await calibrateGeneration(context, { ...whole, id: made.id }, embedding)
    await publishing
    signal?.throwIfAborted()
    await publish(live)
    return done.embedded
  } finally {
    // The run must not release its lock earlier. Its own error takes precedence over the step's.
    await publishing.catch(() => {})
  }
}

/** Returns how many chunks are embedded at the end of each step except the last. */
function stepsOf({ chunks, openings, missing }: EmbeddingWork): number[] {
  if (missing < fewestStepped) return []
  const half = Math.ceil(chunks / 2)
  return openings < half ? [openings, half] : [half]
}

type Embed = (prepared: PreparedChunk[]) => Promise<Embeddings>

async function embedMostUrgent(
  cut: CutPages,
  { work, most, embed }: { work: EmbeddingWork; most: number; embed: Embed },
): Promise<void> {
  let left = most
  for (const [level, count] of work.byUrgency.entries()) {
    const isMine = (chunk: PreparedChunk) => urgency(chunk) === level
    const first = Math.min(left, count)
    if (first > 0) await embedSome(preparedRows(cut, work), { isMine, most: first }, embed)
    left -= first
  }
}

type Choice = { isMine(prepared: PreparedChunk): boolean; most: number }

async function embedSome(
  rows: AsyncIterable<PreparedChunk[]>,
  { isMine, most }: Choice,
  embed: Embed,
): Promise<void> {
  let waiting: PreparedChunk[] = []
  let seen = 0
  for await (const prepared of rows) {
    const mine = prepared.filter(isMine).slice(0, most - seen)
    waiting = waiting.concat(mine)
    seen += mine.length
    if (waiting.length >= batchRows) await embed(waiting.splice(0))
    if (seen >= most) break
  }
  if (waiting.length > 0) await embed(waiting)
}

type WrittenGeneration = GenerationWriter & { embedded: number }

/** Writes a generation with the same pages and chunks, but the embeddings from `embed`. */
async function writeGeneration(
  folder: string,
  cut: CutPages,
  { work, embed }: { work: EmbeddingWork; embed: Embed },
): Promise<WrittenGeneration> {
  const generation = await createGeneration(folder)
  try {
    for await (const rows of cut.pages()) await generation.appendPages(rows)
    await generation.keepLicense(await cut.license())
    let embedded = 0
    for await (const prepared of preparedRows(cut, work)) {
      collectMeanwhile()
      const embeddings = await embed(prepared)
      embedded += embeddedRows(embeddings)
      await generation.appendChunks(
        prepared.map(({ row }) => row),
        embeddings,
      )
    }
    return { ...generation, embedded }
  } catch (error) {
    generation[Symbol.dispose]()
    throw error
  }
}

function knownRows({ embedder, cache }: Embedders, prepared: readonly PreparedChunk[]): Embeddings {
  const { dimensions } = embedder.fingerprint
  const block = new Float32Array(prepared.length * dimensions)
  cache
    .read(prepared.map(({ text }) => text))
    .forEach((embedding, row) => embedding && block.set(embedding, row * dimensions))
  return { block, dimensions }
}

function embeddedRows({ block, dimensions }: Embeddings): number {
  let rows = 0
  for (let at = 0; at < block.length; at += dimensions) {
    if (!isZero(block.subarray(at, at + dimensions))) rows++
  }
  return rows
}

async function* preparedRows(
  cut: CutPages,
  { repeats }: Pick<EmbeddingWork, 'repeats'>,
): AsyncGenerator<PreparedChunk[]> {
  const textOf = embeddedTextFormatter(repeats)
  for await (const rows of cut.chunkRows()) {
    for (let from = 0; from < rows.length; from += batchRows) {
      const batch = rows.slice(from, from + batchRows)
      yield batch.map((row) => ({ row, text: textOf(row) }))
    }
  }
}
