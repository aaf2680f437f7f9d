/**
 * Whether og knows that it does not know: `npm run eval -- refusal [SET…]`. Each library is asked
 * the questions of its own sets, and up to 80 by hash of those of each other library. Reported for
 * each library: `lost`, of its own questions with a gold page among five hits the share that is
 * called weak, and `foreign`, by the name of another library's set the share of that one's
 * questions that is called weak.
 */
import type { Og } from '../../src/open.ts'
import type { Question } from '../../src/library/quality/metrics.ts'
import { sha256 } from '../../src/platform/hash.ts'

type AskedSet = { library: string; questions: readonly Question[] }
type Lost = { good: number; lost: number; questions: string[] }
export type Shares = { own: Record<string, Lost>; foreign: Record<string, number> }

const mostForeign = 80

/** Of libraries that are indexed. */
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
      if (set.library === library) shares.own[name] = await lostOf(og, set)
      else shares.foreign[name] = await foreignShare(og, library, set.questions)
    }
  }
  return report
}

async function lostOf(og: Pick<Og, 'search'>, { library, questions }: AskedSet): Promise<Lost> {
  const lost: string[] = []
  let good = 0
  for (const { question, gold } of questions) {
    const { hits, doubt } = await ask(og, library, question)
    const urls = hits.map(({ url }) => decodeURIComponent(url))
    if (!urls.some((url) => gold.some((page) => url.endsWith(`/${page}`)))) continue
    good++
    if (doubt !== null) lost.push(question)
  }
  return { good, lost: lost.length / good, questions: lost }
}

async function foreignShare(
  og: Pick<Og, 'search'>,
  library: string,
  questions: readonly Question[],
): Promise<number> {
  const keyed = questions.map(({ question }) => ({ question, key: sha256(question) }))
  const asked = keyed.sort((a, b) => (a.key < b.key ? -1 : 1)).slice(0, mostForeign)
  let weak = 0
  for (const { question } of asked) {
    if ((await ask(og, library, question)).doubt !== null) weak++
  }
  return weak / asked.length
}

function ask(og: Pick<Og, 'search'>, library: string, query: string) {
  return og.search({ query, library, version: null, limit: 5, judge: true })
}
