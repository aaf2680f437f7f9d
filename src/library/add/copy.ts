import { embeddedTextFormatter } from '../../chunk/embedded-text.ts'
import { findRepeatsByPage } from '../../chunk/repeats.ts'
import { sha256 } from '../../platform/hash.ts'
import type { ChunkRow } from '../../store/chunks/chunk-table.ts'
import type { GenerationWriter } from '../../store/generation.ts'
import type { IntactState } from './live-state.ts'
import type { EmbeddingLookup } from './ingest.ts'
import type { OpenGeneration } from '../../store/open-generation.ts'

/**
 * With more changed pages, the filter would be megabytes long. All pages are then cut again, which
 * is cheap because embeddings are cached.
 */
const mostLeftOut = 1000

/** `urls` are the pages whose chunks were copied, without pages that could not be cut. */
export type CopyResult = { urls: ReadonlySet<string>; chunks: number; recall: EmbeddingLookup }

export const emptyCopyResult: CopyResult = { urls: new Set(), chunks: 0, recall: async () => [] }

/**
 * Copies the chunks of all unchanged pages, including embeddings. `hashes` are the hashes of the
 * current pages. Call it only if the current settings would cut and embed the pages in the same
 * way.
 */
export async function copyChunks(
  writer: GenerationWriter,
  { open, states }: IntactState,
  hashes: ReadonlyMap<string, string>,
): Promise<CopyResult> {
  const changed = [...states].filter(([url, { hash }]) => hashes.get(url) !== hash)
  if (changed.length > mostLeftOut) return { ...emptyCopyResult, recall: recallOf(open, null) }
  const leftOut = changed.map(([url]) => url)
  let chunks = 0
  const urls = new Set<string>()
  for await (const rows of open.chunksBut(leftOut)) {
    await writer.copyChunks(rows)
    chunks += rows.numRows
    for (const batch of rows.batches) for (const url of batch.getChild('url')!) urls.add(url)
  }
  return { urls, chunks, recall: recallOf(open, leftOut) }
}

/**
 * Returns a function that finds a chunk's embedding among the chunks of `urls`, or of all pages if
 * `urls` is null. The first call reads these chunks.
 */
function recallOf(open: OpenGeneration, urls: readonly string[] | null): EmbeddingLookup {
  let reading: Promise<Map<string, Float32Array>> | null = null
  return async (prepared) => {
    reading ??= readEmbeddings(open, urls)
    const byText = await reading
    return prepared.map(({ text }) => byText.get(sha256(text)) ?? null)
  }
}

async function readEmbeddings(open: OpenGeneration, urls: readonly string[] | null) {
  const byText = new Map<string, Float32Array>()
  const textOf = embeddedTextFormatter(await findRepeatsByPage(textsOf(open, urls)))
  for await (const chunk of open.embeddedChunks(urls)) {
    byText.set(sha256(textOf(chunk)), chunk.embedding)
  }
  return byText
}

async function* textsOf(open: OpenGeneration, urls: readonly string[] | null) {
  if (urls === null) return yield* open.pages()
  for (let at = 0; at < urls.length; at += batchPages) {
    yield [...(await open.pageTexts(urls.slice(at, at + batchPages))).values()]
  }
}

const batchPages = 100

/** Returns the key of a chunk in a pack: 64 hexadecimal digits. */
export function chunkKey({
  title,
  heading,
  content,
}: Pick<ChunkRow, 'title' | 'heading' | 'content'>): string {
  return sha256(JSON.stringify([title, heading, content]))
}
