import { field } from '../field.ts'
import type { AuditEdit, Finding } from '../../memory/audit/audit.ts'
import type { PatchResult } from '../../memory/audit/audit-patch.ts'
import type { SyncResult } from '../../memory/index/sync.ts'
import type { OpenMemory } from '../../memory/session.ts'
import type { HistoryEntry, UndoResult } from '../../memory/write/history.ts'
import { resultJson, withWarning, type Answer } from '../note.ts'
import { withoutNulls, operation } from '../operation.ts'
import type { Decided } from '../../memory/capture/capture.ts'
import type { InboxNote } from '../../memory/capture/inbox.ts'
import { OgError } from '../../platform/error.ts'

export const syncMemory = operation({
  name: 'memory sync',
  summary: 'read all files of the memory again and embed missing entries',
  input: { force: field.flag('read every file again') },
  async run(memory: OpenMemory, input): Promise<Answer<SyncResult>> {
    return { value: await memory.sync(input), notes: [] }
  },
  json: resultJson<SyncResult>,
})

export const listWrites = operation({
  name: 'memory history',
  summary: 'list the writes, newest first',
  input: {
    file: field.text('only this file'),
    limit: field.whole('at most N writes', { min: 1, max: 1_000_000 }),
    text: field.text('only writes that added or removed this text'),
  },
  async run(memory: OpenMemory, input): Promise<Answer<HistoryEntry[]>> {
    return { value: await memory.history(withoutNulls(input)), notes: [] }
  },
  json: ({ value }) => value,
})

export const undoWrite = operation({
  name: 'memory undo',
  summary: 'undo a write (default: the newest)',
  input: { id: field.text('`write_id` of the write') },
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

export const listInbox = operation({
  name: 'memory inbox',
  summary: 'list captured notes that wait for a decision, or decide about them',
  input: {},
  async run(memory: OpenMemory): Promise<Answer<InboxNote[]>> {
    return { value: await memory.inbox(), notes: [] }
  },
  json: ({ value }) => value,
})

export const decideInbox = operation({
  name: 'memory inbox decide',
  summary: 'accept, drop, edit or merge captured notes',
  input: {
    action: field.text('accept: write the notes into memory; merge: join them in the first one', {
      required: true,
      choices: ['accept', 'drop', 'edit', 'merge'],
    }),
    ids: field.texts('ids of the notes'),
    all: field.flag('all notes; for accept and drop'),
    text: field.text('the new text, for edit and merge'),
  },
  async run(memory: OpenMemory, { action, ids, all, text }): Promise<Answer<Decided>> {
    const notes = await memory.inbox()
    const chosen = all ? notes.map(({ id }) => id) : ids.map((id) => noteNamed(notes, id))
    const [first] = chosen
    if (first === undefined && all) {
      return { value: { accepted: [], dropped: [], left: 0 }, notes: [] }
    }
    if (first === undefined) {
      throw new OgError(`Cannot ${action}: no note is given`, { hint: 'give ids, or use --all' })
    }
    if (action === 'accept' || action === 'drop') {
      return { value: await memory.decide({ action, ids: chosen }), notes: [] }
    }
    if (all) throw new OgError(`Cannot ${action} all notes at once: give their ids`)
    if (action === 'merge') {
      if (chosen.length < 2) throw new OgError('Cannot merge one note: give two or more')
      return { value: await memory.decide({ action, ids: chosen, text }), notes: [] }
    }
    if (text === null || chosen.length !== 1) {
      throw new OgError('Cannot edit: give one note and its new text')
    }
    return { value: await memory.decide({ action: 'edit', ids: [first], text }), notes: [] }
  },
  json: resultJson<Decided>,
})

function noteNamed(notes: readonly InboxNote[], idStart: string): string {
  const matches = notes.filter(({ id }) => idStart !== '' && id.startsWith(idStart))
  if (matches.length === 1) return matches[0]!.id
  const why = matches.length === 0 ? 'there is no note' : 'there are several notes'
  throw new OgError(`Cannot decide about "${idStart}": ${why} with this id in the inbox`, {
    hint: '"og memory inbox" lists them',
  })
}
