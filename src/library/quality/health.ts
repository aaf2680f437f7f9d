import { mean } from '../../search/confidence.ts'
import { renderLeftovers, renderNames } from './missing-names.ts'
import { runInOrder } from '../../platform/concurrency.ts'
import { OgError } from '../../platform/error.ts'
import type { Collection, QueryEmbedding } from '../../search/collection.ts'
import { embedSearchQuery } from '../../search/query-embedding.ts'
import { textToEmbed } from '../../search/near-terms.ts'
import { pageFacts } from '../../search/scope/page-facts.ts'
import { rankChunks } from '../../search/search.ts'
import { openUnpublished } from '../../store/reading.ts'
import type { Generation } from '../../store/registry.ts'
import { embeddersByModel } from '../search/by-model.ts'
import type { OpenVersions, OpenEntries } from '../entries.ts'
import { findIncomplete, type Incomplete } from '../incomplete.ts'
import type { WriteTarget } from '../lock.ts'
import type { LibraryContext } from '../library-context.ts'
import { pickEntries, type VersionQuery } from '../../version/pick.ts'
import { selfQuestions, type SelfKind, type SelfQuestion } from './self-questions.ts'

/** How well search answers questions that are generated from a library version's own text. */
export type Health = {
  /** Percentage of questions whose section is among the first five hits; null without questions. */
  health: number | null
  questions: number
  hit1: number
  hit5: number
  mrr: number
  kinds: Partial<Record<SelfKind, { questions: number; hit5: number }>>
  /** Questions whose section is not among the first five hits. */
  missed: SelfQuestion[]
}

/** `incomplete` is set if the library was only partly embedded during the measurement. */
export type LibraryHealth = Health & {
  library: string
  version: string
  incomplete: Incomplete | null
}

type Asking = {
  kernels: LibraryContext['kernels']
  /** Null for full-text search only. */
  embedQuery: ((text: string) => Promise<QueryEmbedding>) | null
  /** Maximum number of questions. */
  limit?: number
  signal?: AbortSignal
}

const mostQuestions = 200
const shownHits = 5
/** Number of parallel questions. The model embeds some while others are ranked. */
const lanes = 8

/** A library version. `entry` is its registry entry, even before publication. */
type Examined = Pick<OpenVersions[number], 'entry' | 'open'>

/**
 * Measures how well search answers questions from a library version's own text. The same pages
 * always produce the same questions.
 */
async function searchHealth(examined: Examined, asking: Asking): Promise<Health> {
  const { limit = mostQuestions, signal } = asking
  const { entry, open } = examined
  const facts = await pageFacts(open)
  const collection = {
    entry,
    whole: open,
    open,
    facts,
    languageWeight: () => 1,
    guideShare: 1,
    gain: 1,
  }
  const questions = await selfQuestions(open.pages(), { limit })
  const embed = asking.embedQuery && embedInGroups(asking.embedQuery, questions)
  const ranks: number[] = []
  const rank = async (question: SelfQuestion) => {
    signal?.throwIfAborted()
    return rankOf({ ...collection, embed }, question, asking)
  }
  for await (const it of runInOrder(questions, rank, { lanes })) ranks.push(it)
  return healthOf(questions, ranks)
}

/** Number of questions to embed at once. The model reads all of its weights for each run. */
const groupSize = 16

/** Returns a function that embeds a question together with the next ones. */
function embedInGroups(
  embed: NonNullable<Asking['embedQuery']>,
  questions: readonly SelfQuestion[],
): NonNullable<Asking['embedQuery']> {
  const texts = questions.map(({ question }) => textToEmbed(question, new Map()))
  const places = new Map(texts.map((text, i) => [text, i]))
  const embeddings = new Map<string, Promise<QueryEmbedding>>()
  return (text) => {
    const at = places.get(text)
    // Search has corrected the spelling of the question.
    if (at === undefined) return embed(text)
    if (!embeddings.has(text)) {
      const from = at - (at % groupSize)
      for (const one of texts.slice(from, from + groupSize)) {
        const embedding = embed(one)
        embedding.catch(() => {})
        embeddings.set(one, embedding)
      }
    }
    return embeddings.get(text)!
  }
}

/** Measures each matching library version in turn. */
export async function* healthOfLibraries(
  context: LibraryContext,
  entries: OpenEntries,
  { signal, ...query }: VersionQuery & { signal?: AbortSignal },
): AsyncGenerator<LibraryHealth> {
  using openVersions = await entries((all) => (all.length === 0 ? [] : pickEntries(all, query)))
  if (openVersions.length === 0) return
  const embedders =
    context.fingerprint === null ? null : await embeddersByModel(openVersions, context)
  for (const one of openVersions) {
    const embedder = embedders?.get(one)
    const embedQuery = embedder
      ? async (text: string) => embedSearchQuery(await embedder(), text)
      : null
    const asking = { kernels: context.kernels, embedQuery, ...(signal ? { signal } : {}) }
    const { library, version } = one.entry
    const [incomplete = null] = findIncomplete([one.entry])
    yield { library, version, incomplete, ...(await searchHealth(one, asking)) }
  }
}

/**
 * Checks the health of a written or live generation if the request sets a minimum. The caller holds
 * the library version's lock.
 * @throws OgError if the health is below `minHealth`; a version without questions passes
 */
export async function checkHealth(
  context: LibraryContext,
  target: WriteTarget,
  {
    live,
    minHealth,
    doing,
  }: {
    live: Generation
    minHealth: number | null | undefined
    /** The action that is refused if the health is too low, as a verb for the message. */
    doing: 'publish' | 'accept'
  },
): Promise<void> {
  if (typeof minHealth !== 'number') return
  using open = openUnpublished(context.folder, live, context.kernels)
  const embedding = await context.embedding()
  const { library, version } = target
  const { questions, missed, ...searched } = await searchHealth(
    { entry: { ...target, live, previous: null }, open },
    {
      kernels: context.kernels,
      embedQuery: embedding && ((text) => embedSearchQuery(embedding.embedder, text)),
    },
  )
  const health = contentHealth(searched.health, live)
  if (health === null || health >= minHealth) return
  const lacking = [
    ...(live.leftovers ? [`; left over in its pages: ${renderLeftovers(live.leftovers)}`] : []),
    ...(live.names?.missing ? [`; it has ${renderNames(live.names)}`] : []),
  ].join('')
  const [first] = missed
  throw new OgError(
    `Cannot ${doing} library "${library}" version "${version}": its search health is ` +
      `${health} % of ${questions} questions, --min-health requires ${minHealth} %; ` +
      'nothing was changed',
    {
      hint:
        first === undefined
          ? lacking.slice(2)
          : `"${first.question}" does not find ${first.url}, line ${first.startLine}${lacking}`,
    },
  )
}

/**
 * Returns the search health, reduced by the share of pages that lack parts of their site and by the
 * share of public names that the index lacks.
 */
export function contentHealth(
  health: number | null,
  { pages, leftovers, names }: Pick<Generation, 'pages' | 'leftovers' | 'names'>,
): number | null {
  if (health === null) return null
  const lacking = [
    (leftovers?.pages ?? 0) / Math.max(1, pages),
    (names?.missing ?? 0) / Math.max(1, names?.declared ?? 0),
  ]
  return Math.round(lacking.reduce((rest, share) => rest * (1 - Math.min(1, share)), health))
}

/** Returns the rank of the section, or 0 if it is not among the hits. */
async function rankOf(
  collection: Collection,
  { question: text, url, startLine, endLine }: SelfQuestion,
  { kernels }: Asking,
): Promise<number> {
  const query = { text, mode: 'hybrid', limit: shownHits, kernels } as const
  const { chunks } = await rankChunks([collection], query)
  const isIts = ({ row }: (typeof chunks)[number]) =>
    row.url === url && row.start_line <= endLine && row.end_line >= startLine
  return chunks.findIndex(isIts) + 1
}

function healthOf(questions: SelfQuestion[], ranks: readonly number[]): Health {
  const share = (among: readonly number[], depth: number) =>
    among.length === 0 ? 0 : mean(among.map((rank) => (rank > 0 && rank <= depth ? 1 : 0)))
  const hit5 = share(ranks, shownHits)
  const ranked = questions.map((question, i) => ({ question, rank: ranks[i]! }))
  const kinds = [...Map.groupBy(ranked, ({ question }) => question.kind)].map(([kind, all]) => [
    kind,
    {
      questions: all.length,
      hit5: share(
        all.map(({ rank }) => rank),
        shownHits,
      ),
    },
  ])
  return {
    health: questions.length === 0 ? null : Math.round(100 * hit5),
    questions: questions.length,
    hit1: share(ranks, 1),
    hit5,
    mrr: ranks.length === 0 ? 0 : mean(ranks.map((rank) => (rank > 0 ? 1 / rank : 0))),
    kinds: Object.fromEntries(kinds),
    missed: ranked.filter(({ rank }) => rank === 0).map(({ question }) => question),
  }
}

/** Lower and upper bound. */
export type Interval = [number, number]

/**
 * Computes a 95 % confidence interval of the mean by a percentile bootstrap (Efron 1979) with 1,000
 * resamples and a fixed pseudo-random sequence (Lehmer's generator, Park and Miller 1988).
 */
export function resampleMean(values: readonly number[]): Interval {
  let state = 1
  const random = () => (state = (state * 48271) % 2147483647) / 2147483647
  const means = Array.from({ length: 1000 }, () =>
    mean(values.map(() => values[Math.floor(random() * values.length)] as number)),
  ).sort((a, b) => a - b)
  return [means[25] as number, means[974] as number]
}
