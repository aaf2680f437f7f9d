import { indexTermsOf } from '../chunk/terms.ts'
import type { Candidate, WithRow, NameMatch } from './candidate.ts'
import type { Collection } from './collection.ts'
import { defaultCalibration, rateEvidence, type Confidence, type Evidence } from './confidence.ts'
import { termsToCover } from './coverage.ts'
import { plainWords } from './excerpt/near-copy.ts'
import { exactName, findNames, type ExactName } from './name/exact-name.ts'
import { isSigns } from './name/name.ts'
import { correctedText, type NearTerms } from './near-terms.ts'
import type { Lanes } from './lanes.ts'
import type { OpenGeneration } from '../store/open-generation.ts'

/** Number of best hits that decide whether a library version answers the query. */
export const hitsToJudge = 5

type Ranked = Pick<RankedChunks, 'chunks' | 'nearest'> & { lanes: { near: NearTerms } }

/** Rates how likely each collection's best hits answer the query. */
export function rateCollections(
  collections: readonly Collection[],
  text: string,
  { chunks, nearest, lanes: { near } }: Ranked,
): Promise<Confidence[]> {
  return Promise.all(
    collections.map((collection, i) => {
      const mine = chunks.filter((chunk) => chunk.collection === collection)
      return rate(collection, correctedText(text, near), { nearest: nearest[i]!, chunks: mine })
    }),
  )
}

async function rate(
  { entry, whole, embed, guideShare }: Collection,
  query: string,
  { nearest, chunks }: { nearest: NearestScores; chunks: readonly (Candidate & WithRow)[] },
): Promise<Confidence> {
  const isNamed = chunks.some(({ why }) => why.nameMatch !== null)
  // A chunk that contains the queried name is always an answer, unless the name is a plain word.
  const name = exactName(query)
  if (lacksSigns(query, chunks) || (await lacksSymbol(whole, query))) return 'weak'
  if (chunks[0] !== undefined && isAskedFor(chunks[0], query)) return 'high'
  const isHeld = chunks.some(({ why }) => isSameName(name, why.nameMatch))
  if (isHeld && isDistinctive(name?.verbatim ?? null)) return 'high'
  const { calibration, fingerprint, chunks: size, embedded } = entry.live
  // While embedding is incomplete, the answer may lack an embedding, so compare only words.
  const isCompared = embed !== null && fingerprint !== null && embedded === undefined
  if (isNamed && !isCompared) return 'high'
  const best = chunks.slice(0, hitsToJudge)
  const level = rateEvidence({
    query,
    library: entry.library,
    lead: isCompared ? (nearest.lead ?? 0) : null,
    calibration: calibration ?? (fingerprint && defaultCalibration(fingerprint.model, size)),
    chunks: size,
    guideShare,
    best: best.map(evidenceChunk),
    agreement: best[0] ? agreementOf(best[0].why) : 0,
    pageLead: pageLeadOf(best),
    ...(await termWeights(whole, query, { isAlone: !isCompared })),
  })
  // Most questions share words with some passage, so words alone are weak evidence.
  if (level === 'high' && !isCompared && embed !== null) return 'medium'
  const holdsName = isNamed || chunks.some(({ why }) => isDistinctive(why.rareName))
  return level === 'weak' && holdsName ? 'medium' : level
}

/** True if a chunk defines the queried symbol, or if its heading is the query. */
function isAskedFor({ row, why }: Candidate & WithRow, query: string): boolean {
  if (why.nameMatch?.parts !== undefined) return true
  const words = plainWords(query)
  const heading = plainWords(row.heading.split(' > ').at(-1)!)
  return words.length > 1 && words.join(' ') === heading.join(' ')
}

/** True if the query consists of punctuation (`=>`) or emoji and the best chunk lacks it. */
function lacksSigns(query: string, [best]: readonly (Candidate & WithRow)[]): boolean {
  return isSigns(query) && !best?.row.content.includes(query.trim())
}

/** Only this many names of a longer query are looked up. */
const mostSymbols = 4

/**
 * True if no page contains the last part of a qualified symbol in the query, such as
 * `click.Optoin`. The parts before it may be variables.
 */
async function lacksSymbol(open: OpenGeneration, query: string): Promise<boolean> {
  const symbols = findNames(query)
    .slice(0, mostSymbols)
    .flatMap(({ core }) => qualifiedName.exec(core)?.[1] ?? [])
  const pages = symbols.length === 0 ? null : await open.pageIndex()
  if (pages === null) return false
  return symbols.some((last) => indexTermsOf(last).every((term) => !pages.knows(term)))
}

/** Matches a qualified name but no file or host name. The group is its last part. */
const qualifiedName = /^[\w$]+(?:(?:\.|::|#)[\w$]+)*(?:\.|::|#)([A-Za-z_$][\w$]{3,})$/

function agreementOf({ fullText, vector }: Candidate['why']): number {
  return [fullText, vector].reduce(
    (sum, lane) => sum + (lane === null ? 0 : 1 / (1 + lane.rank)),
    0,
  )
}

function pageLeadOf(best: readonly (Candidate & WithRow)[]): number {
  const [first] = best
  if (first === undefined || first.score <= 0) return 0
  const next = best.find(({ row }) => row.url !== first.row.url)
  // A library with one page has no second score.
  return next === undefined ? 0 : (first.score - next.score) / first.score
}

/** The words `mode` and `root path` are not the names `--mode` and `root_path`. */
function isSameName(name: ExactName | null, match: NameMatch | null): boolean {
  if (name === null || match === null) return false
  return match.form === 'typed' || (match.form !== 'words' && !name.verbatim.startsWith('-'))
}

/** A symbol, digit or inner capital distinguishes a name from ordinary words and brands. */
const distinctive = /\w[_.:$@/>-]+\w|\d|[a-z][A-Z]|[A-Z]{2}[a-z]|^--/

function isDistinctive(name: string | null): boolean {
  return name !== null && distinctive.test(name)
}

function evidenceChunk({ row, why }: Candidate & WithRow) {
  const path = row.url.replace(/^[a-z]+:\/*[^/]*/, '').replace(/\.\w+$/, '')
  return {
    text: `${row.title} ${row.heading} ${path} ${row.content}`,
    names: [row.title, row.heading.split(' > ').at(-1)!, path.split('/').at(-1)!],
    cosine: why.vector?.cosine ?? null,
  }
}

/**
 * Returns term weights; a term weighs more if fewer pages contain it. Without a page index, all
 * terms weigh the same. If only words are compared, chunks are counted instead.
 */
async function termWeights(
  open: OpenGeneration,
  query: string,
  { isAlone }: { isAlone: boolean },
): Promise<Pick<Evidence, 'termWeight' | 'unknownWeight'>> {
  const pages = await open.pageIndex()
  if (pages !== null) return { termWeight: pages.rarity, unknownWeight: pages.rarity('') }
  if (!isAlone) return {}
  const best = await bestScores(open, termsToCover(query).slice(0, mostAsked))
  return { termWeight: (term) => best.get(term) ?? 0 }
}

/** Only the first terms of a longer query count. */
const mostAsked = 24

/**
 * Returns the best chunk's BM25 score for each term alone. It mainly shows how rare the term is. A
 * term that no chunk contains gets the maximum rarity.
 */
async function bestScores(open: OpenGeneration, words: string[]): Promise<Map<string, number>> {
  const best = await Promise.all(words.map((term) => open.fullText([term], 1)))
  const rarest = 2 * Math.log(1 + open.generation.chunks)
  return new Map(words.map((term, i) => [term, best[i]![0]?.score ?? rarest]))
}

/**
 * The best matches in one collection, or null for a lane that found nothing. `lead` is the best
 * cosine minus the 100th, or minus the cosine at one fifth of the ranks if there are fewer than 500
 * chunks.
 */
export type NearestScores = { cosine: number | null; lead: number | null; fullText: number | null }

/** The outcome of each ranking stage. `nearest` has one entry per collection. */
export type RankedChunks = {
  lanes: Lanes
  /** The candidates of both lanes, best first. */
  ranked: Candidate[]
  chunks: (Candidate & WithRow)[]
  nearest: NearestScores[]
}
