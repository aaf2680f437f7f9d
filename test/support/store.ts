import { chunkTerms } from '../../src/chunk/terms.ts'
import type { Embedder } from '../../src/embed/embedder.ts'
import { openKernels } from '../../src/platform/kernels/kernels.ts'
import type { ChunkRow } from '../../src/store/chunks/chunk-table.ts'
import { createGeneration } from '../../src/store/generation.ts'
import type { PageRow } from '../../src/store/pages/page-table.ts'
import { publish as publishGeneration } from '../../src/store/publish.ts'
import { openEntries } from '../../src/store/reading.ts'
import type { Entry, Generation } from '../../src/store/registry.ts'
import { hashEmbedder } from './hash-embedder.ts'
import type { OpenGeneration } from '../../src/store/open-generation.ts'

/** The JavaScript kernels, which give the same results on every machine. */
export const kernels = openKernels(null)

export function pageRow(url: string, text: string): PageRow {
  const path = url.replace(/^.*:\/\//, '')
  const row = { url, path, title: '', description: '', last_modified: '', markup: 'markdown', text }
  const hash = new Bun.CryptoHasher('sha256').update(text).digest('hex')
  return { ...row, hash, validator: '', nav_position: -1, nav_section: '', toctree: '' }
}

/** Makes a chunk of a whole page. */
export function chunkRow(url: string, content: string, heading = ''): ChunkRow {
  const fields = { title: '', heading, path: '', body: content }
  return {
    url,
    title: '',
    heading,
    content,
    terms: chunkTerms(fields).join(' '),
    chunk_index: 0,
    start_offset: 0,
    end_offset: content.length,
    start_line: 1,
    end_line: 1,
  }
}

export function generationNamed(id: string, known: Partial<Generation> = {}): Generation {
  return {
    id,
    pages: 1,
    chunks: 1,
    source: { kind: 'local_path', path: '/docs' },
    ref: null,
    commit: null,
    indexedAt: '2026-01-31T00:00:00.000Z',
    fingerprint: null,
    arithmetic: null,
    chunker: '1',
    contentHash: '',
    ...known,
  }
}

export function entryOf(library: string, live: Generation, version = '1'): Entry {
  return { key: library.toLowerCase(), library, version, live, previous: null }
}

/** Writes a generation of these texts, keyed by URL, and publishes it if a library is given. */
export async function writeGeneration(
  folder: string,
  texts: Record<string, string>,
  options: { library?: string; embedder?: Embedder | null; headings?: Record<string, string> } = {},
): Promise<Generation> {
  const { library, embedder = hashEmbedder(), headings = {} } = options
  using writer = await createGeneration(folder)
  const pages = Object.entries(texts)
  await writer.appendPages(pages.map(([url, text]) => pageRow(url, text)))
  const block = await embedder?.embed(Object.values(texts))
  const rows = pages.map(([url, text]) => chunkRow(url, text, headings[url]))
  const dimensions = embedder?.fingerprint.dimensions
  await writer.appendChunks(rows, block && dimensions ? { block, dimensions } : null)
  await writer.finish()
  const counts = { pages: pages.length, chunks: pages.length }
  const fingerprint = embedder?.fingerprint ?? null
  const generation = generationNamed(writer.id, { ...counts, fingerprint })
  if (library !== undefined) await publish(folder, library, generation)
  return generation
}

/** Makes a generation the live one of a library. */
export async function publish(folder: string, library: string, live: Generation): Promise<void> {
  await publishGeneration(folder, (entries) => ({
    ...entryOf(library, live),
    before: entries.find((entry) => entry.library === library) ?? null,
  }))
}

/** Opens the live generation of a library, or of all libraries in the order of the registry. */
export async function openLive(folder: string, library?: string): Promise<OpenGeneration[]> {
  const pick = (entries: Entry[]) =>
    entries.filter((entry) => library === undefined || entry.library === library)
  return (await openEntries(folder, kernels, { pick, openIds: new Set() })).opened
}
