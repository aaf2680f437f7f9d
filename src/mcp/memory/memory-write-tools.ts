import { z } from 'zod'
import { memoryTool } from './memory-tool.ts'

const status = z.literal('ok')
const writeId = z.string().optional().describe('what `og memory undo` takes')
const warning = z.string().optional()
const adds = { readOnlyHint: false, idempotentHint: false, openWorldHint: false }
const line = (what: string) => z.int().meta({ minimum: 1, description: what }).optional()

export const memoryWrite = memoryTool({
  name: 'memory_write',
  title: 'Write into memory',
  description:
    'Append an entry, replace a text or lines, or delete lines. Write down what a later session ' +
    'will need when you learn it: MEMORY.md for what still matters in months, USER.md for who ' +
    'the user is, AGENTS.md for how you should behave, daily for all else. MEMORY.md and daily ' +
    'logs only grow: correct an entry of theirs by `corrects`.',
  input: z.strictObject({
    file: z
      .string()
      .max(1_000)
      .describe('MEMORY.md, USER.md, AGENTS.md, daily, a custom file; to edit also RELATIONS.md'),
    content: z
      .string()
      .describe('the entry, or what replaces; "" with lines or `search` deletes them'),
    search: z.string().optional().describe('exact text of which the first occurrence is replaced'),
    start_line: line('first line to replace, counted from 1; with end_line'),
    end_line: line('last line to replace; it is replaced too'),
    tags: z.array(z.string()).optional().describe('tags of an appended entry, without #'),
    expect: z
      .string()
      .optional()
      .describe('what the lines hold now: where they hold something else nothing is changed'),
    corrects: z
      .string()
      .optional()
      .describe('`entry_id` of the entry that this one corrects; with `content` "" retires it'),
  }),
  // A blank `search` must not turn an edit into an append.
  blanks: ['search'],
  output: z.looseObject({
    status,
    file: z.string(),
    mode: z.enum(['append', 'replace_text', 'replace_lines', 'delete']),
    tier: z.string().optional(),
    timestamp: z.string().optional(),
    chars_written: z.int().optional(),
    deduplicated: z.boolean().optional().describe('it stood there already'),
    entry_id: z.string().optional(),
    replaced: z.boolean().optional(),
    replaced_lines: z.string().optional(),
    replaced_preview: z.string().optional(),
    deleted_lines: z.string().optional(),
    chars_delta: z.int().optional(),
    relations_deleted: z.array(z.string()).optional(),
    write_id: writeId,
    warning,
  }),
  annotations: { ...adds, destructiveHint: true },
  run: async ({ memory }, request) => (await memory.session()).write(request),
})

const triple = { subject: z.string(), predicate: z.string(), object: z.string() }

export const memoryRelate = memoryTool({
  name: 'memory_relate',
  title: 'Relate two things',
  description:
    'Record how two people, teams, systems or ideas are related, as subject, predicate and ' +
    'object. With `supersedes` what was known of the same subject and predicate becomes past.',
  input: z.strictObject({
    subject: z.string().describe('who or what'),
    predicate: z.string().describe('how it is related: "works at", "depends on"'),
    object: z.string().describe('to whom or what'),
    supersedes: z.boolean().optional().describe('it replaces what was true until now'),
    note: z.string().optional().describe('a sentence beside it'),
    source_file: z.string().optional().describe('where it is known from'),
    confidence: z
      .number()
      .meta({ minimum: 0, maximum: 1, description: 'how sure it is; 1 unless set' })
      .optional(),
    since: z.string().max(10).optional().describe('day from which it is true, YYYY-MM-DD'),
    until: z.string().max(10).optional().describe('day from which it is no longer true'),
  }),
  output: z.looseObject({
    status,
    relation: z.looseObject({ ...triple, note: z.string(), confidence: z.number() }),
    deduplicated: z.boolean().optional(),
    duplicate_of: z.string().optional(),
    superseded: z.array(z.looseObject(triple)).optional(),
    line: z.string(),
    write_id: writeId,
    warning,
  }),
  // A superseded relation stays in the file, as past.
  annotations: { ...adds, destructiveHint: false, idempotentHint: true },
  run: async ({ memory }, request) => (await memory.session()).relate(request),
})

export const memoryCompact = memoryTool({
  name: 'memory_compact',
  title: 'Compact a file of memory',
  description:
    'Replace a whole file of memory by a tighter text. Read it first with memory_read, keep ' +
    'every fact that matters and date headings such as "## 2026-04-08", and pass the `hash` of ' +
    'that answer as `expect`, so that nothing added meanwhile is lost. A backup is made first.',
  input: z.strictObject({
    tier: z.string().meta({
      enum: ['MEMORY.md', 'USER.md', 'AGENTS.md'],
      description: 'the file to replace',
    }),
    content: z.string().describe('its whole new text'),
    expect: z.string().optional().describe('`hash` of the file as it was read'),
  }),
  output: z.looseObject({
    status,
    tier: z.string(),
    chars_written: z.int(),
    backup: z.string().describe('name of the backup that holds what was there'),
    write_id: writeId,
    warning,
  }),
  annotations: { ...adds, destructiveHint: true },
  run: async ({ memory }, request) => (await memory.session()).compact(request),
})
