import type { OpenMemory } from '../../memory/session.ts'
import type { CompactResult } from '../../memory/write/compact.ts'
import type { RemovedEntry } from '../../memory/write/remove-entry.ts'
import type { WriteResult } from '../../memory/write/write.ts'
import { resultJson, withWarning } from '../note.ts'
import { withoutNulls, operation, type Answer } from '../operation.ts'

const day = { type: 'text', maxLength: 10 } as const
const line = { type: 'whole', min: 1, max: 1_000_000_000 } as const

export const writeMemory = operation({
  name: 'memory write',
  summary: 'add an entry to the memory, or change its text',
  input: {
    file: {
      type: 'text',
      maxLength: 1_000,
      blank: true,
      doc: 'MEMORY.md, USER.md, AGENTS.md, daily or a custom file; RELATIONS.md is edited only',
    },
    content: {
      type: 'text',
      blank: true,
      doc: 'the entry, or the replacement; "" deletes the lines or the `search` text',
    },
    search: { type: 'text', blank: true, doc: 'exact text to replace, at its first occurrence' },
    start_line: { ...line, doc: 'first line to replace, from 1; needs end_line' },
    end_line: { ...line, doc: 'last line to replace' },
    tags: { type: 'texts', doc: 'tags of the entry, without #' },
    expect: { type: 'text', doc: 'current text of the lines, as a check' },
    corrects: {
      type: 'text',
      doc: '`entry_id` of the entry to correct; with content "" it is retired',
    },
    supersedes: {
      type: 'text',
      doc: '`entry_id` of an entry that this one replaces from its first day on',
    },
    valid_from: { ...day, doc: 'first day of validity, YYYY-MM-DD' },
    until: { ...day, doc: 'first day after its validity' },
    for: { type: 'text', maxLength: 10, doc: 'duration of validity: 30d, 2w, 6m, 1y' },
  },
  async run(memory: OpenMemory, input): Promise<Answer<WriteResult>> {
    return withWarning(await memory.write(withoutNulls(input)))
  },
  json: resultJson<WriteResult>,
})

/** Deletes an entry, even from an append-only file. Available to people but not to agents. */
export const deleteEntry = operation({
  name: 'memory delete',
  summary: 'delete an entry; undo restores it',
  input: {
    file: { type: 'text', required: true, doc: 'the file of the entry' },
    id: { type: 'text', required: true, doc: '`entry_id` of the entry' },
  },
  async run(memory: OpenMemory, input): Promise<Answer<RemovedEntry>> {
    return withWarning(await memory.removeEntry(input))
  },
  json: resultJson<RemovedEntry>,
})

export const compactMemory = operation({
  name: 'memory compact',
  summary: 'replace a whole tier by a shorter text',
  input: {
    tier: {
      type: 'text',
      required: true,
      blank: true,
      suggested: ['MEMORY.md', 'USER.md', 'AGENTS.md'],
      doc: 'the file to replace',
    },
    content: { type: 'text', required: true, blank: true, doc: 'the new text of the whole file' },
    expect: {
      type: 'text',
      doc: '`hash` of the file when it was read; if the file changed, nothing is replaced',
    },
  },
  async run(memory: OpenMemory, input): Promise<Answer<CompactResult>> {
    return withWarning(await memory.compact(withoutNulls(input)))
  },
  json: resultJson<CompactResult>,
})
