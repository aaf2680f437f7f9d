import type { Embedder } from '../../embed/embedder.ts'
import { sha256 } from '../../platform/hash.ts'
import type { Calibration } from '../../search/confidence.ts'
import { foreignSentences } from './foreign-sentences.ts'
import type { ChunkHead } from '../../store/chunks/chunk-table.ts'
import { openWritten, type OpenGeneration } from '../../store/reading.ts'
import type { Generation } from '../../store/registry.ts'
import type { Embedding } from './ingest.ts'
import type { Opened } from '../opened.ts'

/** Smaller libraries have too few headings to say what is usual; for them there is a default. */
const fewestChunks = 40
const mostHeadings = 40
const fewestHeadings = 8
/** Where there are few headings: how far above the rest they lie elsewhere, in deviations. */
const usualDeviations = 2.5

/**
 * Measures between which cosines the answers of a library lie: sentences about other things, and
 * headings of its own, each asked as a query. Null where the library is too small, or where its own
 * headings are no nearer than anything else.
 */
async function calibrate(
  open: OpenGeneration,
  { embedder, cache }: NonNullable<Embedding>,
): Promise<Calibration | null> {
  if (open.generation.chunks < fewestChunks) return null
  const best = async (embedding: Float32Array) => (await open.nearest(embedding, 1))[0]!.score
  const cosines = async (embeddings: Float32Array[]) => {
    const found: number[] = []
    for (const embedding of embeddings) found.push(await best(embedding))
    return found.sort((a, b) => a - b)
  }
  const foreign = await cosines(await foreignEmbeddings({ embedder, cache }))
  const asked = ownHeadings(await open.chunkHeads())
  const own = await cosines(await Promise.all(asked.map((text) => embedder.embedQuery(text))))
  const high = quantile(foreign, 0.8)
  const usual = own.length < fewestHeadings
    ? high + usualDeviations * deviation(foreign)
    : quantile(own, 0.5)
  return usual > high ? { own: rounded(usual), foreign: rounded(high) } : null
}

/** A generation that is written and not published, with what was measured of it. */
export async function calibrated(
  { folder, kernels }: Pick<Opened, 'folder' | 'kernels'>,
  live: Generation,
  embedding: NonNullable<Embedding>,
): Promise<Generation> {
  using open = openWritten(folder, live, kernels)
  const { calibration: _, ...rest } = live
  const calibration = await calibrate(open, embedding)
  return calibration === null ? rest : { ...rest, calibration }
}

/** Embeddings of sentences that are about no library; kept like those of passages. */
async function foreignEmbeddings(
  { embedder, cache }: { embedder: Embedder; cache: NonNullable<Embedding>['cache'] },
): Promise<Float32Array[]> {
  const keys = foreignSentences.map((text) => `query: ${embedder.fingerprint.queryPrefix}${text}`)
  const known = cache.read(keys)
  const embeddings = await Promise.all(
    foreignSentences.map((text, i) => known[i] ?? embedder.embedQuery(text)),
  )
  embeddings.forEach((embedding, i) => known[i] || cache.write([keys[i]!], embedding))
  return embeddings
}

/** Headings that stand on one page only: "Example" is of none. */
function ownHeadings(heads: readonly ChunkHead[]): string[] {
  const places = new Map<string, Set<string>>()
  for (const { heading, url } of heads) {
    const title = heading.split(' > ').at(-1)!
    if (title !== '') places.set(title, (places.get(title) ?? new Set()).add(url))
  }
  const unique = [...places].filter(([, urls]) => urls.size === 1).map(([title]) => title)
  return unique
    .map((title) => ({ title, key: sha256(title) }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .slice(0, mostHeadings)
    .map(({ title }) => title)
}

/** `sorted` is ascending and not empty. */
function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.floor(share * (sorted.length - 1))]!
}

function deviation(values: readonly number[]): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length)
}

function rounded(cosine: number): number {
  return Math.round(cosine * 1e4) / 1e4
}
