import type { OpenGeneration } from '../store/reading.ts'
import type { Collection } from './collection.ts'
import { defaultCalibration, isGoodMatch } from './confidence.ts'
import { coveredTerms } from './coverage.ts'
import type { ScoredChunk } from './group.ts'
import type { NearestScores } from './search.ts'
import { correctedText, type NearTerms } from './near-terms.ts'

/**
 * Number of best hits that are used to judge whether a library version answers the query, even if
 * fewer are shown.
 */
export const hitsToJudge = 5

type Ranked = { chunks: readonly ScoredChunk[]; nearest: NearestScores[]; near: NearTerms }

/**
 * Returns the collections whose best hits answer the query, rather than merely being the nearest
 * ones.
 */
export async function findAnswering(
  collections: readonly Collection[],
  text: string,
  { chunks, nearest, near }: Ranked,
): Promise<Collection[]> {
  const answers = await Promise.all(
    collections.map((collection, i) => {
      const mine = chunks.filter((chunk) => chunk.collection === collection)
      return isAnswer(collection, correctedText(text, near), { nearest: nearest[i]!, chunks: mine })
    }),
  )
  return collections.filter((_, i) => answers[i])
}

async function isAnswer(
  { entry, whole, embed }: Collection,
  query: string,
  { nearest, chunks }: { nearest: NearestScores; chunks: readonly ScoredChunk[] },
): Promise<boolean> {
  // A chunk that contains the queried name is an answer by definition.
  if (chunks.some(({ why }) => why.nameMatch !== null || isDistinctive(why.rareName))) return true
  const { calibration, fingerprint, chunks: size, embedded } = entry.live
  // While embeddings are incomplete, the answer may not be embedded yet, so only words are
  // compared.
  const isCompared = embed !== null && fingerprint !== null && embedded === undefined
  return isGoodMatch({
    query,
    library: entry.library,
    lead: isCompared ? (nearest.lead ?? 0) : null,
    calibration: calibration ?? (fingerprint && defaultCalibration(fingerprint.model)),
    chunks: size,
    best: chunks.slice(0, hitsToJudge).map(evidenceChunk),
    termWeight: await termWeight(whole, query, { isAlone: !isCompared }),
  })
}

/**
 * A rare name inside a question counts only if a symbol or digit distinguishes it from ordinary
 * words and brands.
 */
function isDistinctive(name: string | null): boolean {
  return name !== null && /\w[_.:$@/>-]+\w|\d|^--/.test(name)
}

function evidenceChunk({ row, why }: ScoredChunk) {
  const path = row.url.replace(/^[a-z]+:\/*[^/]*/, '').replace(/\.\w+$/, '')
  return {
    text: `${row.title} ${row.heading} ${path} ${row.content}`,
    names: [row.title, row.heading.split(' > ').at(-1)!, path.split('/').at(-1)!],
    cosine: why.vector?.cosine ?? null,
  }
}

/**
 * Weighs a term by how few pages contain it. Without a page index: by how few chunks, if only words
 * are compared; otherwise all terms weigh the same.
 */
async function termWeight(
  open: OpenGeneration,
  query: string,
  { isAlone }: { isAlone: boolean },
): Promise<(term: string) => number> {
  const pages = await open.pageIndex()
  if (pages !== null) return pages.rarity
  if (!isAlone) return () => 1
  const best = await bestScores(open, coveredTerms(query).slice(0, mostAsked))
  return (term) => best.get(term) ?? 0
}

/** For longer queries only the first terms count. */
const mostAsked = 24

/**
 * Returns the BM25 score of the best chunk for each term alone. That score mostly reflects how rare
 * the term is. A term in no chunk gets the maximum rarity.
 */
async function bestScores(open: OpenGeneration, words: string[]): Promise<Map<string, number>> {
  const best = await Promise.all(words.map((term) => open.fullText([term], 1)))
  const rarest = 2 * Math.log(1 + open.generation.chunks)
  return new Map(words.map((term, i) => [term, best[i]![0]?.score ?? rarest]))
}
