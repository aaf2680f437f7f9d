import type { ScoreParts } from '../../search/candidate.ts'

/** Explains a score with one component per line. Omits components without effect. */
export function explainScore(why: ScoreParts): string[] {
  const { fullText, vector, nameMatch: match, changelog, evidence, repeated } = why
  const { api, example, library, language } = why
  const ofPage = (score: number | null | undefined, digits: number) =>
    score == null ? '' : `, its page ${score.toFixed(digits)}`
  const isFirst = match !== null && !match.isFrequent
  return [
    ...(isFirst ? [`first  it contains the name in the query (${nameMatchText(match)})`] : []),
    ...(why.rareName === null ? [] : [`       it contains ${why.rareName}`]),
    fullText === null
      ? '       full text: not found'
      : `${points(fullText.points)} full text: rank ${fullText.rank}, ` +
        `BM25 ${fullText.score.toFixed(1)}${ofPage(fullText.pageScore, 1)}`,
    vector === null
      ? '       vectors: not found'
      : `${points(vector.points)} vectors: rank ${vector.rank}, ` +
        `cosine ${vector.cosine.toFixed(3)}${ofPage(vector.pageCosine, 3)}`,
    ...(changelog < 1 ? [`${factor(changelog)} a change log, which was not asked for`] : []),
    ...(why.version < 1 ? [`${factor(why.version)} of another version or a side module`] : []),
    ...(why.list < 1 ? [`${factor(why.list)} a list without sentences or code`] : []),
    ...(api < 1 ? [`${factor(api)} the API reference, since the query is not a name`] : []),
    ...(example < 1 ? [`${factor(example)} without code, and the query asks for an example`] : []),
    ...(evidence > 0 ? [`${points(evidence)} other passages of the page`] : []),
    ...(why.fullness === 0
      ? []
      : [`${points(why.fullness)} terms, length and kind of the passage`]),
    ...(repeated < 1 ? [`${factor(repeated)} after better passages of its page`] : []),
    ...(library > 1 ? [`${factor(library)} the library is named, or the project's`] : []),
    ...(language < 1 ? [`${factor(language)} in a different language than the query`] : []),
    ...why.merged.map((lines) => `       shown with it: lines ${lines}`),
    ...why.copies.map((url) => `       not shown: a near-copy in ${url}`),
  ]
}

function nameMatchText({ form, place }: NonNullable<ScoreParts['nameMatch']>): string {
  const forms = {
    typed: 'as typed',
    core: 'as typed',
    spelling: 'in another spelling',
    words: 'by its words',
  }
  return `${forms[form]}, in ${
    {
      api: 'the definition of the name',
      mention: 'the API reference',
      title: 'the section about it',
      heading: 'a heading',
      definition: 'a definition',
      code: 'code',
      prose: 'its text',
      changelog: 'a change log',
    }[place]
  }`
}

function points(value: number): string {
  return `${value < 0 ? '-' : '+'} ${Math.abs(value).toFixed(2)}`.padEnd(6)
}

function factor(value: number): string {
  return `× ${value.toFixed(2)}`.padEnd(6)
}
