import type { Hit } from '../../library/library.ts'
import { matchedParts, type PageFilter } from '../../search/scope/page-filter.ts'
import type { SearchedVersion } from '../../library/search/search.ts'
import type { ScoreParts } from '../../search/candidate.ts'
import { explainScore } from '../../mcp/docs/render-why.ts'
import { snakeKeys } from '../../platform/json.ts'
import { formatCount } from '../../platform/text/count.ts'
import type { SearchValue } from '../../operation/search.ts'

export function renderExplanation(answer: SearchValue): string {
  const hits = answer.hits.flatMap((hit) => [
    `${hit.rank}. ${hit.url}, ${hit.library} ${hit.version}, score ${hit.score.toFixed(4)}`,
    ...[...explainScore(hit.why), ...metLines(hit, answer.filter), ...sameLines(hit)].map(
      (line) => `   ${line}`,
    ),
  ])
  const lines = answer.searched.flatMap((one) => searchedLines(one, answer))
  const near = Object.entries(nearOf(answer)).map(
    ([term, others]) => `"${term}" is on no page: ${others.join(', ')} was searched too.`,
  )
  const english = answer.english == null ? [] : [`Asked in English words: "${answer.english}".`]
  return ['', ...lines, ...english, ...near, ...hits].map((line) => `${line}\n`).join('')
}

export function explanationJson({ filter, ...answer }: SearchValue) {
  return {
    filter: {
      path: filter.paths ?? [],
      language: filter.languages ?? [],
      kind: filter.kinds ?? [],
    },
    asked: answer.searched.map((one) => {
      const nearest = nearestIn(one, answer)
      return {
        library: one.library,
        version: one.version,
        version_by: one.versionBy,
        pages: one.pages,
        pages_passing: one.passing,
        pages_searched: one.searched,
        engine: nearest?.engine ?? null,
        best_cosine: nearest?.cosine ?? null,
        best_full_text: nearest?.fullText ?? null,
      }
    }),
    in_english: answer.english ?? null,
    near_terms: nearOf(answer),
    hits: answer.hits.map((hit) => {
      const { paths, language, kind } = matchedParts(hit, filter)
      const { rank, library, version, url, why } = hit
      const met = { path: paths, language, kind }
      return { rank, library, version, url, met, why: whyJson(why) }
    }),
  }
}

/** Maps each query term that no page contains to the similar terms that og searched instead. */
function nearOf({ nearest }: Pick<SearchValue, 'nearest'>): Record<string, string[]> {
  const pairs = nearest.flatMap(({ near }) => [...near])
  return Object.fromEntries(pairs.map(([term, others]) => [term, others.map((it) => it.term)]))
}

function nearestIn(
  { library, version }: SearchedVersion,
  { nearest }: Pick<SearchValue, 'nearest'>,
) {
  return nearest.find((one) => one.library === library && one.version === version)
}

function searchedLines(one: SearchedVersion, { nearest, filter }: SearchValue): string[] {
  const { library, version, versionBy, pages, passing, searched } = one
  const { cosine = null, fullText = null, engine = null } = nearestIn(one, { nearest }) ?? {}
  const best = [
    cosine === null ? [] : [`cosine ${cosine.toFixed(3)}`],
    fullText === null ? [] : [`BM25 ${fullText.toFixed(1)}`],
  ].flat()
  const typed = filterText(filter)
  return [
    `Asked ${library} ${version} (${versionBy}): ` +
      `best ${best.join(', ') || 'nothing'}; ${engine ?? 'no embeddings, full text only'}.`,
    ...(typed === '' ? [] : [`  ${passing} of ${formatCount(pages, 'page')} matched ${typed}.`]),
    ...(searched === passing
      ? []
      : [
          `  ${formatCount(passing - searched, 'page')} left out: ` +
            'in a different language than the query.',
        ]),
  ]
}

function filterText({ paths = [], languages = [], kinds = [] }: PageFilter): string {
  return [
    ...paths.map((path) => `--path "${path}"`),
    ...languages.map((language) => `--language ${language}`),
    ...kinds.map((kind) => `--kind ${kind}`),
  ].join(' ')
}

function metLines(hit: Hit, filter: PageFilter): string[] {
  const { paths, language, kind } = matchedParts(hit, filter)
  const met = [
    ...(paths.length > 0 ? [`path ${hit.path} (${paths.join(', ')})`] : []),
    ...(language === null
      ? []
      : [`language ${language}${hit.language === null ? ', because it states none' : ''}`]),
    ...(kind === null ? [] : [`kind ${kind}`]),
  ]
  return met.length > 0 ? [`       matched by ${met.join('; ')}`] : []
}

function sameLines({ version, versions }: Hit): string[] {
  const others = versions.filter((other) => other !== version)
  return others.length > 0 ? [`       the same in ${others.join(', ')}, shown once`] : []
}

export function whyJson({ fullText, vector, nameMatch, ...why }: ScoreParts) {
  const { form, place, isFrequent = false } = nameMatch ?? {}
  return {
    full_text: fullText && snakeKeys(fullText),
    vector: vector && snakeKeys(vector),
    named: nameMatch && { form, place, is_frequent: isFrequent },
    ...snakeKeys(why),
  }
}
