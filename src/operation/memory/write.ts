import { field } from '../field.ts'
import { line, day } from './read.ts'
import type { OpenMemory } from '../../memory/session.ts'
import type { CompactResult } from '../../memory/compact.ts'
import type { RemovedEntry } from '../../memory/write/edit.ts'
import type { WriteResult } from '../../memory/write/write.ts'
import { resultJson, withWarning, type Answer } from '../note.ts'
import { withoutNulls, operation } from '../operation.ts'
import type { RelateResult, RemoveResult } from '../../memory/relate.ts'
import type { Path } from '../../memory/relation/relation-query.ts'
import type { Relation } from '../../memory/relation/relation.ts'

export const writeMemory = operation({
  name: 'memory write',
  summary: 'add an entry to the memory, or change its text',
  input: {
    file: field.text(
      'MEMORY.md, USER.md, AGENTS.md, daily or a custom file; RELATIONS.md is edited only',
      { maxLength: 1_000, blank: true },
    ),
    content: field.text(
      'the entry, or the replacement; "" deletes the lines or the `search` text',
      { blank: true },
    ),
    search: field.text('exact text to replace, at its first occurrence', { blank: true }),
    start_line: { ...line, doc: 'first line to replace, from 1; needs end_line' },
    end_line: { ...line, doc: 'last line to replace' },
    tags: field.texts('tags of the entry, without #'),
    expect: field.text('current text of the lines, as a check'),
    corrects: field.text('`entry_id` of the entry to correct; with content "" it is retired'),
    supersedes: field.text('`entry_id` of an entry that this one replaces from its first day on'),
    valid_from: { ...day, doc: 'first day of validity, YYYY-MM-DD' },
    until: { ...day, doc: 'first day after its validity' },
    for: field.text('duration of validity: 30d, 2w, 6m, 1y', { maxLength: 10 }),
  },
  async run(memory: OpenMemory, input): Promise<Answer<WriteResult>> {
    return withWarning(await memory.write(withoutNulls(input)))
  },
  json: resultJson<WriteResult>,
})

/** Deletes an entry, even from an append-only file. Only people can use it, not agents. */
export const deleteEntry = operation({
  name: 'memory delete',
  summary: 'delete an entry; undo restores it',
  input: {
    file: field.text('the file of the entry', { required: true }),
    id: field.text('`entry_id` of the entry', { required: true }),
  },
  async run(memory: OpenMemory, input): Promise<Answer<RemovedEntry>> {
    return withWarning(await memory.removeEntry(input))
  },
  json: resultJson<RemovedEntry>,
})

export const compactMemory = operation({
  name: 'memory compact',
  summary: 'replace a whole tier with a shorter text',
  input: {
    tier: field.text('the file to replace', {
      required: true,
      blank: true,
      suggested: ['MEMORY.md', 'USER.md', 'AGENTS.md'],
    }),
    content: field.text('the new text of the whole file', { required: true, blank: true }),
    expect: field.text(
      '`hash` of the file when it was read; if the file changed, nothing is replaced',
    ),
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
    subject: field.text('person or thing, such as Ann', { required: true, blank: true }),
    predicate: field.text('such as "works at"', { required: true, blank: true }),
    object: field.text('person or thing', { required: true, blank: true }),
    supersedes: field.flag('end other relations of this subject and predicate'),
    note: field.text('one sentence'),
    source_file: field.text('source of the information'),
    confidence: field.number('0 to 1 (default: 1)', { min: 0, max: 1 }),
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
    subject: field.text('subject of the relation', { required: true, blank: true }),
    predicate: field.text('kind of relation'),
    object: field.text('object of the relation'),
    until,
    delete: field.flag('delete the relation and its past versions'),
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
    entity: field.text('only relations with this subject or object'),
    subject: field.text('only relations with this subject'),
    predicate: field.text('only relations with this predicate'),
    object: field.text('only relations with this object'),
    as_of: asOf,
    past: field.flag('include ended relations'),
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
    entity: field.text('name to start from', { required: true }),
    to: field.text('only the path to this name'),
    hops: field.whole('follow at most N relations (default: 4)', { min: 1, max: 10 }),
    as_of: asOf,
  },
  async run(memory: OpenMemory, { entity, to, hops, as_of }): Promise<Answer<Path[]>> {
    const options = { hops: hops ?? 4, ...withoutNulls({ to, asOf: as_of }) }
    return { value: await memory.paths(entity, options), notes: [] }
  },
  json: ({ value }) => value.map(({ to, hops }) => ({ to, hops: hops.map(relationJson) })),
})

function relationJson({ isPast, line, firstLine: _, ...relation }: Relation) {
  return { ...relation, is_past: isPast, line }
}
