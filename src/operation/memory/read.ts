import { field } from '../field.ts'
import type { ListResult, ReadResult } from '../../memory/read.ts'
import type { SearchResult } from '../../memory/session-search.ts'
import type { BootstrapText, OpenMemory } from '../../memory/session.ts'
import type { FileEntry } from '../../memory/memory-files.ts'
import { resultJson, type Answer } from '../note.ts'
import { withoutNulls, operation } from '../operation.ts'

/** Upstream's text for an empty memory. */
export const emptyMemoryText =
  '(No memory context yet. Use memory_write to start building your memory.)'

const file = field.text(
  'MEMORY.md, USER.md, AGENTS.md, RELATIONS.md, daily/YYYY-MM-DD.md, a custom file, or ' +
    "daily (reads today's log, searches all logs)",
  { maxLength: 1_000 },
)
export const line = { type: 'whole', min: 1, max: 1_000_000_000 } as const
export const day = { type: 'text', maxLength: 10 } as const

export const readMemory = operation({
  name: 'memory read',
  summary: 'print a file of the memory, or some of its lines',
  input: {
    file: { ...file, required: true },
    start_line: { ...line, doc: 'first line to read, from 1' },
    end_line: { ...line, doc: 'last line to read' },
  },
  async run(memory: OpenMemory, input): Promise<Answer<ReadResult>> {
    return { value: await memory.read(withoutNulls(input)), notes: [] }
  },
  json: resultJson<ReadResult>,
})

export const recallMemory = operation({
  name: 'memory search',
  summary: 'search the memory by words and meaning',
  input: {
    query: field.text('a question, or words to search for', { maxLength: 20_000, required: true }),
    file,
    top_k: field.whole('at most N hits (default: 6)', { min: 1, max: 20 }),
    tags: field.texts('only entries with all of these tags'),
    any_tags: field.texts('only entries with one of these tags'),
    since: { ...day, doc: 'only entries written since this day, YYYY-MM-DD' },
    until: { ...day, doc: 'only entries written until this day' },
    as_of: { ...day, doc: 'only entries valid on this day (default: today)' },
    offset: field.whole('skip N hits: `next_offset` of the previous answer', {
      min: 0,
      max: 1_000_000_000,
    }),
    max_tokens: field.whole('hits of at most N tokens of four characters', {
      min: 1,
      max: 1_000_000_000,
    }),
    mode: field.text('how to search (default: hybrid)', {
      choices: ['hybrid', 'full-text', 'vector'],
    }),
  },
  async run(memory: OpenMemory, { mode, ...input }): Promise<Answer<SearchResult>> {
    const value = await memory.recall({ ...withoutNulls(input), mode: mode ?? 'hybrid' })
    return { value, notes: value.warnings.map((reason) => ({ kind: 'degraded', reason })) }
  },
  /** `warnings` is the old name of `notes`. */
  json: resultJson<SearchResult>,
})

export const listMemory = operation({
  name: 'memory list',
  summary: 'list the files of the memory, or the workspaces of the root',
  input: {
    target: field.text('list to return (default: files)', { suggested: ['files', 'daily'] }),
    file: field.text('return the first lines of this file instead', { maxLength: 1_000 }),
  },
  async run(memory: OpenMemory, input): Promise<Answer<ListResult>> {
    return { value: await memory.list(withoutNulls(input)), notes: [] }
  },
  json: resultJson<ListResult>,
})

export const listEntries = operation({
  name: 'memory entries',
  summary: 'list the entries of all tiers, in the order of the files',
  input: { file: field.text('only the entries of this file', { maxLength: 1_000 }) },
  async run(memory: OpenMemory, { file }): Promise<Answer<FileEntry[]>> {
    const entries = await memory.entries()
    return { value: entries.filter((one) => file === null || one.file === file), notes: [] }
  },
  json: ({ value }) =>
    value.map(({ id, startLine, endLine, ...entry }) => ({
      entry_id: id,
      start_line: startLine,
      end_line: endLine,
      ...entry,
    })),
})

type BootstrapContext = { memory: OpenMemory; toolUsage?: string }

export const bootstrapMemory = operation({
  name: 'memory bootstrap',
  summary: "print the text for the start of an agent's session",
  input: {
    task: field.text('topic of the session; relevant entries are added', { maxLength: 20_000 }),
  },
  async run({ memory, ...usage }: BootstrapContext, input): Promise<Answer<BootstrapText>> {
    return { value: await memory.bootstrap({ ...usage, ...withoutNulls(input) }), notes: [] }
  },
  json: resultJson<BootstrapText>,
})
