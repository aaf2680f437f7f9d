import { isApiPagePath } from '../../api/api-path.ts'
import type { ChunkRow } from '../../store/chunks/chunk-table.ts'
import { versionOfChanges, isChangelogPage } from '../changes.ts'
import type { Collection } from '../collection.ts'
import {
  exactName,
  isPlainWord,
  nameFinder,
  nameTerms,
  findNames,
  type ExactName,
  type NameFinder,
} from './exact-name.ts'
import { asksForFact } from '../guides-and-api.ts'
import { countDefinedParts, definitionCandidates, shortestDefinitions } from './definitions.ts'
import { isOrdinary } from './name.ts'
import { spellingPattern } from './spelled-names.ts'
import {
  toCandidate,
  type Candidate,
  type NameMatch,
  type NamePlace,
  nameForms,
} from '../candidate.ts'
import { weights } from '../weights.ts'

/** Number of chunks per batch. For a name in a longer query, `rareChunks` are enough. */
const batches = { ofQuery: 128, ofRareName: 40 }
/** Reading stops at this multiple of the requested hits. */
const enough = 3
const mostMatches = 2000

/** `isWholeRead` is true if all chunks with the name as one term were read. */
type IsEnough = (holders: readonly NameHolder[], isWholeRead: boolean) => boolean

/**
 * Ranks chunks with the queried name first. If the query is a single name, every chunk that
 * contains it is an answer and ranks before all others, whatever their scores. This is a tier
 * rather than a weight. All such chunks are looked up here, so that the depth of a lane excludes
 * none.
 */
export async function rankNamesFirst(
  collections: readonly Collection[],
  ranked: readonly Candidate[],
  { text, limit, names = [] }: { text: string; limit: number; names?: readonly string[] },
): Promise<Candidate[]> {
  const name = exactName(text)
  if (name === null) {
    const promoted = await withChangesFirst(collections, ranked, versionOfChanges(text))
    return withRareNames(collections, promoted, { text, names })
  }
  const isEnough = enoughHits(limit)
  const holders = await holdersOf(collections, name, { ranked, isEnough, withDefinitions: true })
  const scored = new Map(ranked.map((fused) => [fused.key, fused]))
  const matches = holders.map(({ candidate, match }) => {
    const fused = scored.get(candidate.key) ?? { ...candidate, score: 0 }
    fused.why.nameMatch = match
    return fused
  })
  const matchedKeys = new Set(matches.map(({ key }) => key))
  return [...matches, ...ranked.filter(({ key }) => !matchedKeys.has(key))].sort(compareByTier)
}

/** Compares two chunks by tier, then by score. */
export function compareByTier(
  a: { score: number; why: { nameMatch: NameMatch | null } },
  b: { score: number; why: { nameMatch: NameMatch | null } },
): number {
  return nameTier(a.why.nameMatch) - nameTier(b.why.nameMatch) || b.score - a.score
}

/**
 * Returns a chunk's tier, which depends on how the chunk contains the name. A lower tier is better.
 * API definitions come first, shorter qualified names before longer ones, then sections about the
 * name. Other chunks follow by the form of the name. For each form, change logs and mentions in the
 * API reference come last. Chunks without the name have the worst tier.
 */
export function nameTier(match: NameMatch | null): number {
  if (match?.parts !== undefined) return Math.min(match.parts, mostParts) - mostParts - 1
  if (match === null || match.isFrequent) return 2 * nameForms.length
  if (match.place === 'title') return -0.5
  return 2 * nameForms.indexOf(match.form) + (isLower(match.place) ? 1 : 0)
}

const mostParts = 20

function isLower(place: NamePlace): boolean {
  return place === 'changelog' || place === 'mention'
}

type NameHolder = { candidate: Candidate; match: NameMatch }

/** With `withDefinitions`, the name is the whole query and definitions are looked up too. */
type Holding = { ranked: readonly Candidate[]; isEnough: IsEnough; withDefinitions: boolean }

async function holdersOf(
  collections: readonly Collection[],
  name: ExactName,
  { ranked, isEnough, withDefinitions }: Holding,
): Promise<NameHolder[]> {
  const ranks = new Map(ranked.map(({ key }, rank) => [key, rank]))
  const all = await Promise.all(
    collections.map((collection) => candidatesOf(collection, name, { ranks, withDefinitions })),
  )
  // A word that is frequent in one library also counts as frequent in the others.
  const isFrequent =
    isOrdinary(name) && all.some(({ candidates }) => candidates.length > weights.depth)
  const find = nameFinder(name)
  const batchSize = withDefinitions ? batches.ofQuery : batches.ofRareName
  const lists = await Promise.all(
    collections.map(async ({ open }, i) => {
      const { nWhole, isDefinition } = all[i]!
      const candidates = isFrequent
        ? all[i]!.candidates.filter(({ key }) => ranks.has(key) || isDefinition.has(key))
        : all[i]!.candidates
      const holders: NameHolder[] = []
      for (let from = 0; from < candidates.length; from += batchSize) {
        const batch = candidates.slice(from, from + batchSize)
        const rows = await open.chunks(batch.map(({ rowId }) => rowId))
        batch.forEach((candidate, i) => {
          const match = matchIn(rows[i]!, { find, name, isChangelog: isChangelogPage(candidate) })
          if (match === null) return
          const isWeak = isFrequent || (isPlainWord(name) && match.place === 'mention')
          const isDemoted = isWeak && match.parts === undefined
          holders.push({ candidate, match: isDemoted ? { ...match, isFrequent: true } : match })
        })
        if (isEnough(holders, from + batchSize >= nWhole)) break
      }
      return holders
    }),
  )
  return lists.flat()
}

/** Stops reading after this many hits of the best tier, because no more hits are shown. */
function enoughHits(limit: number): IsEnough {
  return (holders, isWholeRead) => {
    const best = isWholeRead ? holders : holders.filter(({ match }) => match.form === 'typed')
    return best.length >= enough * limit
  }
}

/**
 * The first `nWhole` candidates contain the name as one term or may define it in the API reference
 * (`isDefinition`). The others contain all of its words.
 */
type NameCandidates = { candidates: Candidate[]; nWhole: number; isDefinition: ReadonlySet<string> }

/** Sorts candidates of each kind by their rank in the lanes. Unranked chunks come last. */
async function candidatesOf(
  collection: Collection,
  name: ExactName,
  {
    ranks,
    withDefinitions,
  }: Pick<Holding, 'withDefinitions'> & { ranks: ReadonlyMap<string, number> },
): Promise<NameCandidates> {
  const { open } = collection
  const rank = ({ key }: Candidate) => ranks.get(key) ?? ranks.size
  const [whole = [], words = []] = await Promise.all(
    nameTerms(name).map(async (terms) =>
      (await open.fullTextOfAll(terms, mostMatches))
        .map((ranked) => toCandidate(collection, ranked))
        .sort((a, b) => rank(a) - rank(b)),
    ),
  )
  const definitions = withDefinitions ? await definitionCandidates(collection, name) : []
  const isDefinition = new Set(definitions.map(({ key }) => key))
  const first = new Map([...definitions, ...whole].map((candidate) => [candidate.key, candidate]))
  const candidates = [...first.values(), ...words.filter(({ key }) => !first.has(key))]
  return { candidates, nWhole: first.size, isDefinition }
}

type Matching = { find: NameFinder; name: ExactName; isChangelog: boolean }

function matchIn(row: ChunkRow, { find, name, isChangelog }: Matching): NameMatch | null {
  const parts = isChangelog ? null : countDefinedParts(row, name.core)
  // Lists of values show only the last part of each name.
  const match = find(row.content) ?? (parts === null ? null : { form: 'core' as const, at: 0 })
  if (match === null) return null
  const { form, at } = match
  if (isChangelog) return { form, place: 'changelog' }
  if (parts !== null) return { form, place: 'api', parts }
  // A heading that is a plain word (`Plugins`) may belong to a section that only lists such things.
  const isTitle =
    form !== 'words' && !isOrdinary(name) && titlesIn(row).some((title) => isHeadingOf(title, name))
  if (isTitle && !isApiPagePath(row.url)) return { form, place: 'title' }
  return { form, place: isApiPagePath(row.url) ? 'mention' : placeOfMatch(row, at, find) }
}

/** A Markdown heading or an underlined reStructuredText heading. */
const headingLine = /^#{1,6} (.+)$|^(\S.*)\n([=~^"'*+#-])\3{2,}[ \t]*$/gm

/** Returns the headings of a chunk and of the small sections in it. */
export function titlesIn({ heading, content }: Pick<ChunkRow, 'heading' | 'content'>): string[] {
  const inside = [...content.matchAll(headingLine)].map((line) => line[1] ?? line[2]!)
  return [heading.split(' > ').at(-1)!, ...inside]
}

const headingFiller = new RegExp(
  String.raw`\b(?:an?|the|use|using|class|function|method|option|parameter|property|attribute` +
    String.raw`|hook|decorator|command|component|directive|setting|module)\b`,
  'giu',
)

/** True if a heading consists of the name: `server.proxy`, `Use CORSMiddleware`, `map() method`. */
export function isHeadingOf(heading: string, { core, verbatim }: ExactName): boolean {
  // `--mode` is an option of a command. A heading `mode` is about something else.
  if (verbatim.startsWith('-') && !heading.includes(verbatim)) return false
  const plain = heading.replace(/\{#.*\}$|[`*\\]/g, '')
  const bare = (text: string) => exactName(text.trim())?.core.toLowerCase()
  const sought = core.toLowerCase()
  return bare(plain) === sought || bare(plain.replace(headingFiller, ' ')) === sought
}

const definer = 'def|class|function|func|fn|const|let|var|type|interface|struct|enum|trait|macro'
const definition = new RegExp(
  String.raw`^\s*(?:(?:export|public|static|async|pub) +)*(?:${definer}|\.\. [\w:-]+::) `,
)

function placeOfMatch(row: ChunkRow, at: number, find: NameFinder): NamePlace {
  const { content, heading } = row
  if (find(heading.split(' > ').at(-1)!) !== null) return 'heading'
  const start = content.lastIndexOf('\n', at - 1) + 1
  const before = content.slice(start, at)
  const lineEnd = content.indexOf('\n', at)
  const line = content.slice(start, lineEnd < 0 ? undefined : lineEnd)
  // The name starts a list item or table row, or follows a defining keyword.
  if (definition.test(line) || /^\s*(?:[-*+|#]|\d+\.)*\s*[`*_"]+$/.test(before)) return 'definition'
  const isFenced = (content.slice(0, start).match(/^\s*(?:`{3,}|~{3,})/gm)?.length ?? 0) % 2 === 1
  const isInline = (before.match(/`+/g)?.length ?? 0) % 2 === 1
  return isFenced || isInline || /^(?: {4}|\t)/.test(line) ? 'code' : 'prose'
}

/** Maximum number of sections read for one version. */
const mostSections = 256

/** If the query asks for the changes in a version, moves that version's sections to the top. */
async function withChangesFirst(
  collections: readonly Collection[],
  ranked: readonly Candidate[],
  version: string | null,
): Promise<readonly Candidate[]> {
  const name = version === null ? null : exactName(version)
  if (version === null || name === null) return ranked
  const scored = new Map(ranked.map((fused) => [fused.key, fused]))
  const versionPattern = new RegExp(`(?<![\\w.-])v?${RegExp.escape(version)}(?![\\w.]*\\w)`, 'i')
  await Promise.all(
    collections.map(async (collection) => {
      const all = await candidatesOf(collection, name, { ranks: new Map(), withDefinitions: false })
      const candidates = all.candidates.slice(0, mostSections)
      const rows = await collection.open.chunks(candidates.map(({ rowId }) => rowId))
      candidates.forEach((candidate, i) => {
        if (!rows[i]!.heading.split(' > ').some((title) => versionPattern.test(title))) return
        const fused = scored.get(candidate.key) ?? { ...candidate, score: 0 }
        fused.why.nameMatch = { form: 'typed', place: 'heading' }
        scored.set(candidate.key, fused)
      })
    }),
  )
  return [...scored.values()].sort(compareByTier)
}

/** A name is rare if at most this many chunks of a library contain it. */
const rareChunks = 30
const mostNames = 4
/** A chunk with a rare name from a longer query moves into this many first hits. */
const firstHits = 3

function hasExactForm({ match }: NameHolder): boolean {
  return match.form === 'typed' || match.form === 'core'
}

/** Number of names spelled as separate words that move into the first hits. */
const mostSpelled = 2

/**
 * Moves chunks with rare names into the first hits: one for each name in the query, and one for the
 * first of `names`, which the query spells as separate words.
 */
async function withRareNames(
  collections: readonly Collection[],
  ranked: readonly Candidate[],
  { text, names }: { text: string; names: readonly string[] },
): Promise<Candidate[]> {
  let all = [...ranked]
  const spelling = spellingPattern(text)
  const spelled = await Promise.all(
    names.map((name) => spelledHolders(collections, name, spelling)),
  )
  for (const { name, holders } of spelled.filter(isRare).slice(0, mostSpelled)) {
    all = moveUp(all, { name, holders, place: firstHits })
  }
  const isFact = asksForFact(text)
  const isQuestion = isFact || /^\s*wh(?:at|en|ere|o|y)\b/i.test(text)
  for (const [i, name] of findNames(text).slice(0, mostNames).entries()) {
    const definitions = isQuestion ? await shortestDefinitions(collections, name) : []
    if (isFact && i === 0 && definitions.length > 0) {
      all = moveUp(all, { name: name.core, holders: definitions, place: 1 })
      continue
    }
    const isEnough: IsEnough = (holders) => holders.filter(hasExactForm).length > rareChunks
    const holding = { ranked: all, isEnough, withDefinitions: false }
    const exactHolders = (await holdersOf(collections, name, holding)).filter(hasExactForm)
    const holders = exactHolders.map(({ candidate }) => candidate)
    if (!isRare({ holders })) {
      const moved = { name: name.core, holders: definitions, place: firstHits }
      if (definitions.length > 0) all = moveUp(all, moved)
      continue
    }
    // If only some libraries contain the name, the query is about them, so the chunk moves to the
    // top.
    const collectionsWithName = new Set(holders.map(({ collection }) => collection))
    const place = collectionsWithName.size < collections.length ? 1 : firstHits
    const label = /^--?\p{L}/u.test(name.verbatim) ? name.verbatim : name.core
    all = moveUp(all, { name: label, holders, place })
  }
  return all
}

type NamedChunks = { name: string; holders: readonly Candidate[] }

/** Excludes chunks that contain the name only in their path, or only words with the same stem. */
async function spelledHolders(
  collections: readonly Collection[],
  name: string,
  spelling: RegExp,
): Promise<NamedChunks> {
  const lists = await Promise.all(
    collections.map(async (collection) => {
      const { open } = collection
      const hits = await open.fullTextOfAll([name], rareChunks + 1)
      if (hits.length > rareChunks) return hits.map((hit) => toCandidate(collection, hit))
      const rows = await open.chunks(hits.map(({ rowId }) => rowId))
      const holders = hits.filter((_, i) => spelling.test(rows[i]!.content))
      return holders.map((hit) => toCandidate(collection, hit))
    }),
  )
  return { name, holders: lists.flat() }
}

function isRare({ holders }: Pick<NamedChunks, 'holders'>): boolean {
  return holders.length > 0 && holders.length <= rareChunks
}

/** Moves the best chunk that contains the name into the first `place` hits. */
function moveUp(
  all: Candidate[],
  { name, holders, place }: NamedChunks & { place: number },
): Candidate[] {
  const isHolder = new Set(holders.map(({ key }) => key))
  const best = all.find(({ key }) => isHolder.has(key)) ?? { ...holders[0]!, score: 0 }
  best.why.rareName = name
  if (all.slice(0, place).includes(best)) return all
  best.score = Math.max(best.score, (all[place - 1]?.score ?? 0) * 1.0001)
  return [...all.filter((it) => it !== best), best].sort(compareByTier)
}
