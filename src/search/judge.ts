import type { OpenGeneration } from '../store/reading.ts'
import type { Collection } from './collection.ts'
import { defaultCalibration, isGoodMatch } from './confidence.ts'
import { coveredTerms } from './coverage.ts'
import type { ScoredChunk } from './group.ts'
import type { Nearest } from './search.ts'
import { meantText, type NearTerms } from './near-terms.ts'

/**
 * How many of the best hits are looked at to judge whether a library version answers the query,
 * also where fewer are shown.
 */
export const judgedHits = 5

type Ranked = { chunks: readonly ScoredChunk[]; nearest: Nearest[]; near: NearTerms }

/**
 * The collections whose best hits answer the query, and are not only the nearest that there are.
 */
export async function judge(
  collections: readonly Collection[],
  text: string,
  { chunks, nearest, near }: Ranked,
): Promise<Collection[]> {
  const answers = await Promise.all(
    collections.map((collection, i) => {
      const mine = chunks.filter((chunk) => chunk.collection === collection)
      return isAnswer(collection, meantText(text, near), { nearest: nearest[i]!, chunks: mine })
    }),
  )
  return collections.filter((_, i) => answers[i])
}

async function isAnswer(
  { entry, whole, embed }: Collection,
  query: string,
  { nearest, chunks }: { nearest: Nearest; chunks: readonly ScoredChunk[] },
): Promise<boolean> {
  // A name that stands there is an answer by definition.
  if (chunks.some(({ why }) => why.named !== null || isTelling(why.rareName))) return true
  const { calibration, fingerprint, chunks: size, embedded } = entry.live
  // What answers may not be embedded yet: until then its words alone tell.
  const isCompared = embed !== null && fingerprint !== null && embedded === undefined
  return isGoodMatch({
    query,
    library: entry.library,
    lead: isCompared ? (nearest.lead ?? 0) : null,
    calibration: calibration ?? (fingerprint && defaultCalibration(fingerprint.model)),
    chunks: size,
    best: chunks.slice(0, judgedHits).map(evidenceChunk),
    termWeight: await termWeight(whole, query, { isAlone: !isCompared }),
  })
}

/** A rare name inside a question, as long as a sign or a number tells it from words and brands. */
function isTelling(name: string | null): boolean {
  return name !== null && /\w[_.:$@/>-]+\w|\d/.test(name)
}

function evidenceChunk({ row, why }: ScoredChunk) {
  const path = row.url.replace(/^[a-z]+:\/*[^/]*/, '').replace(/\.\w+$/, '')
  return {
    text: `${row.title} ${row.heading} ${path} ${row.content}`,
    names: [row.title, row.heading.split(' > ').at(-1)!, path.split('/').at(-1)!],
    cosine: why.vector?.cosine ?? null,
  }
}

/** By how few pages hold a term; where pages are not known and words are all there is, chunks. */
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

/** Of longer queries the first terms alone count. */
const mostAsked = 24

/**
 * What the best chunk scores for each term alone, by BM25, whose larger part is how rare the term
 * is; a term that no chunk holds weighs what the rarest could.
 */
async function bestScores(open: OpenGeneration, words: string[]): Promise<Map<string, number>> {
  const best = await Promise.all(words.map((term) => open.fullText([term], 1)))
  const rarest = 2 * Math.log(1 + open.generation.chunks)
  return new Map(words.map((term, i) => [term, best[i]![0]?.score ?? rarest]))
}
