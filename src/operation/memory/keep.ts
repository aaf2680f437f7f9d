import type { Finding } from '../../memory/audit/audit.ts'
import type { SyncResult } from '../../memory/index/sync.ts'
import type { OpenMemory } from '../../memory/session.ts'
import type { HistoryEntry, UndoResult } from '../../memory/write/history.ts'
import { resultJson, withWarning } from '../note.ts'
import { given, operation, type Answer } from '../operation.ts'

/** Takes edits by hand over into the index. */
export const syncMemory = operation({
  name: 'memory sync',
  summary: 'read all files of the memory anew, and embed what is not embedded',
  input: { force: { type: 'switch', doc: 'read every file' } },
  async run(memory: OpenMemory, input): Promise<Answer<SyncResult>> {
    return { value: await memory.sync(input), notes: [] }
  },
  json: resultJson<SyncResult>,
})

/** Lists writes, newest first. */
export const listWrites = operation({
  name: 'memory history',
  summary: 'list what was written, newest first',
  input: {
    file: { type: 'text', doc: 'only this file' },
    limit: { type: 'whole', min: 1, max: 1_000_000, doc: 'at most N writes' },
  },
  async run(memory: OpenMemory, input): Promise<Answer<HistoryEntry[]>> {
    return { value: await memory.history(given(input)), notes: [] }
  },
  json: ({ value }) => value,
})

/** Takes a write back. */
export const undoWrite = operation({
  name: 'memory undo',
  summary: 'take a write back, the newest unless one is named',
  input: { id: { type: 'text', doc: '`write_id` of the write' } },
  async run(memory: OpenMemory, input): Promise<Answer<UndoResult>> {
    return withWarning(await memory.undo(given(input)))
  },
  json: resultJson<UndoResult>,
})

/** Looks for doubtful entries and relations; nothing is changed. */
export const auditMemory = operation({
  name: 'memory audit',
  summary: 'look for what is doubtful in the memory',
  input: {},
  async run(memory: OpenMemory): Promise<Answer<Finding[]>> {
    return { value: await memory.audit(), notes: [] }
  },
  json: ({ value }) => value,
})
