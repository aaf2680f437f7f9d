import { mean } from '../../search/confidence.ts'
import { objectOf, parseJsonOrUndefined } from '../../platform/json.ts'
import { OgError } from '../../platform/error.ts'
import { estimateTokens } from '../../platform/tokens.ts'
import type { Ablation } from '../../search/query.ts'
import { resampleMean, type Interval } from './health.ts'
import type { PageHead } from '../../store/pages/page-table.ts'
import type { OpenEntries } from '../entries.ts'
import type { Hit, SearchRequest } from '../library.ts'
import type { LibraryContext } from '../library-context.ts'
import { libraryPages } from '../page.ts'
import { pickEntries } from '../../version/pick.ts'
import { searchLibraries } from '../search/search.ts'

type Arm = 'hybrid' | 'full-text' | 'vector'

export type ArmFigures = ReturnType<typeof meanMetrics> & {
  hit5Served: number
  /** Share of the correct pages among the hits within the token budget. */
  recallInBudget: number
  recallInBudgetInterval: Interval
  latencyMs: { median: number; p95: number }
}

export type Evaluation = {
  library: string
  version: string
  questions: number
  unknownGold: string[]
  maxTokens: number
  arms: Record<string, ArmFigures>
  /** Per arm: number of questions whose first five pages differ from those in `hybrid`. */
  changed: Record<string, number>
  /** Reasons to distrust the figures: an arm that changes no answer probably does not work. */
  alarms: string[]
}

export type EvaluateRequest = {
  library: string
  version: string | null
  questions: Question[]
  without?: readonly Ablation[]
  maxTokens?: number
  signal?: AbortSignal
}

type MeasuredFunctions = {
  search(request: SearchRequest): Promise<{ hits: Hit[] }>
  pages(version: {
    library: string
    version: string | null
  }): Promise<ReadonlyMap<string, PageHead>>
}

const depth = 50

/**
 * Asks judged questions in several ways and measures the quality of the answers. Requests 50 hits
 * and counts each page once, at its best rank.
 * @throws OgError if the library is not indexed or contains none of the correct pages
 */
export async function evaluateLibrary(
  context: LibraryContext,
  entries: OpenEntries,
  request: EvaluateRequest,
): Promise<Evaluation> {
  using openVersions = await entries((all) => pickEntries(all, request))
  const { library, version } = openVersions[0]!.entry
  const og: MeasuredFunctions = {
    search: (query) => searchLibraries(context, entries, query),
    pages: (version) => libraryPages(entries, version),
  }
  const measured = await measureArms(og, { ...request, library, version })
  return { library, version, ...measured }
}

async function measureArms(
  og: MeasuredFunctions,
  request: EvaluateRequest,
): Promise<Omit<Evaluation, 'library' | 'version'>> {
  const { maxTokens = 2000, without = [] } = request
  const { questions, unknownGold } = await locateGold(og, request)
  const arms: Evaluation['arms'] = {}
  const changed: Evaluation['changed'] = {}
  let best: string[][] = []
  for (const arm of ['hybrid', 'full-text', 'vector', ...without.map((it) => `without ${it}`)]) {
    const { figures, tops } = await measureArm(og, arm, { ...request, questions, maxTokens })
    arms[arm] = figures
    if (arm === 'hybrid') best = tops
    else changed[arm] = tops.filter((top, i) => !Bun.deepEquals(top, best[i])).length
  }
  const still = Object.keys(changed).filter((arm) => changed[arm] === 0)
  const alarms = still.map(
    (arm) => `${arm} gives the first five pages of hybrid for every question: it changes nothing`,
  )
  return { questions: questions.length, unknownGold, maxTokens, arms, changed, alarms }
}

export function parseQuestions(text: string, name: string): Question[] {
  const lines = text.split('\n').map((line, i) => ({ line: line.trim(), at: i + 1 }))
  const questions = lines
    .filter(({ line }) => line !== '')
    .map(({ line, at }) => {
      const value = parsedLine(line)
      if (value === null) {
        throw new OgError(`Cannot read ${name}, line ${at}: it is not a question`, {
          hint: 'a line is {"id": "1", "question": "how do I …", "gold": ["guide/page.md"]}',
        })
      }
      return { ...value, id: value.id ?? String(at) }
    })
  if (questions.length === 0) throw new OgError(`Cannot evaluate: ${name} contains no question`)
  return questions
}

function parsedLine(line: string): (Omit<Question, 'id'> & { id?: string }) | null {
  const { id, question, gold } = objectOf(parseJsonOrUndefined(line))
  if (typeof question !== 'string' || question.trim() === '') return null
  if (!Array.isArray(gold) || gold.length === 0) return null
  if (!gold.every((page) => typeof page === 'string')) return null
  return { question, gold, ...(typeof id === 'string' ? { id } : {}) }
}

/**
 * Replaces the correct pages with their URLs. The question file may name a page by its URL, its
 * path or a suffix of its path.
 */
async function locateGold(og: MeasuredFunctions, { library, version, questions }: EvaluateRequest) {
  const pages = [...(await og.pages({ library, version })).values()]
  const whole = new Map(
    pages.flatMap(
      ({ url, path }) =>
        [
          [path, url],
          [url, url],
        ] as const,
    ),
  )
  const ends = Map.groupBy(
    pages.flatMap(({ url, path }) => endsOf(path).map((end) => ({ end, url }))),
    ({ end }) => end,
  )
  const only = (end: string) => (ends.get(end)?.length === 1 ? ends.get(end)![0]!.url : undefined)
  const urlOf = (gold: string) =>
    whole.get(gold) ??
    only(gold) ??
    endsOf(gold)
      .map((end) => whole.get(end))
      .find(Boolean)
  const unknown = new Set<string>()
  const judged = questions.map((question) => ({
    ...question,
    gold: question.gold.map((gold) => urlOf(gold) ?? (unknown.add(gold), gold)),
  }))
  if (judged.every(({ gold }) => gold.every((page) => unknown.has(page)))) {
    throw new OgError(`Cannot evaluate "${library}": it has none of the gold pages`, {
      hint: `give gold pages by URL or path, such as "${pages[0]?.path}"`,
    })
  }
  return { questions: judged, unknownGold: [...unknown] }
}

/** Returns the suffixes of a path: `a/b/c.md` → `b/c.md`, `c.md`. */
function endsOf(path: string): string[] {
  const parts = path.split('/')
  return parts.slice(1).map((_, i) => parts.slice(i + 1).join('/'))
}

type Arming = EvaluateRequest & { maxTokens: number }

async function measureArm(og: MeasuredFunctions, arm: string, request: Arming) {
  const { questions, maxTokens, signal } = request
  const ask = (query: string, limit: number) => og.search({ ...runArm(arm, request), query, limit })
  // The first query is not timed because it opens files that later queries find open.
  await ask(questions[0]!.question, depth)
  const rankings: string[][] = []
  const recalls: number[] = []
  const times: number[] = []
  let served = 0
  for (const { question, gold } of questions) {
    signal?.throwIfAborted()
    const { hits } = await ask(question, depth)
    const started = performance.now()
    const answer = await ask(question, 5)
    times.push(performance.now() - started)
    if (answer.hits.some(({ url }) => gold.includes(url))) served++
    rankings.push(pageRanking(hits.map(({ url }) => url)))
    const fitting = new Set(hitsWithin(hits, maxTokens).map(({ url }) => url))
    recalls.push(gold.filter((url) => fitting.has(url)).length / gold.length)
  }
  const figures: ArmFigures = {
    ...meanMetrics(questions, rankings),
    hit5Served: served / questions.length,
    recallInBudget: mean(recalls),
    recallInBudgetInterval: resampleMean(recalls),
    latencyMs: latency(times),
  }
  return { figures, tops: rankings.map((pages) => pages.slice(0, 5)) }
}

function runArm(arm: string, { library, version, signal }: Arming) {
  const query = { library, version, ...(signal ? { signal } : {}) }
  if (!arm.startsWith('without ')) return { ...query, mode: arm as Arm }
  return { ...query, mode: 'hybrid' as const, without: [arm.slice('without '.length) as Ablation] }
}

/** Returns the first hits that fit into the limit together, but at least one. */
function hitsWithin(hits: readonly Hit[], maxTokens: number): Hit[] {
  let left = maxTokens
  const end = hits.findIndex(({ text }) => {
    left -= estimateTokens(text)
    return left < 0
  })
  return hits.slice(0, end < 0 ? hits.length : Math.max(1, end))
}

function latency(times: readonly number[]) {
  const sorted = [...times].sort((a, b) => a - b)
  const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))]!
  return { median: at(0.5), p95: at(0.95) }
}

export type Question = { id: string; question: string; gold: string[] }

/** Metrics of one ranking, or means over many. `mrr10` and `ndcg10` use the first 10 ranks. */
export type Metrics = {
  ndcg10: number
  mrr10: number
  hit1: number
  hit5: number
  hit10: number
  recall10: number
}

export function pageRanking(hitPages: readonly string[]): string[] {
  return [...new Set(hitPages)]
}

/**
 * Computes one question's metrics: nDCG (Järvelin and Kekäläinen 2002) with gain 1 for each correct
 * page. The ideal ranking has min(correct pages, 10) of them.
 */
export function metrics(gold: readonly string[], ranking: readonly string[]): Metrics {
  const gains = ranking.slice(0, 10).map((page) => (gold.includes(page) ? 1 : 0))
  const dcg = gains.reduce((sum: number, gain, i) => sum + gain / Math.log2(i + 2), 0)
  let ideal = 0
  for (let i = 0; i < Math.min(gold.length, 10); i++) ideal += 1 / Math.log2(i + 2)
  const first = gains.indexOf(1)
  const hit = (depth: number) => (first >= 0 && first < depth ? 1 : 0)
  return {
    ndcg10: dcg / ideal,
    mrr10: first < 0 ? 0 : 1 / (first + 1),
    hit1: hit(1),
    hit5: hit(5),
    hit10: hit(10),
    recall10: gains.filter((gain) => gain === 1).length / gold.length,
  }
}

export function meanMetrics(questions: readonly Question[], rankings: readonly string[][]) {
  const all = questions.map(({ gold }, i) => metrics(gold, rankings[i] as string[]))
  const values = (name: keyof Metrics) => all.map((each) => each[name])
  return {
    ndcg10: mean(values('ndcg10')),
    ndcg10Interval: resampleMean(values('ndcg10')),
    mrr10: mean(values('mrr10')),
    mrr10Interval: resampleMean(values('mrr10')),
    hit1: mean(values('hit1')),
    hit5: mean(values('hit5')),
    hit5Interval: resampleMean(values('hit5')),
    hit10: mean(values('hit10')),
    recall10: mean(values('recall10')),
  }
}
