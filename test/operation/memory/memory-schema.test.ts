import { expect, test } from 'bun:test'
import { memorySchemas } from '../../../src/operation/memory/memory-schema.ts'
import { listRelations } from '../../../src/operation/memory/write.ts'
import type { z } from 'zod'
import type { backUpMemory } from '../../../src/operation/memory/backup.ts'
import type * as read from '../../../src/operation/memory/read.ts'
import type * as upkeep from '../../../src/operation/memory/upkeep.ts'
import type * as write from '../../../src/operation/memory/write.ts'

type Json<O extends { json(outcome: never): unknown }> = ReturnType<O['json']>
type Accepted<Name extends keyof typeof memorySchemas> = z.input<(typeof memorySchemas)[Name]>

/** Compiles only if each schema accepts the JSON of its operation. */
const accepted = {
  write: (json: Json<typeof write.writeMemory>): Accepted<'write'> => json,
  compact: (json: Json<typeof write.compactMemory>): Accepted<'compact'> => json,
  relate: (json: Json<typeof write.recordRelation>): Accepted<'relate'> => json,
  relation: (json: Json<typeof write.listRelations>[number]): Accepted<'relation'> => json,
  search: (json: Json<typeof read.recallMemory>): Accepted<'read'> => json,
  read: (json: Json<typeof read.readMemory>): Accepted<'read'> => json,
  list: (json: Json<typeof read.listMemory>): Accepted<'list'> => json,
  bootstrap: (json: Json<typeof read.bootstrapMemory>): Accepted<'bootstrap'> => json,
  sync: (json: Json<typeof upkeep.syncMemory>): Accepted<'sync'> => json,
  pastWrite: (json: Json<typeof upkeep.listWrites>[number]): Accepted<'pastWrite'> => json,
  undo: (json: Json<typeof upkeep.undoWrite>): Accepted<'undo'> => json,
  inboxNote: (json: Json<typeof upkeep.listInbox>[number]): Accepted<'inboxNote'> => json,
  decided: (json: Json<typeof upkeep.decideInbox>): Accepted<'decided'> => json,
  backup: (json: Json<typeof backUpMemory>): Accepted<'backup'> => json,
}

test('compares every schema with the JSON of its operation', () => {
  const { search: _, ...compared } = accepted
  expect(Object.keys(compared).sort()).toEqual(Object.keys(memorySchemas).sort())
})

test('the JSON of a relation matches its schema', () => {
  const facts = { note: '', date: null, confidence: 1, source: null, since: null, until: null }
  const triple = { id: 'a', subject: 'Ann', predicate: 'likes', object: 'Tea' }
  const value = [{ ...triple, ...facts, isPast: false, line: 3, firstLine: 2 }]
  const [json] = listRelations.json({ value, notes: [] })
  expect(memorySchemas.relation.parse(json)).toEqual(json!)
  expect(memorySchemas.relation.safeParse({ ...json, is_past: undefined }).success).toBe(false)
})

test('the schema rejects a write without a file', () => {
  const written = { file: 'MEMORY.md', mode: 'append' }
  expect(memorySchemas.write.safeParse(written).success).toBe(true)
  expect(memorySchemas.write.safeParse({ mode: 'append' }).success).toBe(false)
  expect(memorySchemas.write.safeParse({ ...written, mode: 'erase' }).success).toBe(false)
})
