import { z } from 'zod'
import { get, type PageAnswer } from '../../operation/get.ts'
import { noteSentence } from '../../operation/note.ts'
import type { Answer } from '../../operation/operation.ts'
import { splitVersion } from '../../version/version-in-name.ts'
import { operationArguments } from '../operation-input.ts'
import { readsOnly } from '../tool.ts'
import { structuredField, tool } from './docs-tool.ts'
import { missingFields, findMissing } from './missing.ts'
import { escapeUrl, escapeInline } from './quote.ts'
import { renderOutline, renderPage } from './render.ts'

const args = operationArguments(get.input, {
  version: { isRequired: true },
  library: { name: 'library_name' },
})

export const fullContent = tool({
  name: 'get_full_content_tool',
  aliases: ['get_full_content'],
  title: 'Read a page',
  description:
    'Read the exact text of a documentation page that search_documents_tool named, whole or in ' +
    'part. Use it when a passage is cut off or its surroundings matter. Long pages come in ' +
    'parts, the first with an outline: call again with the cursor of the answer and the other ' +
    'arguments unchanged, with the lines of a heading, or with #anchor behind the address.',
  input: args.schema.extend({ structured: structuredField }),
  isTextFirst: true,
  output: z.looseObject({
    found: z.boolean(),
    url: z.string().optional(),
    start_line: z.int().optional(),
    end_line: z.int().optional(),
    total_lines: z.int().optional(),
    next_cursor: z.string().optional(),
    nearest: z.array(z.string()).optional(),
  }),
  annotations: readsOnly,
  async run(context, values) {
    const input = args.input(values)
    const unmet = await findMissing(context, splitVersion(input))
    if (unmet !== null)
      return { text: unmet.message, structured: { found: false, ...missingFields(unmet) } }
    const reading = { og: context.og, project: context.project, maxTokens: 4_000, renderOutline }
    const answer = await get.run(reading, input)
    const { value, notes } = answer
    if (value.part === null) {
      const message = missingPageText(value, input)
      return { text: message, structured: { ...get.json(answer), message } }
    }
    return {
      text: renderPage(value.page, { ...value.part, outline: value.outline }),
      ...(notes.length > 0 && {
        note: notes.map((it) => noteSentence(it, escapeInline)).join('\n'),
      }),
      structured: structuredOf(answer, values.structured === 'full'),
    }
  },
})

/** The JSON of the page; its text only if it is asked for, since the text content has it. */
function structuredOf(answer: Answer<PageAnswer>, isFull: boolean) {
  const json = get.json(answer)
  if (isFull || !json.found) return json
  const { text: _, ...places } = json
  return places
}

type Absent = Extract<PageAnswer, { part: null }>

/** Upstream's sentence for a missing page, followed by the nearest URLs. */
function missingPageText(
  { page, nearest }: Absent,
  { url, version }: { url: string; version: string | null },
): string {
  const first =
    page === null
      ? `No content found for URL: ${escapeUrl(url)} (version: ${escapeInline(version ?? '')})`
      : `No heading "${escapeInline(page.anchor!)}" in ${escapeUrl(page.url)}`
  if (nearest.length > 0) return `${first}\nNearest: ${nearest.map(escapeUrl).join(' ')}`
  return page === null ? `${first}\nAddresses are those that search_documents_tool names.` : first
}
