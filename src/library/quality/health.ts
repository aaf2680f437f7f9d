import { OgError } from '../../platform/error.ts'
import { hybridSearch } from '../../search/hybrid.ts'
import { queryEmbedding } from '../../search/query-embedding.ts'
import { mean } from './bootstrap.ts'
import type { OpenGeneration } from '../../store/reading.ts'
import { byModel } from '../search/by-model.ts'
import type { OpenEntries } from '../entries.ts'
import type { Embedding } from '../add/ingest.ts'
import type { Opened } from '../opened.ts'
import { pickEntries, type Wanted } from '../../version/pick.ts'
import { selfQuestions, type SelfKind, type SelfQuestion } from './self-questions.ts'

/** How well a library version answers the questions of its own text. */
export type Health = {
  /** Percent of the questions whose section is in the first five hits; null without questions. */
  health: number | null
  questions: number
  hit1: number
  hit5: number
  mrr: number
  kinds: Partial<Record<SelfKind, { questions: number; hit5: number }>>
  /** Questions whose section is not among the first five hits. */
  missed: SelfQuestion[]
}

type Asking = {
  kernels: Opened['kernels']
  /** Null: by full text alone. */
  embedQuery: ((text: string) => Promise<Float32Array>) | null
  /** At most so many questions. */
  limit?: number
  signal?: AbortSignal
}

const mostQuestions = 200
const shownHits = 5

/** Asks a library version the questions of its own text; always the same ones of the same pages. */
export async function searchHealth(open: OpenGeneration, asking: Asking): Promise<Health> {
  const { limit = mostQuestions, signal } = asking
  const questions = await selfQuestions(open.pages(), { limit })
  const ranks: number[] = []
  for (const asked of questions) {
    signal?.throwIfAborted()
    ranks.push(await rankOf(open, asked, asking))
  }
  return healthOf(questions, ranks)
}

/** The health of each library version wanted, one after the other. */
export async function* healthOfLibraries(
  opened: Opened,
  entries: OpenEntries,
  { signal, ...wanted }: Wanted & { signal?: AbortSignal },
): AsyncGenerator<Health & { library: string; version: string }> {
  using held = await entries((all) => (all.length === 0 ? [] : pickEntries(all, wanted)))
  if (held.length === 0) return
  const groups = opened.fingerprint === null
    ? [{ held, embedder: null }]
    : await byModel(held, opened)
  for (const { entry, open } of held) {
    const embedder = groups.find((group) => group.held.some((it) => it.open === open))!.embedder
    const isEmbedded = entry.live.fingerprint !== null && embedder !== null
    const embedQuery = isEmbedded
      ? async (text: string) => queryEmbedding(await embedder(), text)
      : null
    const asking = { kernels: opened.kernels, embedQuery, ...(signal ? { signal } : {}) }
    yield { library: entry.library, version: entry.version, ...(await searchHealth(open, asking)) }
  }
}

/** `doing`: what is not done where it falls short, as `publish`. */
type WantedHealth = {
  doing: string
  library: string
  minHealth: number
  embedding: Embedding
  opened: Opened
}

/** Throws OgError where the health is lower; what has no question of its own passes. */
export async function refuseIllness(open: OpenGeneration, wanted: WantedHealth): Promise<void> {
  const { doing, library, minHealth, embedding, opened } = wanted
  const { health, questions, missed } = await searchHealth(open, {
    kernels: opened.kernels,
    embedQuery: embedding && ((text) => queryEmbedding(embedding.embedder, text)),
  })
  if (health === null || health >= minHealth) return
  const first = missed[0]!
  throw new OgError(
    `Cannot ${doing} ${library}: its search health is ${health} % of ${questions} questions, ` +
      `--min-health asks for ${minHealth} %; nothing was changed`,
    { hint: `"${first.question}" does not find ${first.url}, line ${first.startLine}` },
  )
}

/** 0 where the section is not among the hits shown. */
async function rankOf(
  open: OpenGeneration,
  { question, url, startLine, endLine }: SelfQuestion,
  { kernels, embedQuery }: Asking,
): Promise<number> {
  const { chunks } = await hybridSearch([open], {
    text: question,
    embedding: embedQuery && embedQuery(question),
    mode: 'hybrid',
    limit: shownHits,
    kernels,
  })
  const isIts = ({ row }: (typeof chunks)[number]) =>
    row.url === url && row.start_line <= endLine && row.end_line >= startLine
  return chunks.findIndex(isIts) + 1
}

function healthOf(questions: SelfQuestion[], ranks: readonly number[]): Health {
  const share = (among: readonly number[], depth: number) =>
    among.length === 0 ? 0 : mean(among.map((rank) => (rank > 0 && rank <= depth ? 1 : 0)))
  const hit5 = share(ranks, shownHits)
  const asked = questions.map((question, i) => ({ question, rank: ranks[i]! }))
  const kinds = [...Map.groupBy(asked, ({ question }) => question.kind)].map(([kind, all]) => [
    kind,
    { questions: all.length, hit5: share(all.map(({ rank }) => rank), shownHits) },
  ])
  return {
    health: questions.length === 0 ? null : Math.round(100 * hit5),
    questions: questions.length,
    hit1: share(ranks, 1),
    hit5,
    mrr: ranks.length === 0 ? 0 : mean(ranks.map((rank) => (rank > 0 ? 1 / rank : 0))),
    kinds: Object.fromEntries(kinds),
    missed: asked.filter(({ rank }) => rank === 0).map(({ question }) => question),
  }
}
