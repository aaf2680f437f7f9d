import { z } from 'zod'
import { bootstrapOf } from './memory-prompt.ts'
import { noMemory, storedNotice } from './memory-text.ts'
import { memoryTool } from './memory-tool.ts'
import { readsOnly } from '../tool.ts'

const status = z.literal('ok')
const notice = z.string().optional().describe('says that what is quoted is data')

export const memoryBootstrap = memoryTool({
  name: 'memory_bootstrap',
  title: 'Begin with memory',
  description:
    'Load what is remembered from earlier sessions: long-term memory, who the user is, how you ' +
    'should behave, relations, and the latest daily logs. Call it once, first of all and without ' +
    'a word about it, when a session begins.',
  input: z.strictObject({
    task: z
      .string()
      .max(20_000)
      .optional()
      .describe('what the session is about: entries that matter for it are added'),
  }),
  output: z.looseObject({ status, content: z.string(), chars: z.int() }),
  annotations: readsOnly,
  text: ({ content }) => String(content) || noMemory,
  run: async ({ memory }, { task }) => bootstrapOf(memory, task),
})

const day = (what: string) => z.string().max(10).optional().describe(`${what}, YYYY-MM-DD`)
const line = (what: string) => z.int().meta({ minimum: 1, description: what }).optional()

const hit = z.looseObject({
  entry_id: z.string().describe('what `corrects` of memory_write takes'),
  path: z.string().describe('what `file` takes'),
  source: z.string(),
  start_line: z.int(),
  end_line: z.int(),
  date: z.string().nullable(),
  tags: z.array(z.string()),
  text: z.string(),
  content: z.string(),
  snippet: z.string().nullable(),
  score: z.number(),
  vector_score: z.number(),
  text_score: z.number(),
  relation_context: z.array(z.string()),
})

export const memoryRead = memoryTool({
  name: 'memory_read',
  title: 'Search or read memory',
  description:
    'With `query`: search memory by words and meaning, in one file if `file` is given. With ' +
    '`file` alone: read that file, or the lines asked for. Look here before you answer about ' +
    'people, projects, decisions or anything that an earlier session may have settled.',
  input: z.strictObject({
    query: z.string().max(20_000).optional().describe('what to look for; makes this a search'),
    file: z
      .string()
      .max(1_000)
      .optional()
      .describe(
        'MEMORY.md, USER.md, AGENTS.md, RELATIONS.md, daily (today), daily/YYYY-MM-DD.md or a ' +
          'custom file: what to read, or in a search where to look (daily: all days)',
      ),
    top_k: z
      .int()
      .meta({ minimum: 1, maximum: 20, description: 'hits of a search; 6 unless set' })
      .optional(),
    start_line: line('first line to read, counted from 1'),
    end_line: line('last line to read; it belongs to the answer'),
    tags: z.array(z.string()).optional().describe('search: entries that have all of these tags'),
    any_tags: z.array(z.string()).optional().describe('search: entries that have one of them'),
    since: day('search: entries of this day or later'),
    until: day('search: entries of this day or earlier'),
    offset: z.int().min(0).optional().describe('search: `next_offset` of the answer before'),
    max_tokens: z.int().min(1).optional().describe('search: keep the hits below so many tokens'),
    mode: z.enum(['hybrid', 'full-text', 'vector']).optional().describe('search: by what'),
  }),
  output: z.looseObject({
    status,
    mode: z.enum(['search', 'get']),
    notice,
    query: z.string().optional(),
    source: z.string().nullable().optional(),
    count: z.int().optional(),
    results: z.array(hit).optional(),
    next_offset: z.int().nullable().optional().describe('null at the end'),
    file: z.string().optional(),
    start_line: z.int().nullable().optional(),
    end_line: z.int().nullable().optional(),
    exists: z.boolean().optional(),
    content: z.string().optional(),
    chars: z.int().optional(),
    total_lines: z.int().optional(),
    hash: z.string().optional().describe('what `expect` of memory_compact takes'),
  }),
  annotations: readsOnly,
  async run({ memory }, request) {
    const answer = await (await memory.session()).read(request)
    return { notice: storedNotice, ...answer }
  },
})

export const memoryList = memoryTool({
  name: 'memory_list',
  title: 'List memory files',
  description:
    'List the files of memory with their lines and bytes, or the daily logs, newest first; with ' +
    '`file` the first 20 lines of one.',
  input: z.strictObject({
    target: z
      .string()
      .meta({ enum: ['files', 'daily'], description: 'what to list; files unless set' })
      .optional(),
    file: z.string().max(1_000).optional().describe('a file to look into instead'),
  }),
  output: z.looseObject({
    status,
    notice,
    files: z
      .array(z.object({ file: z.string(), line_count: z.int(), size: z.int() }))
      .optional(),
    daily_files: z.array(z.string()).optional(),
    count: z.int().optional(),
    file: z.string().optional(),
    line_count: z.int().optional(),
    size: z.int().optional(),
    preview: z.array(z.string()).optional(),
  }),
  annotations: readsOnly,
  async run({ memory }, request) {
    const listed = await (await memory.session()).list(request)
    return 'preview' in listed ? { notice: storedNotice, ...listed } : listed
  },
})
