import { field } from './field.ts'
import type { Hit } from '../library/library.ts'
import { emptySearchAnswer, type SearchAnswer } from '../library/search/search.ts'
import { weakSentence } from '../library/search/doubt.ts'
import { toDamagedVersion } from '../library/entries.ts'
import type { RecalledContext } from '../memory/bootstrap/recalled-context.ts'
import type { OgView } from '../open.ts'
import { cutToTokens, estimateTokens } from '../platform/tokens.ts'
import { Damage } from '../store/integrity/damage.ts'
import type { ProjectPins } from '../version/project.ts'
import { nothingIndexedError } from '../version/unknown-version.ts'
import { requiredSide } from './diff.ts'
import { hitJson } from './hit.ts'
import { notesJson, notesOf, searchNotes, type Note, type Answer } from './note.ts'
import { operation } from './operation.ts'

/** Returns the memory entries that are relevant to a task, up to a number of tokens. */
type Recall = (task: string, maxTokens: number) => Promise<RecalledContext>

type TaskContext = {
  og: Pick<OgView, 'search'>
  project(): Promise<ProjectPins>
  /** Opens the memory during the search. Resolves to null if there is no memory. */
  openRecall(): Promise<Recall | null>
  /** Renders a hit as it will be printed, so that the budget counts the printed text. */
  renderHit(hit: Hit): string
}

/** The memory entries and documentation for a task, within one budget. */
export type TaskAnswer = {
  text: string
  /** Number of tokens in the text, at most the budget. */
  tokens: number
  memory: RecalledContext | null
  /** Hits whose text is in `text`, best first. */
  hits: Hit[]
  omitted: number
  /** True if the hits in at least one library clearly match the task. */
  isSure: boolean
  input: ContextInput
}

export const context = operation({
  name: 'context',
  summary: 'collect memory entries and documentation for a task, within a token budget',
  input: {
    task: field.text('the task', { maxLength: 20_000, required: true }),
    library: field.texts('search this library, or LIBRARY@VERSION'),
    max_tokens: field.whole('at most N tokens', { min: 200, max: 1_000_000 }),
    strict: field.flag('omit passages that do not clearly match TASK'),
  },
  async run(context: TaskContext, input): Promise<Answer<TaskAnswer>> {
    const sides = input.library.map((text) => requiredSide(text, 'search'))
    const searching = searchSides(context, sides, input)
    // Avoids an unhandled rejection. The `await` below throws the error.
    searching.catch(() => {})
    const recall = await context.openRecall()
    const answers = await searching
    const hasSearched = answers.some(({ searched, broken }) => searched.length + broken.length > 0)
    if (!hasSearched && recall === null) throw nothingIndexedError()
    const isSure = answers.some(({ doubt, hits }) => doubt === null && hits.length > 0)
    const hits = interleave(answers.map((answer) => answer.hits))
    const shared = await share(context, { hits, isSure, recall }, input)
    const libraries = new Set(shared.hits.map(({ library }) => library))
    const notes = withoutDuplicates(answers.flatMap((answer) => searchNotes(answer))).filter(
      (note) => note.kind !== 'version-default' || libraries.has(note.library),
    )
    const warnings = shared.memory?.warnings ?? []
    return {
      value: { ...shared, isSure, input },
      notes: [...notes, ...warnings.map((reason) => ({ kind: 'degraded', reason }) as const)],
    }
  },
  json: contextJson,
})

type ContextInput = {
  readonly task: string
  readonly library: readonly string[]
  readonly max_tokens: number | null
  readonly strict: boolean
}

const defaultMaxTokens = 4000

type Side = { library: string | null; version: string | null }

const limit = 20

async function searchSides(
  { og, project }: TaskContext,
  sides: readonly Side[],
  { task: query, strict: refuse }: ContextInput,
): Promise<SearchAnswer[]> {
  const all: readonly Side[] = sides.length > 0 ? sides : [{ library: null, version: null }]
  const request = { query, project: await project(), limit, judge: true, refuse }
  return Promise.all(all.map((side) => og.search({ ...side, ...request }).catch(damagedAnswer)))
}

/** Lists a damaged library in the answer, so that memory and other libraries still answer. */
function damagedAnswer(error: unknown): SearchAnswer {
  if (!(error instanceof Damage)) throw error
  return { ...emptySearchAnswer, broken: [toDamagedVersion(error)] }
}

function withoutDuplicates(notes: readonly Note[]): Note[] {
  return [...new Map(notes.map((note) => [JSON.stringify(note), note])).values()]
}

function interleave(lists: readonly (readonly Hit[])[]): Hit[] {
  const longest = Math.max(0, ...lists.map((list) => list.length))
  return Array.from({ length: longest }, (_, rank) =>
    lists.flatMap((list) => list[rank] ?? []),
  ).flat()
}

/** Share of the budget that is reserved for memory if it has enough entries. */
const memoryShare = 0.4

/** Returns whole memory entries, then hits. Each side may use the other's spare tokens. */
async function share(
  { renderHit }: TaskContext,
  { hits, isSure, recall }: { hits: readonly Hit[]; isSure: boolean; recall: Recall | null },
  { task, max_tokens }: ContextInput,
): Promise<Omit<TaskAnswer, 'isSure' | 'input'>> {
  const maxTokens = max_tokens ?? defaultMaxTokens
  const weak = isSure || hits.length === 0 ? '' : `${weakSentence}\n`
  const needed = hits.reduce(
    (sum, hit) => sum + estimateTokens(renderHit(hit)),
    estimateTokens(weak),
  )
  const granted = Math.max(Math.floor(maxTokens * memoryShare), maxTokens - needed)
  const memory = recall === null ? null : await recall(task, granted)
  const remembered = memory === null || memory.text === '' ? '' : `${memory.text}\n`
  const room = maxTokens - estimateTokens(remembered) - estimateTokens(weak)
  const blocks = selectFittingHits(hits, renderHit, room)
  const text = [remembered, blocks.length > 0 ? weak : '', ...blocks.map(({ block }) => block)]
    .filter((part) => part !== '')
    .join('\n')
  return {
    text,
    tokens: estimateTokens(text),
    memory,
    hits: blocks.map(({ hit }, i) => ({ ...hit, rank: i + 1 })),
    omitted: hits.length - blocks.length,
  }
}

type RenderedHit = { hit: Hit; block: string }

/** Returns the hits that fit. If none fits, cuts the best hit, unless too little remains. */
function selectFittingHits(
  hits: readonly Hit[],
  renderHit: (hit: Hit) => string,
  maxTokens: number,
): RenderedHit[] {
  const blocks: RenderedHit[] = []
  let left = maxTokens
  for (const hit of hits) {
    const block = renderHit(hit)
    // A line break separates two blocks, and each block may begin a token.
    const tokens = estimateTokens(block) + 1
    if (tokens > left) continue
    blocks.push({ hit, block })
    left -= tokens
  }
  const [first] = hits
  if (blocks.length > 0 || first === undefined) return blocks
  const room = maxTokens - estimateTokens(renderHit({ ...first, text: '' })) - 2
  const text = room < 40 ? '' : cutToTokens(first.text, room)
  const block = text === '' ? '' : renderHit({ ...first, text })
  return block === '' || estimateTokens(block) >= maxTokens ? [] : [{ hit: first, block }]
}

function contextJson({ value, notes }: Answer<TaskAnswer>) {
  const { input, text, tokens, memory, hits, omitted, isSure } = value
  const { task, strict, max_tokens } = input
  const doubts = notesOf(notes, 'weak').map(({ reason }) => reason)
  const aboutHits = notes.filter(({ kind }) => kind !== 'degraded')
  return {
    task,
    max_tokens: max_tokens ?? defaultMaxTokens,
    tokens,
    text,
    memory: memory && { entries: memory.nEntries, tokens: memory.tokens, is_cut: memory.isCut },
    documentation: {
      confidence: isSure && hits.length > 0 ? 'high' : 'weak',
      hits: hits.map(hitJson),
      omitted,
      notes: notesJson(aboutHits),
      weak: strict ? [] : doubts,
      refused: strict ? doubts : [],
    },
    warnings: notesOf(notes, 'degraded').map(({ reason }) => reason),
  }
}
