import type { EmbeddingCache } from '../../embed/cache.ts'
import type { CountTokens, Embedder } from '../../embed/embedder.ts'
import { probedFingerprint } from '../../embed/probe.ts'
import { runInOrder, untilAborted } from '../../platform/concurrency.ts'
import { messageOf, OgError } from '../../platform/error.ts'
import { collectMeanwhile } from '../../platform/garbage.ts'
import type { Embeddings } from '../../store/chunks/chunk-table.ts'
import type { GenerationWriter } from '../../store/generation.ts'
import type { PageRow } from '../../store/pages/page-table.ts'
import type { Generation } from '../../store/registry.ts'
import { cutPageInSandbox, type PreparedChunk } from './cut-page.ts'
import { chunkerOf } from './recipe.ts'
import type { VersionRun } from './replace-version.ts'

/**
 * An embedder and its cache; null stores chunks without embeddings (full-text only). `ready`, if
 * present, asks the embedder which cache belongs to it; nothing is embedded before that.
 */
export type EmbeddingSetup = {
  embedder: Embedder
  cache: EmbeddingCache
  ready?: () => Promise<void>
} | null

export type IngestOptions = {
  chunkChars: number | undefined
  overlapChars: number | undefined
  maxTokens: number
  countTokens: CountTokens
  /** Characters of all pages to cut, for estimating the remaining work. */
  characters: number
  /** Pages that are not cut, because their chunks were copied. */
  copied?: ReadonlySet<string>
  /** Looks up embeddings that the cache lacks. */
  recall?: EmbeddingLookup
  /** If true, chunks are written with zeros and embedded later (steps.ts). */
  isDeferred?: boolean
  onProgress: (done: { chunks: number; toEmbed: number; embedded: number }) => void
  signal?: AbortSignal | undefined
}

/** Looks up embeddings of chunks by their embedded text, in order; null if there is none. */
export type EmbeddingLookup = (
  prepared: readonly PreparedChunk[],
) => Promise<(Float32Array | null)[]>

/** Rows written at a time: one LanceDB fragment each. */
const batchRows = 512
/** Texts sent to the embedder at a time, unless it asks for more. A kill -9 can lose this many. */
const batchTexts = 16
/** Enough that the embedder never waits, and few enough that little is lost on an abort. */
const lanes = 2

/** A page whose text is stored but could not be cut: it can be read, but not found. */
type FailedPage = { url: string; reason: string }

/**
 * Cuts the generation's pages into chunks, embeds those missing from the cache, and writes them all
 * to the generation. Returns the number of chunks, how many embeddings were computed, and the pages
 * that could not be cut.
 */
export async function ingestChunks(
  generation: GenerationWriter,
  embedding: EmbeddingSetup,
  options: IngestOptions,
): Promise<{ chunks: number; embedded: number; failed: FailedPage[] }> {
  const done = { chunks: 0, toEmbed: 0, embedded: 0 }
  const failed: FailedPage[] = []
  let cut = 0
  for await (const { pages, prepared, ...batch } of batches(generation, options)) {
    options.signal?.throwIfAborted()
    failed.push(...batch.failed)
    if (prepared.length === 0) continue
    done.chunks += prepared.length
    cut += pages
    const share = cut / Math.max(1, options.characters)
    const { recall, signal } = options
    const embedded =
      embedding &&
      (options.isDeferred
        ? zeros(embedding, prepared.length)
        : await embedRows(embedding, prepared, { step, recall, signal }))
    await generation.appendChunks(
      prepared.map(({ row }) => row),
      embedded,
    )
    collectMeanwhile()
    options.onProgress(done)
    function step(missing: number, computed: number): void {
      options.signal?.throwIfAborted()
      done.embedded += computed
      done.toEmbed = Math.max(done.embedded, Math.round((done.embedded + missing) / share))
      options.onProgress(done)
    }
  }
  return { chunks: done.chunks, embedded: done.embedded, failed }
}

/** The columns of a generation's row that cutting and embedding determine. */
export type GenerationRecipe = Pick<
  Generation,
  'id' | 'chunks' | 'fingerprint' | 'arithmetic' | 'chunker'
>

type Cut = {
  embedding: EmbeddingSetup
  embedded: number
  failed: FailedPage[]
  made: GenerationRecipe
}

type CutOptions = Pick<IngestOptions, 'characters' | 'copied' | 'recall' | 'isDeferred'>

/** Cuts and embeds the pages of a generation by the current settings. */
export async function cutPages(
  { context, request: { signal }, report }: VersionRun,
  generation: GenerationWriter,
  options: CutOptions,
): Promise<Cut> {
  const embedding = await context.embedding()
  const embedder = embedding?.embedder ?? null
  const { chunks, embedded, failed } = await ingestChunks(generation, embedding, {
    ...options,
    ...context.chunking,
    maxTokens: embedder?.maxTokens ?? 512,
    countTokens: await context.countTokens(),
    onProgress: report,
    signal,
  })
  // A deferred run does not wait for an endpoint. The steps that embed later record its probe.
  const fingerprint =
    options.isDeferred || embedder === null
      ? (embedder?.fingerprint ?? null)
      : await probedFingerprint(embedder, signal)
  const arithmetic = embedder?.arithmetic ?? null
  const chunker = chunkerOf(context.chunking)
  const made = { id: generation.id, chunks, fingerprint, arithmetic, chunker }
  return { embedding, embedded, failed, made }
}

type Batch = { pages: number; prepared: PreparedChunk[]; failed: FailedPage[] }

/** Chunks of several pages, about `batchRows` at a time. `pages` is in characters. */
async function* batches(
  generation: GenerationWriter,
  options: IngestOptions,
): AsyncGenerator<Batch> {
  let batch: Batch = { pages: 0, prepared: [], failed: [] }
  for await (const cut of runInOrder(pagesToCut(generation, options), cutter(options), cutting)) {
    batch.pages += cut.pages
    batch.failed.push(...cut.failed)
    batch.prepared = batch.prepared.concat(cut.prepared)
    while (batch.prepared.length >= batchRows) {
      const rest = batch.prepared.slice(batchRows)
      yield { ...batch, prepared: batch.prepared.slice(0, batchRows) }
      batch = { pages: 0, prepared: rest, failed: [] }
    }
  }
  if (batch.prepared.length > 0 || batch.failed.length > 0) yield batch
}

async function* pagesToCut(
  generation: GenerationWriter,
  { copied }: IngestOptions,
): AsyncGenerator<PageRow> {
  for await (const rows of generation.pages()) {
    for (const row of rows) if (!copied?.has(row.url)) yield row
  }
}

/** Pages cut at once. Their chunks duplicate the text, with terms and other fields. */
const cutting = { lanes: 16, bytesOf: ({ text }: PageRow) => 6 * text.length }

/** A page that cannot be cut fails alone; an invalid setting ends the run. */
function cutter(options: IngestOptions): (row: PageRow) => Promise<Batch> {
  const { chunkChars, overlapChars, maxTokens, countTokens, signal } = options
  return (row) =>
    cutPageInSandbox(row, { chunkChars, overlapChars, maxTokens }, { countTokens, signal }).then(
      (prepared) => ({ pages: row.text.length, prepared, failed: [] }),
      (error: unknown) => {
        signal?.throwIfAborted()
        if (error instanceof OgError) throw error
        const failed = [{ url: row.url, reason: messageOf(error) }]
        return { pages: row.text.length, prepared: [], failed }
      },
    )
}

function zeros({ embedder }: NonNullable<EmbeddingSetup>, rows: number): Embeddings {
  const { dimensions } = embedder.fingerprint
  return { block: new Float32Array(rows * dimensions), dimensions }
}

type EmbedOptions = {
  /** Called with the number of missing embeddings, then with each number computed. */
  step(missing: number, computed: number): void
  recall?: EmbeddingLookup | undefined
  signal?: AbortSignal | undefined
}

/**
 * A block with one row per chunk. Chunks with equal text share one computation. Each small batch is
 * cached as soon as it is computed.
 */
export async function embedRows(
  embedding: NonNullable<EmbeddingSetup>,
  prepared: readonly PreparedChunk[],
  options: EmbedOptions,
): Promise<Embeddings> {
  const work = async () => {
    await embedding.ready?.()
    return embeddedBlock(embedding, prepared, options)
  }
  const block = await untilAborted(work(), options.signal)
  return { block, dimensions: embedding.embedder.fingerprint.dimensions }
}

async function embeddedBlock(
  { embedder, cache }: NonNullable<EmbeddingSetup>,
  prepared: readonly PreparedChunk[],
  { step, recall }: EmbedOptions,
): Promise<Float32Array> {
  const { dimensions } = embedder.fingerprint
  const block = new Float32Array(prepared.length * dimensions)
  const embeddings = cache.read(prepared.map(({ text }) => text))
  const unknown = prepared.map((_, row) => row).filter((row) => embeddings[row] === null)
  if (recall && unknown.length > 0) {
    const recalled = await recall(unknown.map((row) => prepared[row]!))
    unknown.forEach((row, i) => (embeddings[row] = recalled[i] ?? null))
  }
  embeddings.forEach((embedding, row) => embedding && block.set(embedding, row * dimensions))
  const missing = unknown.filter((row) => embeddings[row] === null)
  const rowsOf = Map.groupBy(missing, (row) => prepared[row]!.text)
  const unique = [...rowsOf.keys()]
  let left = unique.length
  step(left, 0)
  async function lane(): Promise<void> {
    for (let texts = nextTexts(); texts.length > 0; texts = nextTexts()) {
      const computed = await embedder.embed(texts)
      cache.write(texts, computed)
      texts.forEach((text, i) => {
        const embedding = computed.subarray(i * dimensions, (i + 1) * dimensions)
        for (const row of rowsOf.get(text)!) block.set(embedding, row * dimensions)
      })
      left -= texts.length
      step(left, texts.length)
    }
  }
  const nextTexts = () => unique.splice(0, embedder.batchTexts ?? batchTexts)
  const stop = (error: unknown) => {
    unique.length = 0
    throw error
  }
  // If one lane fails, the results of the others are kept, because the user may have paid for them.
  const ended = await Promise.allSettled(Array.from({ length: lanes }, () => lane().catch(stop)))
  for (const it of ended) if (it.status === 'rejected') throw it.reason
  return block
}
