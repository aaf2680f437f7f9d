import type { OpenMemory } from '../../memory/session.ts'
import type { CompactResult } from '../../memory/write/compact.ts'
import type { RemovedEntry } from '../../memory/write/edit.ts'
import type { WriteResult } from '../../memory/write/write.ts'
import { resultJson, withWarning } from '../note.ts'
import { withoutNulls, operation, type Answer } from '../operation.ts'
import type { RelateResult, RemoveResult } from '../../memory/relation/relate.ts'
import type { Path } from '../../memory/relation/relation-query.ts'
import type { Relation } from '../../memory/relation/relation.ts'

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

const until = { ...day, doc: 'day on which it ended' } as const

export const recordRelation = operation({
  name: 'memory relate',
  summary: 'record a relation between two things, or end it',
  input: {
    subject: { type: 'text', required: true, blank: true, doc: 'person or thing, such as Ann' },
    predicate: { type: 'text', required: true, blank: true, doc: 'such as "works at"' },
    object: { type: 'text', required: true, blank: true, doc: 'person or thing' },
    supersedes: { type: 'switch', doc: 'end other relations of this subject and predicate' },
    note: { type: 'text', doc: 'one sentence' },
    source_file: { type: 'text', doc: 'source of the information' },
    confidence: { type: 'number', min: 0, max: 1, doc: '0 to 1 (default: 1)' },
    since: { ...day, doc: 'day on which it began, YYYY-MM-DD' },
    until,
  },
  async run(memory: OpenMemory, input): Promise<Answer<RelateResult>> {
    return withWarning(await memory.relate(withoutNulls(input)))
  },
  json: resultJson<RelateResult>,
})

export const endRelations = operation({
  name: 'memory relate --end',
  summary: 'end a relation between two things',
  input: {
    subject: { type: 'text', required: true, blank: true, doc: 'subject of the relation' },
    predicate: { type: 'text', doc: 'kind of relation' },
    object: { type: 'text', doc: 'object of the relation' },
    until,
    delete: { type: 'switch', doc: 'delete the relation and its past versions' },
  },
  async run(memory: OpenMemory, input): Promise<Answer<RemoveResult>> {
    const { until, delete: isDeleted, ...choice } = input
    const options = { keep: !isDeleted, ...withoutNulls({ until }) }
    return withWarning(await memory.removeRelations(withoutNulls(choice), options))
  },
  json: resultJson<RemoveResult>,
})

const asOf = { ...day, doc: 'only relations that were true on this day, YYYY-MM-DD' } as const

export const listRelations = operation({
  name: 'memory relations',
  summary: 'print relations',
  input: {
    entity: { type: 'text', doc: 'only relations with this subject or object' },
    subject: { type: 'text', doc: 'only relations with this subject' },
    predicate: { type: 'text', doc: 'only relations with this predicate' },
    object: { type: 'text', doc: 'only relations with this object' },
    as_of: asOf,
    past: { type: 'switch', doc: 'include ended relations' },
  },
  async run(memory: OpenMemory, { as_of, ...query }): Promise<Answer<Relation[]>> {
    const relations = await memory.relations({
      ...withoutNulls(query),
      ...withoutNulls({ asOf: as_of }),
    })
    return { value: relations, notes: [] }
  },
  json: ({ value }) => value.map(relationJson),
})

export const followRelations = operation({
  name: 'memory relations --hops',
  summary: 'print the names within a few relations of a name',
  input: {
    entity: { type: 'text', required: true, doc: 'name to start from' },
    to: { type: 'text', doc: 'only the path to this name' },
    hops: { type: 'whole', min: 1, max: 10, doc: 'follow at most N relations (default: 4)' },
    as_of: asOf,
  },
  async run(memory: OpenMemory, { entity, to, hops, as_of }): Promise<Answer<Path[]>> {
    const options = { hops: hops ?? 4, ...withoutNulls({ to, asOf: as_of }) }
    return { value: await memory.paths(entity, options), notes: [] }
  },
  json: ({ value }) => value.map(({ to, hops }) => ({ to, hops: hops.map(relationJson) })),
})

function relationJson({ isPast, line, firstLine: _, ...relation }: Relation) {
  return { ...relation, is_past: isPast, past: isPast, line }
}
