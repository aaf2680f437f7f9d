/**
 * Measures whether the confidence of an answer is meaningful: `npm run eval -- refusal [SET…]`.
 * Each library gets the questions of its own sets, and up to 80 questions about each other library.
 * Reports `own` for each library, by set: the number of answers per confidence level, the share of
 * them that are right (a gold page among five hits), and the share of right answers rated weak
 * (`lost`). `foreign`, by the other library's set, contains the shares of its questions that were
 * not rated high and that were rated weak.
 */
import type { Confidence } from '../../src/search/confidence.ts'
import { confidenceOf } from '../../src/library/search/doubt.ts'
import type { Og } from '../../src/open.ts'
import type { Question } from '../../src/library/quality/evaluate.ts'
import { sha256 } from '../../src/platform/hash.ts'

type AskedSet = { library: string; questions: readonly Question[] }
type Level = { answers: number; right: number }
type Own = Record<Confidence, Level> & { lost: number }
type Foreign = { notHigh: number; weak: number }
export type Shares = { own: Record<string, Own>; foreign: Record<string, Foreign> }

const mostForeign = 80

/** The libraries of the sets must be indexed. */
export async function measureRefusal(
  og: Pick<Og, 'search'>,
  sets: Record<string, AskedSet>,
): Promise<Record<string, Shares>> {
  const report: Record<string, Shares> = {}
  for (const library of new Set(Object.values(sets).map((set) => set.library))) {
    process.stderr.write(`${library}: asked\n`)
    const shares: Shares = { own: {}, foreign: {} }
    report[library] = shares
    for (const [name, set] of Object.entries(sets)) {
      if (set.library === library) shares.own[name] = await reliabilityOf(og, set)
      else shares.foreign[name] = await foreignShares(og, library, set.questions)
    }
  }
  return report
}

async function reliabilityOf(
  og: Pick<Og, 'search'>,
  { library, questions }: AskedSet,
): Promise<Own> {
  const level = (): Level => ({ answers: 0, right: 0 })
  const own: Own = { high: level(), medium: level(), weak: level(), lost: 0 }
  for (const { question, gold } of questions) {
    const answer = await ask(og, library, question)
    const urls = answer.hits.map(({ url }) => decodeURIComponent(url))
    const rated = own[confidenceOf(answer)]
    rated.answers++
    if (urls.some((url) => gold.some((page) => url.endsWith(`/${page}`)))) rated.right++
  }
  own.lost = share(own.weak.right, own.high.right + own.medium.right + own.weak.right)
  for (const rated of [own.high, own.medium, own.weak]) {
    rated.right = share(rated.right, rated.answers)
  }
  return own
}

async function foreignShares(
  og: Pick<Og, 'search'>,
  library: string,
  questions: readonly Question[],
): Promise<Foreign> {
  const keyed = questions.map(({ question }) => ({ question, key: sha256(question) }))
  const asked = keyed.sort((a, b) => (a.key < b.key ? -1 : 1)).slice(0, mostForeign)
  let [notHigh, weak] = [0, 0]
  for (const { question } of asked) {
    const confidence = confidenceOf(await ask(og, library, question))
    if (confidence !== 'high') notHigh++
    if (confidence === 'weak') weak++
  }
  return { notHigh: share(notHigh, asked.length), weak: share(weak, asked.length) }
}

/** Rounds to three decimals. Returns 0 for 0 of 0. */
function share(count: number, of: number): number {
  return of === 0 ? 0 : Math.round((1000 * count) / of) / 1000
}

function ask(og: Pick<Og, 'search'>, library: string, query: string) {
  return og.search({ query, library, version: null, limit: 5, judge: true })
}
