import { sharesEmbedding } from '../../chunk/embedded-text.ts'
import type { CountTokens } from '../../embed/embedder.ts'
import { probedFingerprint } from '../../embed/probe.ts'
import { runInOrder, untilAborted } from '../../platform/concurrency.ts'
import { messageOf, OgError } from '../../platform/error.ts'
import { collectMeanwhile } from '../../platform/garbage.ts'
import type { Embeddings } from '../../store/chunks/chunk-table.ts'
import type { GenerationWriter } from '../../store/generation.ts'
import type { PageRow } from '../../store/pages/page-table.ts'
import type { Generation } from '../../store/registry.ts'
import type { AddProgress } from '../library.ts'
import type { LibraryContext, EmbeddingSetup } from '../library-context.ts'
import {
  cutPageInSandbox,
  reserveCutter,
  type CutSettings,
  type PreparedChunk,
} from './cut-page.ts'
import { rowCharacters } from './pages.ts'
import { chunkerOf } from '../recipe.ts'
import type { VersionRun } from './replace-version.ts'

export type IngestOptions = {
  chunkChars: number | undefined
  overlapChars: number | undefined
  maxTokens: number
  countTokens: CountTokens
  /** Pages that were cut while later ones were read. */
  ahead?: PagesCutAhead | null
  characters: number
  /** URLs of pages that are not cut because their chunks were copied. */
  copied?: ReadonlySet<string>
  recall?: EmbeddingLookup
  /** If true, chunks get zeros as embeddings and are embedded later (publish-early.ts). */
  isDeferred?: boolean
  onProgress: (done: Pick<AddProgress, 'chunks' | 'toEmbed' | 'embedded' | 'shared'>) => void
  signal?: AbortSignal | undefined
}

export type EmbeddingLookup = (
  prepared: readonly PreparedChunk[],
) => Promise<(Float32Array | null)[]>

/** Number of rows per write. Each write becomes one LanceDB fragment. */
const batchRows = 512
/** Number of texts per call of the embedder. A `kill -9` can lose this many embeddings. */
const batchTexts = 16
/** Enough lanes that the embedder never waits, and few enough that an abort loses little. */
const lanes = 2

/** A page that is stored but could not be cut. Users can read it, but searches do not find it. */
type FailedPage = { url: string; reason: string }

type Ingested = {
  chunks: number
  embedded: number
  /** For a deferred run, the number of different texts that the embedding cache lacks. */
  missing: number
  failed: FailedPage[]
}

export async function ingestChunks(
  generation: GenerationWriter,
  embedding: EmbeddingSetup,
  options: IngestOptions,
): Promise<Ingested> {
  const done = { chunks: 0, toEmbed: 0, embedded: 0, shared: 0 }
  const missing = new Set<number | bigint>()
  const failed: FailedPage[] = []
  let cut = 0
  for await (const { pages, prepared, ...batch } of batches(generation, options)) {
    options.signal?.throwIfAborted()
    failed.push(...batch.failed)
    if (prepared.length === 0) continue
    done.chunks += prepared.length
    if (embedding) done.shared += prepared.filter(hasSharedEmbedding).length
    cut += pages
    const share = cut / Math.max(1, options.characters)
    const { recall, signal } = options
    const embedded =
      embedding &&
      (options.isDeferred
        ? deferEmbedding(embedding, prepared, missing)
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
  return { chunks: done.chunks, embedded: done.embedded, missing: missing.size, failed }
}

function hasSharedEmbedding({ row }: PreparedChunk): boolean {
  return sharesEmbedding(row.chunk_index)
}

export type GenerationRecipe = Pick<
  Generation,
  'id' | 'chunks' | 'fingerprint' | 'arithmetic' | 'chunker'
>

export async function cutPages(
  { context, request: { signal }, report }: VersionRun,
  generation: GenerationWriter,
  options: Pick<IngestOptions, 'characters' | 'copied' | 'recall' | 'isDeferred' | 'ahead'>,
): Promise<Omit<Ingested, 'chunks'> & { embedding: EmbeddingSetup; made: GenerationRecipe }> {
  const embedding = await context.embedding()
  const embedder = embedding?.embedder ?? null
  const { chunks, ...ingested } = await ingestChunks(generation, embedding, {
    ...options,
    ...(await cutSettings(context)),
    onProgress: report,
    signal,
  })
  // A deferred run does not wait for an endpoint. Later embedding steps record its probe.
  const fingerprint =
    options.isDeferred || embedder === null
      ? (embedder?.fingerprint ?? null)
      : await probedFingerprint(embedder, signal)
  const arithmetic = embedder?.arithmetic ?? null
  const chunker = chunkerOf(context.chunking)
  const made = { id: generation.id, chunks, fingerprint, arithmetic, chunker }
  return { embedding, made, ...ingested }
}

type CutOptions = CutSettings & { countTokens: CountTokens }

type CutContext = Pick<LibraryContext, 'chunking' | 'embedding' | 'countTokens'>

async function cutSettings(context: CutContext): Promise<CutOptions> {
  const maxTokens = (await context.embedding())?.embedder.maxTokens ?? 512
  return { ...context.chunking, maxTokens, countTokens: await context.countTokens() }
}

export type PagesCutAhead = {
  /** Cuts a page, or keeps it until there are more pages. */
  start(page: PageRow): void
  /** Returns the chunks of a started page once, and undefined for any other page. */
  take(url: string): Promise<PreparedChunk[]> | undefined
}

/**
 * Limits, in characters, for the pages that are cut before all pages are read. A few pages are cut
 * sooner without a second process. Many long pages would fill the memory with their chunks, and
 * many short ones would make a queue that takes seconds to abort.
 */
const aheadCharacters = { fewest: 32_000, most: 4 * 2 ** 20 }

/** Cuts pages in a second sandbox process while the first one parses. */
export function cutAhead({
  context,
  request: { signal },
}: {
  context: CutContext
  request: { signal?: AbortSignal }
}): PagesCutAhead {
  const started = new Map<string, Promise<PreparedChunk[]>>()
  let waiting: PageRow[] = []
  let characters = 0
  let size = 0
  let settings: Promise<CutOptions> | null = null
  function cut(page: PageRow): void {
    settings ??= cutSettings(context).then((it) => (reserveCutter(it.countTokens), it))
    const chunks = settings.then(({ countTokens, ...cutting }) =>
      cutPageInSandbox(page, cutting, { countTokens, signal }),
    )
    // A failure is reported when the page is taken.
    chunks.catch(() => {})
    started.set(page.url, chunks)
  }
  return {
    start(page) {
      characters += page.text.length
      size += page.text.length + rowCharacters
      // The table stores lone surrogates as a different character, so such a page is cut later.
      const isCut = size <= aheadCharacters.most && Object.values(page).every(isStoredAsItIs)
      if (isCut) waiting.push(page)
      if (characters < aheadCharacters.fewest) return
      for (const it of waiting) cut(it)
      waiting = []
    },
    take(url) {
      const chunks = started.get(url)
      started.delete(url)
      return chunks
    },
  }
}

function isStoredAsItIs(cell: unknown): boolean {
  return typeof cell !== 'string' || cell.isWellFormed()
}

type Batch = { pages: number; prepared: PreparedChunk[]; failed: FailedPage[] }

/** Yields the chunks of several pages, about `batchRows` at a time. `pages` counts characters. */
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

/** Number of pages cut at once. Chunks repeat their page's text and add terms. */
const cutting = { lanes: 16, bytesOf: ({ text }: PageRow) => 6 * text.length }

/** If one page cannot be cut, the rest continues. An invalid setting ends the run. */
function cutter(options: IngestOptions): (row: PageRow) => Promise<Batch> {
  const { chunkChars, overlapChars, maxTokens, countTokens, signal, ahead } = options
  const cut = (row: PageRow) =>
    cutPageInSandbox(row, { chunkChars, overlapChars, maxTokens }, { countTokens, signal })
  return (row) =>
    (ahead?.take(row.url) ?? cut(row)).then(
      (prepared) => ({ pages: row.text.length, prepared, failed: [] }),
      (error: unknown) => {
        signal?.throwIfAborted()
        if (error instanceof OgError) throw error
        const failed = [{ url: row.url, reason: messageOf(error) }]
        return { pages: row.text.length, prepared: [], failed }
      },
    )
}

function deferEmbedding(
  { embedder, cache }: NonNullable<EmbeddingSetup>,
  prepared: readonly PreparedChunk[],
  missing: Set<number | bigint>,
): Embeddings {
  const cached = cache.read(prepared.map(({ text }) => text))
  prepared.forEach(({ text }, row) => cached[row] === null && missing.add(Bun.hash(text)))
  const { dimensions } = embedder.fingerprint
  return { block: new Float32Array(prepared.length * dimensions), dimensions }
}

type EmbedOptions = {
  /** Called first with the number of missing embeddings, then with each step's result. */
  step(missing: number, computed: number): void
  recall?: EmbeddingLookup | undefined
  signal?: AbortSignal | undefined
}

/**
 * Returns a block of embeddings, one row per chunk. Embeds equal texts only once. Caches each small
 * batch as soon as it is computed.
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
  // If one lane fails, keep the other lanes' results, because the user may have paid for them.
  const ended = await Promise.allSettled(Array.from({ length: lanes }, () => lane().catch(stop)))
  for (const it of ended) if (it.status === 'rejected') throw it.reason
  return block
}
