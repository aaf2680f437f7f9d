import { z } from 'zod'

const writeFields = {
  write_id: z.string().optional().describe('what `og memory undo` takes'),
  warning: z.string().optional(),
}

const write = z.looseObject({
  file: z.string(),
  mode: z.enum(['append', 'replace_text', 'replace_lines', 'delete']),
  tier: z.string().optional(),
  timestamp: z.string().optional(),
  chars_written: z.int().optional(),
  deduplicated: z.boolean().optional().describe('true if the entry existed already'),
  conflicts: z
    .array(z.looseObject({ entry_id: z.string(), file: z.string(), text: z.string() }))
    .optional()
    .describe('entries that say nearly the same with another value: correct or supersede them'),
  entry_id: z.string().optional(),
  replaced: z.boolean().optional(),
  replaced_lines: z.string().optional(),
  replaced_preview: z.string().optional(),
  deleted_lines: z.string().optional(),
  chars_delta: z.int().optional(),
  relations_deleted: z.array(z.string()).optional(),
  ...writeFields,
})

const compact = z.looseObject({
  tier: z.string(),
  chars_written: z.int(),
  backup: z.string().describe('name of the backup that holds what was there'),
  ...writeFields,
})

const triple = { subject: z.string(), predicate: z.string(), object: z.string() }

const relate = z.looseObject({
  relation: z.looseObject({ ...triple, note: z.string(), confidence: z.number() }),
  deduplicated: z.boolean().optional(),
  duplicate_of: z.string().optional(),
  superseded: z.array(z.looseObject(triple)).optional(),
  contradicts: z.array(z.looseObject(triple)).optional().describe('relations that still hold'),
  line: z.string(),
  ...writeFields,
})

const relation = z.looseObject({
  id: z.string(),
  ...triple,
  note: z.string(),
  date: z.string().nullable(),
  confidence: z.number(),
  source: z.string().nullable(),
  since: z.string().nullable(),
  until: z.string().nullable(),
  is_past: z.boolean(),
  line: z.int(),
})

const hit = z.looseObject({
  entry_id: z.string().describe('what `corrects` of memory_write takes'),
  path: z.string().describe('what `file` takes'),
  source: z.string().optional(),
  start_line: z.int(),
  end_line: z.int(),
  date: z.string().nullable().optional(),
  tags: z.array(z.string()).optional(),
  text: z.string(),
  content: z.string().optional(),
  snippet: z.string().nullable().optional(),
  score: z.number(),
  vector_score: z.number().optional(),
  text_score: z.number().optional(),
  confidence: z.enum(['high', 'weak']).describe('weak: only the nearest, perhaps unrelated'),
  relation_context: z.array(z.string()).optional(),
})

/** Upstream's tool returns either search hits or a file. */
const read = z.looseObject({
  query: z.string().optional(),
  source: z.string().nullable().optional(),
  count: z.int().optional(),
  confidence: z.enum(['high', 'weak']).optional().describe('weak: no hit is clearly about this'),
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
})

const list = z.looseObject({
  files: z.array(z.object({ file: z.string(), line_count: z.int(), size: z.int() })).optional(),
  daily_files: z.array(z.string()).optional(),
  count: z.int().optional(),
  file: z.string().optional(),
  line_count: z.int().optional(),
  size: z.int().optional(),
  preview: z.array(z.string()).optional(),
})

const bootstrap = z.looseObject({ content: z.string(), chars: z.int() })

const sync = z.looseObject({ added: z.int(), updated: z.int(), deleted: z.int(), skipped: z.int() })

const pastWrite = z.looseObject({
  id: z.string(),
  at: z.string(),
  op: z.string(),
  file: z.string(),
  undone: z.boolean(),
})

const undo = z.looseObject({ undone: z.string(), file: z.string(), write_id: z.string() })

const inboxNote = z.looseObject({
  id: z.string(),
  kind: z.string(),
  to: z.string(),
  text: z.string(),
  client: z.string(),
  session: z.string(),
  turn: z.int(),
  at: z.string(),
})

const decided = z.looseObject({
  accepted: z.array(z.looseObject({ id: z.string(), file: z.string() })),
  dropped: z.array(z.string()),
  left: z.int(),
})

const backup = z.looseObject({ name: z.string(), files: z.int() })

/** Output schemas of the memory operations. The command line does not load this file. */
export const memorySchemas = {
  write,
  compact,
  relate,
  relation,
  read,
  list,
  bootstrap,
  sync,
  pastWrite,
  undo,
  backup,
  inboxNote,
  decided,
}
