import { loadConfig } from '../../../config/load.ts'
import { sourcesPlaces } from '../../../config/paths.ts'
import { nothingIndexedError } from '../../../version/unknown-version.ts'
import { sourceNames } from '../../../library/sources/source-list.ts'
import { isPartial, lackingSentences, notesOf, type Answer } from '../../../operation/note.ts'
import {
  emptySearch,
  search,
  type SearchContext,
  type SearchInput,
  type SearchValue,
  type HitLayout,
} from '../../../operation/search.ts'
import { OgError } from '../../../platform/error.ts'
import { jsonText } from '../../../platform/json.ts'
import { command, option } from '../../command.ts'
import type { Context } from '../../context.ts'
import { explanationJson, renderExplanation } from '../../answer/explanation.ts'
import { showHits, type HitScreen } from '../../answer/hit-screen.ts'
import { printNotes } from '../../answer/notes.ts'
import { fieldOptions, scopeOptionForms } from '../../operation-options.ts'
import { sectionLine } from '../../../mcp/docs/quote.ts'
import { toHitView } from '../../screen/hit-view.ts'
import { hitScreenOptions, selectScreen } from '../../screen/screen-options.ts'
import type { Screen } from '../../terminal.ts'
import { projectPins } from '../../project-version.ts'
import type { Hit } from '../../../library/library.ts'
import { type Doubt, weakSentence, confidenceOf } from '../../../library/search/doubt.ts'
import {
  hitLayout,
  renderHits as renderForAgent,
  renderHitsAsUpstream,
  upstreamLayout,
} from '../../../mcp/docs/render.ts'

const fields = fieldOptions(search.input, {
  ...scopeOptionForms,
  limit: { name: 'top-k', short: 'k', defaultText: 'query.top_k, which is 5' },
  max_tokens: {},
  context: { defaultText: '0' },
  strict: {},
})

export const query = command({
  name: 'query',
  summary: search.summary,
  positionals: {
    text: {
      doc: 'what to search for; several quoted questions are separate; "-" reads them from stdin',
      variadic: true,
    },
  },
  options: {
    ...fields.options,
    explain: option.flag('explain the rank of each hit and the query'),
    json: option.flag('print one JSON object; for several questions, an array of objects'),
    jsonl: option.flag('print one line of JSON per query'),
    ...hitScreenOptions,
  },
  async run(context, { text, explain, json, jsonl, ...typed }) {
    const isStdin = text.length === 1 && text[0] === '-'
    checkForm({ isStdin, isEmpty: text.join('').trim() === '', json })
    const queries = questionsIn(text)
    const topK = typed['top-k']
    const config = await loadConfig(context.env, { 'query.top_k': topK })
    await using og = await context.openOg(config)
    const input = fields.input(typed)
    const project = await projectPins(context, input.version)
    const places = sourcesPlaces(context.env, config.sources.filePath)
    const isText = !json && !jsonl
    const screen = isText ? selectScreen(context.terminal, typed.format) : null
    const isWhole = !isText || screen !== null || typed.full
    const layout = pipeLayouts[config.mcp.answerShape]
    const searching: SearchContext = {
      og,
      project: async () => project,
      knownSources: () => sourceNames(places),
      limit: isText && queries.length > 1 ? (topK ?? hitsOfSeveral) : config.query.topK,
      layout: isWhole ? { ...layout, sizes: undefined } : layout,
    }
    const ask = (query: string) => answerTo(searching, { ...input, query })
    const form: Form = {
      format: jsonl ? 'jsonl' : json ? 'json' : 'text',
      explain,
      layout,
      screen: screen && {
        ...screen,
        isFull: typed.full,
        isAll: topK !== null,
        isPaged: !isStdin && queries.length === 1 && !typed['no-pager'],
      },
    }
    if (isStdin) return await answerLines(context, form, ask)
    return await printAnswers(context, form, await Promise.all(queries.map(ask)))
  },
})

/**
 * If most arguments contain spaces, the caller quoted them, and each is a question. Otherwise, all
 * arguments are words of one question.
 */
export function questionsIn(words: readonly string[]): string[] {
  const quoted = words.filter((word) => /\S\s+\S/.test(word))
  return quoted.length * 2 > words.length ? [...new Set(words)] : [words.join(' ')]
}

type Form = {
  format: 'text' | 'json' | 'jsonl'
  explain: boolean
  layout: PipeLayout
  screen: (Screen & Pick<HitScreen, 'isFull' | 'isAll' | 'isPaged'>) | null
}

function checkForm(typed: { isStdin: boolean; isEmpty: boolean; json: boolean }): void {
  if (typed.isEmpty) throw new OgError('Cannot search: TEXT is empty')
  if (!typed.isStdin || !typed.json) return
  throw new OgError('Cannot use --json for queries from stdin', { hint: 'use --jsonl' })
}

/** Answers an empty line with no hits, so that each input line has an answer. */
async function answerTo(context: SearchContext, input: SearchInput): Promise<SearchOutcome> {
  if (input.query.trim() === '') return emptySearch(input)
  const outcome = await search.run(context, input)
  if (outcome.value.searched.length === 0) throw nothingIndexedError()
  return outcome
}

/** Answers each line before reading the next one, because a program may wait for the answer. */
async function answerLines(
  context: Context,
  form: Form,
  ask: (line: string) => Promise<SearchOutcome>,
): Promise<number> {
  let code = 0
  let isFirst = true
  for await (const line of context.terminal.lines()) {
    if (form.format === 'text' && !isFirst) await context.terminal.write('\n')
    code = Math.max(code, await printAnswers(context, form, [await ask(line)]))
    isFirst = false
  }
  return code
}

type SearchOutcome = Answer<SearchValue>

/** Number of hits with text if there are several questions. Further hits are only named. */
const hitsOfSeveral = 1

/** Prints the answers. If there are several, prints each one below its question. */
async function printAnswers(
  { terminal }: Context,
  { format, explain, layout, screen }: Form,
  outcomes: readonly SearchOutcome[],
): Promise<number> {
  const isOne = outcomes.length === 1
  const notes = outcomes.flatMap((outcome) => outcome.notes)
  if (format === 'text') {
    printNotes(terminal, notes)
    const first = outcomes.findIndex(({ value }) => value.hits.length > 0)
    for (const [i, outcome] of outcomes.entries()) {
      const { value } = outcome
      const why = explain ? renderExplanation(value) : ''
      const heading = isOne ? '' : sectionLine(value.query)
      if (i > 0) await terminal.write('\n')
      if (screen !== null) await showAnswer({ terminal }, screen, { ...outcome, heading, why })
      else await terminal.write(heading + layout.render(value, { isFurther: i > first }) + why)
    }
  } else {
    // Notes are printed with JSON too, because many readers look only at the hits.
    const kinds = ['not-asked', 'damaged', 'degraded'] as const
    printNotes(
      terminal,
      kinds.flatMap((kind) => notesOf(notes, kind)),
    )
    const objects = outcomes.map((outcome) => ({
      ...search.json(outcome),
      ...(explain && { explain: explanationJson(outcome.value) }),
    }))
    const texts =
      format === 'json'
        ? [jsonText(isOne ? objects[0] : objects)]
        : objects.map((it) => jsonText(it, 0))
    await terminal.write(texts.join(''))
  }
  return outcomes.every(({ value }) => value.hits.length > 0) && !isPartial(notes) ? 0 : 1
}

async function showAnswer(
  { terminal }: Pick<Context, 'terminal'>,
  screen: NonNullable<Form['screen']>,
  { value, notes, heading, why }: SearchOutcome & { heading: string; why: string },
): Promise<void> {
  const { query, hits, doubt, english } = value
  const printed = notes.filter(({ kind }) => kind !== 'weak' && kind !== 'lacking-name')
  await showHits(
    { terminal },
    { ...screen, rows: screen.rows - printed.length },
    {
      query: english ?? query,
      hits: hits.map(toHitView),
      above: [
        ...(heading === '' ? [] : [heading.trimEnd()]),
        ...lackingSentences(value),
        ...(hits.length === 0 ? ['Found no matches.'] : []),
        ...(doubt !== null && hits.length > 0 ? [weakSentence] : []),
      ],
      below: [...doubtLines(doubt, hits), ...(why === '' ? [] : why.trimEnd().split('\n'))],
      ...screen,
    },
  )
}

/** The layout of hits in a pipe: for agents, or as in upstream. */
type PipeLayout = HitLayout & {
  /** `isFurther` is true if an earlier answer already explains how to read the hits. */
  render(value: SearchValue, place?: { isFurther: boolean }): string
}

/** The command that reads a hit's page. Its argument is the `[NAME]` of the hit. */
const reader = {
  one: (library: string) => `og get NAME -l ${library} reads on: NAME is in brackets`,
  several: 'og get NAME -l LIBRARY reads on: NAME is in brackets, LIBRARY before it',
}

export const pipeLayouts: Record<'og' | 'openground', PipeLayout> = {
  og: {
    ...hitLayout,
    render: (value, { isFurther } = { isFurther: false }) =>
      renderAround(value, (hits, frame) =>
        renderForAgent(hits, { ...frame, reader: isFurther ? null : reader }),
      ),
  },
  openground: { ...upstreamLayout, render: (value) => renderAround(value, renderHitsAsUpstream) },
}

/** Renders the hits, with notes about missing names above and search suggestions below. */
function renderAround(value: SearchValue, render: typeof renderHitsAsUpstream): string {
  const { hits, doubt } = value
  const lines = (some: readonly string[]) => some.map((line) => `${line}\n`).join('')
  // stderr reports the number of omitted hits.
  const body = render(hits, { omitted: 0, confidence: confidenceOf(value), further: value.further })
  return lines(lackingSentences(value)) + body + lines(doubtLines(doubt, hits))
}

/** Suggests where else to search. If hits are withheld, also explains why and how to show them. */
function doubtLines(doubt: Doubt | null, hits: readonly Hit[]): string[] {
  if (doubt === null) return []
  const { suggest } = doubt
  const lines = suggest.map(({ library, version, command }) =>
    version === null
      ? `${library} is not indexed. To add it: ${command}`
      : `Perhaps in ${library} ${version}: ${command}`,
  )
  return [...(hits.length > 0 ? [] : withheldLines(doubt)), ...lines]
}

function withheldLines({ reason, nearest }: Doubt): string[] {
  if (nearest.length === 0) return []
  return [
    `${reason[0]!.toUpperCase()}${reason.slice(1)}. Without --strict, the nearest are shown.`,
    'Nearest headings:',
    ...nearest.map(
      ({ library, version, title, heading, url }) =>
        `  ${heading || title || url} (${library} ${version}, ${url})`,
    ),
  ]
}
