import { sha256 } from '../platform/hash.ts'
import type { KnownPages, SourceEvent } from '../source/source.ts'
import type { ChunkRow } from '../store/chunk-table.ts'
import type { GenerationWriter } from '../store/generation.ts'
import type { PageState } from '../store/page-table.ts'
import type { OpenGeneration } from '../store/reading.ts'
import type { Entry } from '../store/registry.ts'
import { keepOpen } from './entries.ts'
import type { Recall } from './ingest.ts'
import type { Opened } from './opened.ts'

/** The state that is live while the next one is built. */
export type Before = Disposable & {
  open: OpenGeneration
  states: ReadonlyMap<string, PageState>
}

/** Null where there is none, or where it cannot be read any more: it is replaced all the same. */
export async function openBefore(opened: Opened, entry: Entry | null): Promise<Before | null> {
  if (entry === null) return null
  const entries = keepOpen(opened.folder, opened.kernels)
  const close = () => entries[Symbol.dispose]()
  const found = entries((all) => all.filter((it) => it.live.id === entry.live.id))
  const before = found.then(async ([held]) => {
    const { open } = held!
    return { open, states: await open.pageStates(), [Symbol.dispose]: close }
  })
  return await before.catch(() => (close(), null))
}

/** What a source may tell unchanged pages by. */
export function knownPages({ states }: Before): KnownPages {
  const known = [...states].filter(([, { validator }]) => validator !== '')
  return new Map(known.map(([url, { validator }]) => [url, validator]))
}

/** Every page as it is: for building again what is known not to have moved. */
export async function* storedPages({ states }: Before): AsyncGenerator<SourceEvent> {
  for (const url of states.keys()) yield { type: 'unchanged', url }
}

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
  { open, states }: Before,
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

/** Looks a chunk's embedding up among those of `urls`, or of all pages; read when first asked. */
function recallOf(open: OpenGeneration, urls: readonly string[] | null): Recall {
  let known: Promise<Map<string, Float32Array>> | null = null
  return async (rows) => {
    known ??= readEmbeddings(open, urls)
    const found = await known
    return rows.map((row) => found.get(keyOf(row)) ?? null)
  }
}

async function readEmbeddings(open: OpenGeneration, urls: readonly string[] | null) {
  const known = new Map<string, Float32Array>()
  for await (const chunk of open.embeddedChunks(urls)) known.set(keyOf(chunk), chunk.embedding)
  return known
}

/** All that the embedded text is made of. */
function keyOf({ title, heading, content }: Pick<ChunkRow, 'title' | 'heading' | 'content'>) {
  return sha256(JSON.stringify([title, heading, content]))
}
