import type { AuditEdit, Finding } from '../../memory/audit/audit.ts'
import type { PatchResult } from '../../memory/audit/audit-patch.ts'
import type { SyncResult } from '../../memory/index/sync.ts'
import type { OpenMemory } from '../../memory/session.ts'
import type { HistoryEntry, UndoResult } from '../../memory/write/history.ts'
import { resultJson, withWarning } from '../note.ts'
import { withoutNulls, operation, type Answer } from '../operation.ts'

export const syncMemory = operation({
  name: 'memory sync',
  summary: 'read all files of the memory again and embed missing entries',
  input: { force: { type: 'switch', doc: 'read every file again' } },
  async run(memory: OpenMemory, input): Promise<Answer<SyncResult>> {
    return { value: await memory.sync(input), notes: [] }
  },
  json: resultJson<SyncResult>,
})

export const listWrites = operation({
  name: 'memory history',
  summary: 'list the writes, newest first',
  input: {
    file: { type: 'text', doc: 'only this file' },
    limit: { type: 'whole', min: 1, max: 1_000_000, doc: 'at most N writes' },
    text: { type: 'text', doc: 'only writes that added or removed this text' },
  },
  async run(memory: OpenMemory, input): Promise<Answer<HistoryEntry[]>> {
    return { value: await memory.history(withoutNulls(input)), notes: [] }
  },
  json: ({ value }) => value,
})

export const undoWrite = operation({
  name: 'memory undo',
  summary: 'undo a write (default: the newest)',
  input: { id: { type: 'text', doc: '`write_id` of the write' } },
  async run(memory: OpenMemory, input): Promise<Answer<UndoResult>> {
    return withWarning(await memory.undo(withoutNulls(input)))
  },
  json: resultJson<UndoResult>,
})

export const auditMemory = operation({
  name: 'memory audit',
  summary: 'find problems in the memory',
  input: {},
  async run(memory: OpenMemory): Promise<Answer<Finding[]>> {
    return { value: await memory.audit(), notes: [] }
  },
  json: ({ value }) => value,
})

/** The memory to mend, and the edits that a person accepted. */
type MendContext = { memory: OpenMemory; edits: readonly AuditEdit[] }

export const applyAudit = operation({
  name: 'memory audit --accept',
  summary: 'apply edits that fix findings of an audit',
  input: {},
  async run({ memory, edits }: MendContext): Promise<Answer<PatchResult>> {
    return withWarning(await memory.applyEdits(edits))
  },
  json: resultJson<PatchResult>,
})
