import { z } from 'zod'
import { weakSentence } from '../../library/search/sureness.ts'
import { noteSentence, notesOf, type Note } from '../../operation/note.ts'
import type { Answer } from '../../operation/operation.ts'
import {
  emptySearch,
  scopeOf,
  search,
  type HitLayout,
  type SearchValue,
} from '../../operation/search.ts'
import { searchSchema } from '../../operation/search-schema.ts'
import { tokensOf } from '../../platform/tokens.ts'
import { operationArguments } from '../operation-input.ts'
import { readsOnly } from '../tool.ts'
import { tool } from './docs-tool.ts'
import { missingFields, findMissing } from './missing.ts'
import { escapeInline } from './quote.ts'
import { renderSuggestions, renderWithheld } from './render-doubt.ts'
import { renderHit, renderHits } from './render.ts'
import { pageLink } from './resource-uri.ts'

const args = operationArguments(search.input, {
  library: { name: 'library_name' },
  limit: { max: 50 },
  max_tokens: { min: 200 },
})

export const searchDocuments = tool({
  name: 'search_documents_tool',
  aliases: ['search_documents'],
  title: 'Search documentation',
  description:
    'Search the documentation of libraries that is indexed on this machine, by meaning and by ' +
    'exact words, and get the best passages with their sources. Use it before you answer from ' +
    'memory about an API, option, error message or behaviour of an indexed library. Ask a full ' +
    'question, or name the identifier. Name library_name, and version where the project pins one.',
  input: args.schema,
  output: searchSchema.extend({
    matches: z.int().describe('number of hits'),
    versions_from: z.array(z.unknown()).optional().describe('former key of version-chosen notes'),
    not_indexed: z.array(z.unknown()).optional().describe('former key of not-indexed notes'),
    broken: z.array(z.unknown()).optional().describe('former key of damaged notes'),
    incomplete: z.array(z.unknown()).optional().describe('former key of incomplete notes'),
    message: z.string().optional().describe('why nothing could be asked'),
    reason: z.string().optional().describe('why the answer is weak'),
    nearest: z.array(z.string()).optional(),
    suggest: z
      .array(z.object({ library: z.string(), version: z.string().nullable(), command: z.string() }))
      .optional()
      .describe('libraries that may know; one without a version is not indexed'),
    add_command: z.string().optional().describe('a command that would add what is missing'),
  }),
  annotations: readsOnly,
  async run(context, values) {
    const input = args.input(values)
    const scope = scopeOf(input)
    const unmet = await findMissing(context, scope)
    if (unmet !== null) {
      const structured = { ...structuredOf(emptySearch(input)), ...missingFields(unmet) }
      return { text: unmet.message, structured }
    }
    const outcome = await search.run({ ...context, layout }, input)
    const {
      value: { hits, doubt },
      notes,
    } = outcome
    const isWithheld = doubt !== null && hits.length === 0
    const links = isWithheld
      ? []
      : hits.map(({ markup, ...hit }) => pageLink({ ...hit, path: hit.path || hit.url, markup }))
    const lines = notes
      .filter(({ kind }) => kind !== 'weak' && kind !== 'omitted')
      .map((note) => noteSentence(note, escapeInline))
    return {
      text: isWithheld
        ? renderWithheld(doubt)
        : renderHits(hits, { omitted: omittedOf(notes), isWeak: doubt !== null }) +
          renderSuggestions(doubt?.suggest ?? []),
      ...(lines.length > 0 && { note: lines.join('\n') }),
      structured: structuredOf(outcome),
      links: [...new Map(links.map((link) => [link.uri, link])).values()],
    }
  },
})

/** Tokens of the text before and after the hits. */
const frame = tokensOf('Found 00 matches.\n00 more did not fit into max_tokens.\n')

const layout: HitLayout = {
  hit: renderHit,
  frameTokens: (doubt) =>
    doubt === null ? frame : frame + tokensOf(weakSentence + renderSuggestions(doubt.suggest)),
}

function omittedOf(notes: readonly Note[]): number {
  return notesOf(notes, 'omitted').reduce((sum, { hits }) => sum + hits, 0)
}

/** The JSON of a search, plus the keys of earlier releases of this tool (see CHANGELOG.md). */
function structuredOf(outcome: Answer<SearchValue>) {
  const { version_from, nearest, not_asked: _, ...json } = search.json(outcome)
  const headings = nearest?.map(({ heading, title, url }) => `${heading || title} (${url})`)
  return {
    matches: json.hits.length,
    ...json,
    ...(version_from.length > 0 && { versions_from: version_from }),
    ...(headings && { nearest: headings }),
  }
}
