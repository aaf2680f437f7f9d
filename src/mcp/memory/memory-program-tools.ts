import { z } from 'zod'
import { memoryTool, type MemoryTool } from './memory-tool.ts'
import { readsOnly } from '../tool.ts'

const status = z.literal('ok')
const adds = {
  readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false,
}

const memorySync = memoryTool({
  name: 'memory_sync',
  title: 'Sync memory',
  description: 'Take over into the index what was edited by hand; `force` reads every file anew.',
  input: z.strictObject({ force: z.boolean().optional().describe('read every file') }),
  output: z.looseObject({ status, added: z.int(), updated: z.int(), deleted: z.int() }),
  annotations: adds,
  run: async ({ memory }, options) => (await memory.session()).sync(options),
})

const name = (what: string) => z.string().optional().describe(what)

const memoryRelations = memoryTool({
  name: 'memory_relations',
  title: 'Relations in memory',
  description: 'What is related to what, now or on a day; names are compared without case.',
  input: z.strictObject({
    entity: name('subject or object'),
    subject: name('subject'),
    predicate: name('predicate'),
    object: name('object'),
    as_of: name('what was true on this day, YYYY-MM-DD'),
    past: z.boolean().optional().describe('also what is no longer true'),
  }),
  output: z.looseObject({ status, relations: z.array(z.looseObject({ id: z.string() })) }),
  annotations: readsOnly,
  async run({ memory }, { as_of: asOf, ...query }) {
    const list = await (await memory.session()).relations({ ...query, asOf })
    const relations = list.map(({ isPast, line, firstLine: _, ...relation }) =>
      ({ ...relation, is_past: isPast, line }))
    return { relations }
  },
})

const memoryHistory = memoryTool({
  name: 'memory_history',
  title: 'History of memory',
  description: 'What was written into memory, newest first, with the ids that memory_undo takes.',
  input: z.strictObject({
    file: z.string().optional().describe('only this file'),
    limit: z.int().min(1).max(1_000).optional().describe('at most so many; 20 unless set'),
  }),
  output: z.looseObject({ status, entries: z.array(z.looseObject({ id: z.string() })) }),
  annotations: readsOnly,
  async run({ memory }, options) {
    const session = await memory.session()
    return { entries: await session.history(options) }
  },
})

const memoryUndo = memoryTool({
  name: 'memory_undo',
  title: 'Undo a write into memory',
  description: 'Take back a write by its `write_id`, or the last one; an undo can be undone too.',
  input: z.strictObject({ id: z.string().optional().describe('`write_id` of the write') }),
  output: z.looseObject({ status, undone: z.string(), file: z.string(), write_id: z.string() }),
  annotations: { ...adds, destructiveHint: true, idempotentHint: false },
  run: async ({ memory }, options) => (await memory.session()).undo(options),
})

const memoryBackup = memoryTool({
  name: 'memory_backup',
  title: 'Back up memory',
  description: 'Put the Markdown files of memory, as they are at one moment, into an archive.',
  input: z.strictObject({}),
  output: z.looseObject({ status, name: z.string(), files: z.int() }),
  annotations: { ...adds, idempotentHint: false },
  async run({ memory }) {
    const { name, files } = await (await memory.session()).backup()
    return { name, files }
  },
})

/** Tools for programs, not for agents: they are answered when called and never listed. */
export const programTools: readonly MemoryTool[] = [
  memorySync, memoryRelations, memoryHistory, memoryUndo, memoryBackup,
]
