import { probedFingerprint } from '../../embed/probe.ts'
import { embeddedTexts } from '../../chunk/embedded-text.ts'
import { repeatsByPage, type Repeats } from '../../chunk/repeats.ts'
import type { ChunkRow, Embeddings } from '../../store/chunks/chunk-table.ts'
import { collectMeanwhile } from '../../platform/garbage.ts'
import {
  createGeneration,
  sweepGenerations,
  type GenerationWriter,
} from '../../store/generation.ts'
import type { PageRow } from '../../store/pages/page-table.ts'
import { isZero } from '../../store/embeddings.ts'
import type { Generation } from '../../store/registry.ts'
import { calibrated } from './calibrate.ts'
import type { Prepared } from './cut-page.ts'
import { embedRows, type Embedding } from './ingest.ts'
import type { Run } from './replace-version.ts'

/** Pages, chunks and the licence, in a generation that keeps them; embeddings are to come. */
export type CutPages = {
  pages(): AsyncGenerator<PageRow[]>
  chunkRows(): AsyncGenerator<ChunkRow[]>
  license(): Promise<string | null>
}

/**
 * Chunks, those among them that open a page, and how many texts are embedded of which the cache has
 * no embedding: chunks of one text have one.
 */
export type EmbeddingWork = { chunks: number; openings: number; missing: number; repeats: Repeats }

/** Of less no step is published before the last: each writes all of the version again. */
const fewestStepped = 512
/** Rows read, embedded and written at a time. */
const batchRows = 512

type Embedders = NonNullable<Embedding>

export async function embeddingWork(
  cut: CutPages,
  { cache }: Pick<Embedders, 'cache'>,
): Promise<EmbeddingWork> {
  const work = { chunks: 0, openings: 0, missing: 0, repeats: await repeatsByPage(cut.pages()) }
  const counted = new Set<number | bigint>()
  for await (const prepared of preparedRows(cut, work)) {
    work.chunks += prepared.length
    work.openings += prepared.filter(isOpening).length
    const cached = cache.read(prepared.map(({ text }) => text))
    prepared.forEach(({ text }, at) => cached[at] === null && counted.add(Bun.hash(text)))
  }
  return { ...work, missing: counted.size }
}

export type StepOptions = {
  embedding: Embedders
  work: EmbeddingWork
  /** The generation as the registry will name it, but for what a step knows: `id`, `embedded`. */
  record: Generation
  /** Embedded chunks of what is live; -1 where nothing is. What has no more is not published. */
  published: number
}

/**
 * Embeds chunks in steps, so that a part of the embeddings serves early: first the chunks that open
 * a page, then the rest. After the first step, after half of all, and at the end, what there is is
 * published, the rest with zeros. Each step is a generation of its own, so readers see one state or
 * the next, and a kill leaves the last one that was published; its embeddings are in the cache by
 * then. @returns how many embeddings were computed
 */
export async function embedInSteps(
  { opened, request: { signal }, report, publish }: Run,
  cut: CutPages,
  { embedding, work, record, published }: StepOptions,
): Promise<number> {
  const { folder } = opened
  const done = { chunks: work.chunks, toEmbed: work.missing, embedded: 0 }
  const tell = (phase: 'embedding' | 'indexing') => report({ phase, ...done })
  const step = (_missing: number, computed: number) => {
    signal?.throwIfAborted()
    done.embedded += computed
    tell('embedding')
  }
  const embed = (prepared: Prepared[]) => embedRows(embedding, prepared, { step, signal })
  const { embedded: _, ...state } = record
  tell('embedding')
  const whole = { ...state, fingerprint: await probedFingerprint(embedding.embedder, signal) }
  let last = published
  for (const step of stepsOf(work)) {
    await embedSome(preparedRows(cut, work), step, embed)
    if (work.chunks - work.missing + done.embedded <= last) continue
    using made = await written(folder, cut, {
      work,
      embed: async (prepared) => knownRows(embedding, prepared),
    })
    await publish({ ...whole, id: made.id, embedded: made.embedded })
    last = made.embedded
    await sweepGenerations(folder)
  }
  using made = await written(folder, cut, { work, embed, onWritten: () => tell('indexing') })
  embedding.cache.prune()
  const live = await calibrated(opened, { ...whole, id: made.id }, embedding)
  signal?.throwIfAborted()
  await publish(live)
  return done.embedded
}

/** Up to which chunk of a page, and up to how many of all, a step embeds. */
type EmbeddingStep = { isMine(prepared: Prepared): boolean; most: number }

function stepsOf({ chunks, openings, missing }: EmbeddingWork): EmbeddingStep[] {
  if (missing < fewestStepped) return []
  const half = { isMine: () => true, most: Math.ceil(chunks / 2) }
  return openings < half.most ? [{ isMine: isOpening, most: openings }, half] : [half]
}

function isOpening({ row }: Prepared): boolean {
  return row.chunk_index === 0
}

type Embed = (prepared: Prepared[]) => Promise<Embeddings>

/** Into the cache. */
async function embedSome(
  rows: AsyncIterable<Prepared[]>,
  { isMine, most }: EmbeddingStep,
  embed: Embed,
): Promise<void> {
  let waiting: Prepared[] = []
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

/** A generation with these pages and chunks, and the embeddings that `embed` has of them. */
async function written(
  folder: string,
  cut: CutPages,
  { work, embed, onWritten }: { work: EmbeddingWork; embed: Embed; onWritten?: () => void },
): Promise<GenerationWriter & { embedded: number }> {
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
    onWritten?.()
    await generation.finish()
    return { ...generation, embedded }
  } catch (error) {
    generation[Symbol.dispose]()
    throw error
  }
}

/** What the cache has, and zeros. */
function knownRows({ embedder, cache }: Embedders, prepared: readonly Prepared[]): Embeddings {
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
): AsyncGenerator<Prepared[]> {
  const textOf = embeddedTexts(repeats)
  for await (const rows of cut.chunkRows()) {
    for (let from = 0; from < rows.length; from += batchRows) {
      const batch = rows.slice(from, from + batchRows)
      yield batch.map((row) => ({ row, text: textOf(row) }))
    }
  }
}
