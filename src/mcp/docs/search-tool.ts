import { z } from 'zod'
import { type Doubt, confidenceOf } from '../../library/search/doubt.ts'
import {
  lackingSentences,
  noteSentence,
  notesOf,
  type Note,
  type Answer,
} from '../../operation/note.ts'
import { emptySearch, toScope, search, type SearchValue } from '../../operation/search.ts'
import type { Confidence } from '../../search/confidence.ts'
import { operationArguments, textsOf } from '../arguments.ts'
import { readOnlyAnnotations } from '../tool.ts'
import { structuredArgument, defineTool } from './docs-tool.ts'
import { missingFields, explainMissing } from './missing.ts'
import { escapeInline, escapeUrl, sectionLine } from './quote.ts'
import {
  hitLayout,
  renderHits,
  renderHitsAsUpstream,
  renderSuggestions,
  upstreamLayout,
} from './render.ts'

const args = operationArguments(search.input, {
  query: { isSeveral: true, doc: 'a question, or words to search for; an array asks several' },
  library: { name: 'library_name' },
  limit: { max: 50 },
  max_tokens: { min: 200 },
})

export const searchDocumentsTool = defineTool({
  name: 'search_documents_tool',
  aliases: ['search_documents'],
  title: 'Search documentation',
  description:
    'Find passages in the indexed documentation of libraries, by meaning and exact words. Use ' +
    'it before you answer from memory about an API, option, error message or behaviour of a ' +
    'library. Ask a full question, or give the exact identifier. Set library_name, and version ' +
    'if the project pins one.',
  input: args.schema.extend({ structured: structuredArgument }),
  programArguments: ['structured'],
  isTextFirst: true,
  output: z.looseObject({
    matches: z.int(),
    confidence: z
      .enum(['high', 'medium', 'weak'])
      .describe('medium: may not answer the query; weak: no passage is clearly about it'),
    hits: z.array(
      z.looseObject({
        library: z.string(),
        version: z.string(),
        name: z.string().describe('accepted as `url` by get_full_content_tool'),
        url: z.string(),
        start_line: z.int(),
        end_line: z.int(),
        score: z.number(),
      }),
    ),
    notes: z.array(z.looseObject({ message: z.string() })),
  }),
  annotations: readOnlyAnnotations,
  async run(context, values) {
    const input = args.input(values)
    const queries = textsOf(values['query'])
    const unmet = await explainMissing(context, toScope(input))
    if (unmet !== null) {
      const structured = { ...placesOf(emptySearch(input)), ...missingFields(unmet) }
      return { text: unmet.message, structured }
    }
    const isOne = queries.length === 1
    const isUpstream = context.answerShape === 'openground'
    const layout = isUpstream ? upstreamLayout : hitLayout
    const searching = { ...context, layout, limit: isOne ? context.limit : 1 }
    const outcomes = await Promise.all(
      queries.map((query) => search.run(searching, { ...input, query })),
    )
    const isFull = values.structured === 'full'
    const objects = outcomes.map((it) => (isFull ? structuredOf(it) : placesOf(it)))
    const first = outcomes.findIndex(({ value }) => value.hits.length > 0)
    const texts = outcomes.map((outcome, i) =>
      renderOutcome(outcome, isUpstream ? renderHitsAsUpstream : renderHits, i > first),
    )
    const sections = texts.map((text, i) => sectionLine(queries[i]!) + text)
    const notes = outcomes.flatMap((outcome) => outcome.notes)
    const lines = notes
      .filter(({ kind }) => kind !== 'weak' && kind !== 'omitted' && kind !== 'lacking-name')
      .map((note) => noteSentence(note, escapeInline))
    return {
      text: isOne ? texts[0]! : sections.join('\n'),
      ...(lines.length > 0 && { note: [...new Set(lines)].join('\n') }),
      structured: isOne ? objects[0]! : joinAnswers(objects),
    }
  },
})

function renderOutcome(
  { value, notes }: Answer<SearchValue>,
  render: typeof renderHits,
  isFurther: boolean,
): string {
  const { hits, doubt, further } = value
  const above = lackingSentences(value, escapeInline).map((line) => `${line}\n`)
  if (doubt !== null && hits.length === 0) return above.join('') + renderWithheld(doubt)
  const frame = { omitted: omittedOf(notes), further, confidence: confidenceOf(value) }
  const text = render(hits, isFurther ? { ...frame, reader: null } : frame)
  return above.join('') + text + renderSuggestions(doubt?.suggest ?? [])
}

/** Joins the answers to several queries into one object. Each hit contains its query. */
function joinAnswers(answers: readonly ReturnType<typeof structuredOf | typeof placesOf>[]) {
  const levels: Confidence[] = ['weak', 'medium', 'high']
  return {
    matches: answers.reduce((sum, { matches }) => sum + matches, 0),
    confidence: levels.find((level) => answers.some((it) => it.confidence === level))!,
    hits: answers.flatMap(({ query, hits }) => hits.map((hit) => ({ query, ...hit }))),
    notes: answers.flatMap(({ notes }) => notes),
  }
}

function omittedOf(notes: readonly Note[]): number {
  return notesOf(notes, 'omitted').reduce((sum, { hits }) => sum + hits, 0)
}

/** Returns the JSON of a search, with the number of hits and short names of nearest passages. */
function structuredOf(outcome: Answer<SearchValue>) {
  const { nearest, ...json } = search.json(outcome)
  const headings = nearest?.map(({ heading, title, url }) => `${heading || title} (${url})`)
  return { matches: json.hits.length, ...json, ...(headings && { nearest: headings }) }
}

/** Returns the JSON without passages, which are in the text. */
function placesOf(outcome: Answer<SearchValue>) {
  const json = structuredOf(outcome)
  return {
    ...json,
    passages: 'in the text content; with structured "full" here',
    hits: json.hits.map(({ text: _, chunk_id: _id, versions: _versions, ...place }) => place),
  }
}

/**
 * Renders the answer if `strict` withholds hits: the reason, how to show them, and where else to
 * search.
 */
export function renderWithheld({ reason, nearest, suggest }: Doubt): string {
  const headings = nearest.map(
    ({ library, version, heading, title, url }) =>
      `- ${escapeInline(heading || title)} ` +
      `(${escapeInline(library)} ${escapeInline(version)}, ${escapeUrl(url)})\n`,
  )
  const remedy = nearest.length > 0 ? ' Without strict, the nearest passages are shown.' : ''
  return (
    `Found 0 matches.\nThere is ${escapeInline(reason)}.${remedy}\n` +
    (headings.length > 0 ? `Nearest headings:\n${headings.join('')}` : '') +
    renderSuggestions(suggest)
  )
}
