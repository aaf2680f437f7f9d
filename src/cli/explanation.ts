import type { NearestOf } from '../library/search.ts'
import type { Why } from '../search/rank.ts'
import type { Answer } from './hits.ts'

export type Explained = Answer & { nearest: NearestOf[] }

/** Which library versions were asked, by what engine, and what every hit's score is made of. */
export function renderExplanation(answer: Explained): string {
  const asked = answer.nearest.map((one) => {
    const { library, version, engine } = one
    const best = [
      one.cosine === null ? [] : [`cosine ${one.cosine.toFixed(3)}`],
      one.fullText === null ? [] : [`BM25 ${one.fullText.toFixed(1)}`],
    ].flat()
    return `Asked ${library} ${version} (${ruleOf(answer, one)}): ` +
      `best ${best.join(', ') || 'nothing'}; ${engine ?? 'no embeddings, by its words alone'}.`
  })
  const hits = answer.hits.flatMap(({ rank, url, score, why }) => [
    `${rank}. ${url}, score ${score.toFixed(4)}`,
    ...whyLines(why).map((line) => `   ${line}`),
  ])
  return ['', ...asked, ...hits].map((line) => `${line}\n`).join('')
}

/** The same for programs. */
export function explanationJson(answer: Explained) {
  return {
    asked: answer.nearest.map((one) => ({
      library: one.library,
      version: one.version,
      version_by: ruleOf(answer, one),
      engine: one.engine,
      best_cosine: one.cosine,
      best_full_text: one.fullText,
    })),
    hits: answer.hits.map(({ rank, url, why }) => ({ rank, url, why: whyJson(why) })),
  }
}

/** Who chose the version. */
function ruleOf({ version, versionsFrom }: Answer, { library }: NearestOf): string {
  if (version !== null) return `"${version}" was asked for`
  const from = versionsFrom.find((one) => one.library === library)
  return from ? `${from.file} names ${from.package} ${from.named}` : 'the default version'
}

/** What a score is made of, one part a line; what adds nothing is not named. */
export function whyLines(why: Why): string[] {
  const { fullText, vector, name, wordless, changelog, evidence, repeated, language } = why
  const ofPage = (score: number | null | undefined, digits: number) =>
    score == null ? '' : `, its page ${score.toFixed(digits)}`
  return [
    fullText === null
      ? '       full text: not found'
      : `${points(fullText.points)} full text: rank ${fullText.rank}, ` +
        `BM25 ${fullText.score.toFixed(1)}${ofPage(fullText.pageScore, 1)}`,
    vector === null
      ? '       vectors: not found'
      : `${points(vector.points)} vectors: rank ${vector.rank}, ` +
        `cosine ${vector.cosine.toFixed(3)}${ofPage(vector.pageCosine, 3)}`,
    ...(name > 0 ? [`${points(name)} the page has the name that is asked`] : []),
    ...(wordless < 1 ? [`${factor(wordless)} it has no word of the name that is asked`] : []),
    ...(changelog < 1 ? [`${factor(changelog)} a change log, which was not asked for`] : []),
    ...(evidence > 0 ? [`${points(evidence)} other passages of the page`] : []),
    ...(repeated < 1 ? [`${factor(repeated)} after better passages of its page`] : []),
    ...(language < 1 ? [`${factor(language)} in another language than the query`] : []),
    ...why.merged.map((lines) => `       shown with it: lines ${lines}`),
    ...why.copies.map((url) => `       not shown: a near-copy in ${url}`),
  ]
}

/** The same for programs. */
export function whyJson({ fullText, vector, ...why }: Why) {
  return {
    full_text: fullText && {
      rank: fullText.rank,
      score: fullText.score,
      page_score: fullText.pageScore,
      points: fullText.points,
    },
    vector: vector && {
      rank: vector.rank,
      cosine: vector.cosine,
      page_cosine: vector.pageCosine,
      points: vector.points,
    },
    name: why.name,
    wordless: why.wordless,
    changelog: why.changelog,
    evidence: why.evidence,
    repeated: why.repeated,
    language: why.language,
    merged: why.merged,
    copies: why.copies,
  }
}

function points(value: number): string {
  return `${value < 0 ? '-' : '+'} ${Math.abs(value).toFixed(2)}`.padEnd(6)
}

function factor(value: number): string {
  return `× ${value.toFixed(2)}`.padEnd(6)
}
