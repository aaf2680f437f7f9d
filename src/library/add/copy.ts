import { embeddedTexts } from '../../chunk/embedded-text.ts'
import { repeatsByPage } from '../../chunk/repeats.ts'
import { sha256 } from '../../platform/hash.ts'
import type { ChunkRow } from '../../store/chunks/chunk-table.ts'
import type { GenerationWriter } from '../../store/generation.ts'
import type { OpenGeneration } from '../../store/reading.ts'
import type { Update } from './before.ts'
import type { Recall } from './ingest.ts'

/** More would make a filter of megabytes; then all is cut again, which the cache makes cheap. */
const mostLeftOut = 1000

/** `urls` are the pages whose chunks were copied. */
export type Copied = { urls: ReadonlySet<string>; chunks: number; recall: Recall }

export const nothingCopied: Copied = { urls: new Set(), chunks: 0, recall: async () => [] }

/**
 * Copies the chunks of all pages that are as they were, embeddings included; `hashes` are those of
 * the pages now. Asked for only where they would be cut and embedded alike today.
 */
export async function copyChunks(
  writer: GenerationWriter,
  { open, states }: Update,
  hashes: ReadonlyMap<string, string>,
): Promise<Copied> {
  const changed = [...states].filter(([url, { hash }]) => hashes.get(url) !== hash)
  const leftOut = changed.length > mostLeftOut ? null : changed.map(([url]) => url)
  const batches = leftOut && (await open.chunksBut(leftOut))
  if (batches === null) return { ...nothingCopied, recall: recallOf(open, null) }
  let chunks = 0
  for await (const rows of batches) {
    await writer.copyChunks(rows)
    chunks += rows.numRows
  }
  const urls = new Set(states.keys()).difference(new Set(leftOut))
  return { urls, chunks, recall: recallOf(open, leftOut) }
}

/**
 * For pages before that are damaged: no chunk is copied, and embeddings are looked up by their
 * texts.
 */
export function recalled({ open }: Update): Copied {
  return { ...nothingCopied, recall: recallOf(open, null) }
}

/** Looks a chunk's embedding up among those of `urls`, or of all pages; read when first asked. */
function recallOf(open: OpenGeneration, urls: readonly string[] | null): Recall {
  let reading: Promise<Map<string, Float32Array>> | null = null
  return async (prepared) => {
    reading ??= readEmbeddings(open, urls)
    const byText = await reading
    return prepared.map(({ text }) => byText.get(sha256(text)) ?? null)
  }
}

async function readEmbeddings(open: OpenGeneration, urls: readonly string[] | null) {
  const byText = new Map<string, Float32Array>()
  const textOf = embeddedTexts(await repeatsByPage(textsOf(open, urls)))
  for await (const chunk of open.embeddedChunks(urls)) {
    byText.set(sha256(textOf(chunk)), chunk.embedding)
  }
  return byText
}

/** Of some pages, or of all, a batch at a time. */
async function* textsOf(open: OpenGeneration, urls: readonly string[] | null) {
  if (urls === null) return yield* open.pages()
  for (let at = 0; at < urls.length; at += batchPages) {
    yield [...(await open.pageTexts(urls.slice(at, at + batchPages))).values()]
  }
}

const batchPages = 100

/** What a pack knows a chunk by: 64 hexadecimal digits. */
export function chunkKey({
  title,
  heading,
  content,
}: Pick<ChunkRow, 'title' | 'heading' | 'content'>): string {
  return sha256(JSON.stringify([title, heading, content]))
}
