import { expect, test } from 'bun:test'
import { memorySchemas } from '../../../src/operation/memory/memory-schema.ts'
import { listRelations } from '../../../src/operation/memory/write.ts'

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
