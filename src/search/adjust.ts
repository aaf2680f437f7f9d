import { isApiPagePath } from '../api/api-path.ts'
import { listedMembers } from '../api/page-symbols.ts'
import { traitsOf } from '../chunk/api-text.ts'
import { parseRelease } from '../version/release.ts'
import type { Candidate } from './candidate.ts'
import { asksForChanges, asksForUpgrade, isChangelogPage, isUpgradePage } from './changes.ts'
import type { Collection } from './collection.ts'
import { coveredShares } from './coverage.ts'
import { askedLanguages, isInLanguage } from './excerpt/example-code.ts'
import { asksForExample } from './excerpt/example.ts'
import { readChunks } from './group.ts'
import { asksForFact, keepBestApiPage, mixed, pageShare } from './guides-and-api.ts'
import { isListOfNames, isListOfTitles } from './list-of-titles.ts'
import { exactName, isPlainWord } from './name/exact-name.ts'
import { isSigns } from './name/name.ts'
import { rankNamesFirst } from './name/names-first.ts'
import type { Ablation, RankingRequest } from './query.ts'
import { weights } from './weights.ts'

/**
 * Applies every adjustment to the order of the candidates: change logs, passages without code,
 * evidence from other chunks of the page, repeated pages, the library, the language, and exact
 * names. Single-lane search is the baseline for measuring hybrid search, so it adjusts only the
 * language. Returns the candidates, best first.
 */
export async function adjustRanking(
  fused: Candidate[],
  collections: readonly Collection[],
  query: RankingRequest & { names?: readonly string[] },
): Promise<Candidate[]> {
  const { text, mode, limit, without, names = [] } = query
  const has = (part: Ablation) => !without?.includes(part)
  if (mode !== 'hybrid') return weighLanguages(fused).sort(byScore)
  if (isSigns(text)) return await withSignsFirst(fused.sort(byScore), text.trim())
  if (has('changelogs')) lowerOtherVersions(fused, text)
  const hasLowerApi = has('api') && !isNamedSymbol(text)
  if (hasLowerApi) lowerApi(fused, text)
  await lowerLists(fused.sort(byScore).slice(0, readForLists))
  if (asksForExample(text)) await lowerWithoutCode(fused.sort(byScore).slice(0, readForCode), text)
  const isOne = collections.length === 1
  const page = ({ collection, url }: Candidate) =>
    isOne ? url : `${collection.open.generation.id}/${url}`
  const { evidence, repeated } = weights
  addPageEvidence(fused.sort(byScore), {
    page,
    share: (it) => (has('evidence') ? evidence * pageShare(it.url, it.collection.guideShare) : 0),
  })
  spreadPages(fused.sort(byScore), {
    page,
    factor: (it) =>
      has('repeats') ? mixed(pageShare(it.url, it.collection.guideShare), repeated, 1) : 1,
  })
  const weighed = weighLanguages(weighLibraries(fused)).sort(byScore)
  if (hasLowerApi) keepBestApiPage(weighed, weights.apiGuides)
  await preferFullAnswers(weighed.sort(byScore), text)
  const ranked = weighed.sort(byScore)
  return has('exact') ? rankNamesFirst(collections, ranked, { text, limit, names }) : ranked
}

/** Ignores tiers, which no candidate has before `rankNamesFirst`. */
function byScore(a: Candidate, b: Candidate): number {
  return b.score - a.score
}

/** Lowers the scores of release notes, upgrade notes, older majors and inner modules. */
function lowerOtherVersions(fused: readonly Candidate[], text: string): void {
  const wantsChanges = asksForChanges(text)
  const wantsUpgrade = asksForUpgrade(text)
  for (const candidate of fused) {
    const { collection, url } = candidate
    const { path, major, isInner } = collection.facts.get(url)!
    const isNews = !wantsChanges && isChangelogPage(candidate)
    const isOld = major !== null && isOlderMajor(major, { version: collection.entry.version, text })
    candidate.why.changelog = isNews ? weights.changelog : 1
    candidate.why.version =
      (!wantsUpgrade && !isNews && isUpgradePage(path) ? weights.changelog : 1) *
      (isOld ? weights.oldMajor : 1) *
      (isInner ? mixed(collection.guideShare, 1, weights.innerModule) : 1)
    candidate.score *= candidate.why.changelog * candidate.why.version
  }
}

function isOlderMajor(
  major: number,
  { version, text }: { version: string; text: string },
): boolean {
  const current = parseRelease(version)?.numbers[0] ?? 0
  return major < current && !new RegExp(`\\bv?${major}\\b`, 'i').test(text)
}

/**
 * Moves candidates that contain the query's punctuation to the top. Punctuation such as `=>` is not
 * an index term, so the text itself is checked.
 */
async function withSignsFirst(ranked: Candidate[], signs: string): Promise<Candidate[]> {
  const best = ranked.slice(0, weights.depth)
  const chunks = await readChunks(best)
  const isHolder = new Set(best.filter((_, i) => chunks[i]!.row.content.includes(signs)))
  return [...isHolder, ...ranked.filter((it) => !isHolder.has(it))]
}

function isNamedSymbol(text: string): boolean {
  const name = exactName(text)
  return name !== null && !isPlainWord(name)
}

/** Lowers the scores of the API reference: strongly for tasks and slightly for facts. */
function lowerApi(fused: readonly Candidate[], text: string): void {
  const weight = asksForFact(text) ? weights.apiFact : weights.apiTask
  for (const candidate of fused) {
    if (!isApiPagePath(candidate.url)) continue
    candidate.why.api = mixed(candidate.collection.guideShare, weight, 1)
    candidate.score *= candidate.why.api
  }
}

const readForLists = 20

/**
 * Lowers the scores of feature lists and tables of contents, which answer nothing. In a library
 * with many guides, they are useful because they link to a guide.
 */
async function lowerLists(candidates: readonly Candidate[]): Promise<void> {
  const guides = candidates.filter(
    ({ url, collection }) => collection.guideShare < 1 && !isApiPagePath(url),
  )
  const chunks = await readChunks(guides)
  chunks.forEach(({ row }, i) => {
    if (!isListOfTitles(row.content)) return
    const { why, collection } = guides[i]!
    why.list = mixed(collection.guideShare, 1, weights.list)
    guides[i]!.score *= why.list
  })
}

/** A query with one of these words may be about an error, so that its class is the answer. */
const failureWords = new RegExp(
  String.raw`\b(?:rais(?:es?|ed|ing)|thr(?:ows?|own|owing)|fail\w*|catch\w*|abort\w*|invalid)\b` +
    String.raw`|error|exception|warning`,
  'i',
)

/**
 * Reorders the best passages of a library without guides, which have similar scores. Prefers
 * passages whose text or heading contains more query terms, longer passages, and symbols over a
 * README or a module's list of names. Expects `ranked` with the best first, and changes its scores
 * in place.
 */
async function preferFullAnswers(ranked: readonly Candidate[], text: string): Promise<void> {
  const { passages, usualLength, ofTerms, ofName, ofLength } = weights.fullness
  const { ofOverview, ofType, ofHidden, ofAside, ofFailure, ofComputed } = weights.fullness
  const wantsFailure = failureWords.test(text)
  const groups = Map.groupBy(ranked, ({ collection }) => collection)
  for (const [{ guideShare, open }, mine] of groups) {
    if (guideShare === 1) continue
    const best = mine.slice(0, passages)
    const [chunks, pages] = await Promise.all([readChunks(best), open.pageIndex()])
    const weight = (term: string) => pages?.rarity(term) ?? 1
    const names = chunks.map(({ row }) => row.heading.split(' > ').at(-1) || row.title)
    const texts = chunks.map(
      ({ row }) => `${row.title}\n${row.heading}\n${row.content.replace(listedMembers, '')}`,
    )
    const inTexts = coveredShares(text, texts, weight)
    const inNames = coveredShares(text, names, weight)
    const highest = best[0]!.score
    chunks.forEach(({ row }, i) => {
      const { why, url } = best[i]!
      const isSymbol = isApiPagePath(url) && !isListOfNames(row)
      const { size, ...traits } = traitsOf(row.content)
      const length = Math.log(size / usualLength)
      const isAside = traits.isBare && best[i]!.collection.facts.get(url)!.isInner
      const gain =
        ofTerms * inTexts.shares[i]! +
        ofName * inNames.shares[i]! +
        ofLength * length +
        (isSymbol ? 0 : ofOverview) +
        (isSymbol && traits.isType ? ofType : 0) +
        (isSymbol && traits.isHidden ? ofHidden : 0) +
        (isSymbol && isAside ? ofAside : 0) +
        (isSymbol && traits.isFailure && !wantsFailure ? ofFailure : 0) +
        (isSymbol && traits.isComputed ? ofComputed : 0)
      why.fullness = (1 - guideShare) * highest * gain
      best[i]!.score += why.fullness
    })
    preferMainModule(best, { names, text })
  }
}

/** A symbol of a main module with at least this share of a namesake's score ranks before it. */
const namesakeShare = 0.6

/**
 * Ranks a symbol of a main module, such as `lib.Registry.add`, before its namesake `lib.flask.add`
 * of a side module that the query does not mention. Exchanges their scores.
 */
function preferMainModule(
  best: readonly Candidate[],
  { names, text }: { names: readonly string[]; text: string },
): void {
  const isInner = ({ url, collection }: Candidate) => collection.facts.get(url)!.isInner
  const lower = text.toLowerCase()
  best.forEach((side, i) => {
    const parts = names[i]!.toLowerCase().split(/[./]/)
    if (!isInner(side) || parts.slice(1, -1).some((part) => lower.includes(part))) return
    const main = best.find(
      (it, k) =>
        isApiPagePath(it.url) &&
        !isInner(it) &&
        it.score < side.score &&
        it.score > side.score * namesakeShare &&
        names[k]!.toLowerCase().split(/[./]/).at(-1) === parts.at(-1),
    )
    if (main === undefined) return
    const gap = side.score - main.score
    main.score += gap
    main.why.fullness += gap
    side.score -= gap
    side.why.fullness -= gap
  })
}

const readForCode = 40

/** Matches the start or the end of a code block in Markdown or reStructuredText. */
const codeSign = new RegExp(
  String.raw`^[ \t]*(?:\x60{3}|~{3}|>>> |\.\. (?:code|sourcecode|test(?:code|setup))\b)` +
    String.raw`|::[ \t]*$|^[ \t]*\n(?: {4}|\t)[ \t]*\S`,
  'm',
)

/** Lowers passages without code, or without code in the language that the query names. */
async function lowerWithoutCode(candidates: readonly Candidate[], text: string): Promise<void> {
  const chunks = await readChunks(candidates)
  const languages = askedLanguages(text)
  chunks.forEach(({ row: { content } }, i) => {
    if (languages.size > 0 ? isInLanguage(content, languages) : codeSign.test(content)) return
    candidates[i]!.why.example = weights.example
    candidates[i]!.score *= weights.example
  })
}

function weighLibraries(fused: Candidate[]): Candidate[] {
  for (const candidate of fused) {
    candidate.why.library = candidate.collection.gain
    candidate.score *= candidate.why.library
  }
  return fused
}

function weighLanguages(fused: Candidate[]): Candidate[] {
  for (const candidate of fused) {
    candidate.why.language = candidate.collection.languageWeight(candidate.url)
    candidate.score *= candidate.why.language
  }
  return fused
}

type Explained = { score: number; why: { evidence: number; repeated: number } }
type PageOf<Chunk> = (chunk: Chunk) => string

/**
 * Rewards pages with several good chunks: the best chunk of each page gains a share of the scores
 * of the page's next two chunks. Expects `ranked` with the best first, and changes its scores in
 * place.
 */
export function addPageEvidence<Chunk extends Explained>(
  ranked: readonly Chunk[],
  { page, share }: { page: PageOf<Chunk>; share: (chunk: Chunk) => number },
): void {
  for (const [best, ...others] of byPage(ranked, page)) {
    for (const { score } of others.slice(0, 2)) {
      best!.why.evidence += share(best!) * Math.max(0, score)
    }
    best!.score += best!.why.evidence
  }
}

/**
 * Spreads the hits over several pages by multiplying the score of each further chunk of a page by
 * `factor`. Expects `ranked` with the best first, and changes its scores in place.
 */
export function spreadPages<Chunk extends Explained>(
  ranked: readonly Chunk[],
  { page, factor }: { page: PageOf<Chunk>; factor: (chunk: Chunk) => number },
): void {
  for (const chunks of byPage(ranked, page)) {
    chunks.forEach((chunk, i) => {
      if (i === 0 || chunk.score <= 0) return
      chunk.why.repeated = factor(chunk) ** i
      chunk.score *= chunk.why.repeated
    })
  }
}

function byPage<Chunk>(ranked: readonly Chunk[], page: PageOf<Chunk>): Iterable<Chunk[]> {
  return Map.groupBy(ranked, page).values()
}
