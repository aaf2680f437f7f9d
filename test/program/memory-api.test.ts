import { expect, test } from 'bun:test'
import type { SyncResult } from '../../src/memory/index/sync.ts'
import type { MemorySearchRequest } from '../../src/memory/session-search.ts'
import type { RelateRequest } from '../../src/memory/relate.ts'
import type { CompactRequest } from '../../src/memory/compact.ts'
import type { WriteRequest } from '../../src/memory/write/write.ts'
import type { listWrites, undoWrite } from '../../src/operation/memory/upkeep.ts'
import type { readMemory, recallMemory } from '../../src/operation/memory/read.ts'
import type {
  listRelations,
  recordRelation,
  compactMemory,
  writeMemory,
} from '../../src/operation/memory/write.ts'
import * as bun from '../../src/program/bun.ts'
import type * as Api from '../../src/program/memory-api.ts'
import * as node from '../../src/program/node.ts'

type Session = Api.MemorySession
type Asked<Name extends 'write' | 'relate' | 'compact'> = Parameters<Session[Name]>[0]
type Answered<
  Name extends 'write' | 'relate' | 'compact' | 'sync' | 'undo' | 'history' | 'relations',
> = Awaited<ReturnType<Session[Name]>>
type Json<O extends { json(outcome: never): unknown }> = ReturnType<O['json']>
const search = (session: Session) => session.read({ query: '' })
const file = (session: Session) => session.read({ file: '' })

/**
 * This function is never called, only type-checked. Each function accepts the declared type and
 * returns the implemented one.
 */
const pairs = {
  write: (asked: Asked<'write'>): WriteRequest => asked,
  written: (answer: Json<typeof writeMemory>): Answered<'write'> => answer,
  relate: (asked: Asked<'relate'>): RelateRequest => asked,
  related: (answer: Json<typeof recordRelation>): Answered<'relate'> => answer,
  compact: (asked: Asked<'compact'>): CompactRequest => asked,
  compacted: (answer: Json<typeof compactMemory>): Answered<'compact'> => answer,
  search: (session: Session, asked: MemorySearchRequest) => session.read(asked),
  searched: (answer: Json<typeof recallMemory>): Awaited<ReturnType<typeof search>> => answer,
  read: (answer: Json<typeof readMemory>): Awaited<ReturnType<typeof file>> => answer,
  synced: (answer: SyncResult): Answered<'sync'> => answer,
  relations: (answer: Json<typeof listRelations>): Answered<'relations'> => answer,
  history: (answer: Json<typeof listWrites>): Answered<'history'> => answer,
  undone: (answer: Json<typeof undoWrite>): Answered<'undo'> => answer,
}

test('the modules for Bun and Node export every declared member', () => {
  const modules: Pick<typeof Api, 'MemorySession' | 'openai' | 'anthropic'>[] = [bun, node]
  for (const given of modules) {
    expect(Object.keys(given).sort()).toEqual(['MemorySession', 'anthropic', 'openai'])
  }
  expect(Object.values(pairs).every((pair) => pair.length > 0)).toBe(true)
})
