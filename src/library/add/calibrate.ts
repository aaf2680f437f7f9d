import queryList from '../../../data/unrelated-queries.txt' with { type: 'text' }
import { isApiPagePath } from '../../api/api-path.ts'
import type { Embedder } from '../../embed/embedder.ts'
import { sha256 } from '../../platform/hash.ts'
import type { Calibration } from '../../search/confidence.ts'
import type { ChunkHeading } from '../../store/chunks/chunk-table.ts'
import { openUnpublished } from '../../store/reading.ts'
import type { Generation } from '../../store/registry.ts'
import type { LibraryContext, EmbeddingSetup } from '../library-context.ts'
import type { OpenGeneration } from '../../store/open-generation.ts'

/** Smaller libraries have too few headings to measure and use a default. */
const fewestChunks = 40
const mostHeadings = 40
/** Maximum number of headings, chosen by hash, that og checks for uniqueness. */
const mostNoted = 4096
const fewestHeadings = 8
/**
 * For libraries with few headings: the assumed distance between the library's own headings and
 * foreign text, in standard deviations.
 */
const usualDeviations = 2.5

/**
 * Measures a library's range of cosines. The queries are its own headings and texts about other
 * subjects. Returns null if the library is too small, or if its own headings score no higher than
 * foreign queries.
 */
async function calibrate(
  open: OpenGeneration,
  { embedder, cache }: NonNullable<EmbeddingSetup>,
): Promise<Calibration | null> {
  if (open.generation.chunks < fewestChunks) return null
  const others = await foreignEmbeddings({ embedder, cache })
  const headings = await sampleHeadings(open.chunkHeadings())
  const queries = await Promise.all(headings.map((text) => embedder.embedQuery(text)))
  const cosines = await open.bestScores([...others, ...queries])
  const foreign = cosines.splice(0, others.length).sort((a, b) => a - b)
  const own = cosines.sort((a, b) => a - b)
  const high = quantile(foreign, 0.8)
  const usual =
    own.length < fewestHeadings ? high + usualDeviations * deviation(foreign) : quantile(own, 0.5)
  return usual > high ? { own: round(usual), foreign: round(high) } : null
}

/** Returns an unpublished generation with its measured calibration. */
export async function calibrateGeneration(
  { folder, kernels }: Pick<LibraryContext, 'folder' | 'kernels'>,
  live: Generation,
  embedding: NonNullable<EmbeddingSetup>,
): Promise<Generation> {
  using open = openUnpublished(folder, live, kernels)
  const { calibration: _, ...rest } = live
  const calibration = await calibrate(open, embedding)
  return calibration === null ? rest : { ...rest, calibration }
}

/** Returns embeddings of queries that are unrelated to the library. They are cached. */
async function foreignEmbeddings({
  embedder,
  cache,
}: {
  embedder: Embedder
  cache: NonNullable<EmbeddingSetup>['cache']
}): Promise<Float32Array[]> {
  const keys = unrelatedQueries.map((text) => `query: ${embedder.fingerprint.queryPrefix}${text}`)
  const cached = cache.read(keys)
  const embeddings = await Promise.all(
    unrelatedQueries.map((text, i) => cached[i] ?? embedder.embedQuery(text)),
  )
  embeddings.forEach((embedding, i) => cached[i] || cache.write([keys[i]!], embedding))
  return embeddings
}

export async function sampleHeadings(headings: AsyncIterable<ChunkHeading>): Promise<string[]> {
  let noted = new Map<string, { title: string; key: string; isOnOnePage: boolean; url: string }>()
  let lastKey: string | null = null
  const first = (count: number) =>
    [...noted.values()].sort((a, b) => (a.key < b.key ? -1 : 1)).slice(0, count)
  for await (const { heading, url } of headings) {
    // Users do not phrase questions as qualified names.
    if (isApiPagePath(url)) continue
    const title = heading.split(' > ').at(-1)!
    const last = noted.get(title)
    if (last !== undefined) last.isOnOnePage &&= last.url === url
    if (last !== undefined || title === '') continue
    const key = sha256(title)
    if (lastKey !== null && key > lastKey) continue
    noted.set(title, { title, key, url, isOnOnePage: true })
    if (noted.size < 2 * mostNoted) continue
    noted = new Map(first(mostNoted).map((it) => [it.title, it]))
    lastKey = [...noted.values()].at(-1)!.key
  }
  return first(mostNoted)
    .filter(({ isOnOnePage }) => isOnOnePage)
    .slice(0, mostHeadings)
    .map(({ title }) => title)
}

function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.floor(share * (sorted.length - 1))]!
}

function deviation(values: readonly number[]): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length)
}

function round(cosine: number): number {
  return Math.round(cosine * 1e4) / 1e4
}

/**
 * Queries about many subjects. For a library about none of them, they show which score an answer
 * reaches by chance. A library about one of these subjects matches only a few queries.
 */
export const unrelatedQueries: readonly string[] = queryList.trimEnd().split('\n')
