import { expect, test } from 'bun:test'
import type { CompactRequest, CompactResult } from '../../src/memory/write/compact.ts'
import type { HistoryEntry, UndoResult } from '../../src/memory/write/history.ts'
import type { ReadResult } from '../../src/memory/read.ts'
import type { RelateRequest, RelateResult } from '../../src/memory/relation/relate.ts'
import type { MemorySearchRequest, SearchResult } from '../../src/memory/recall/session-search.ts'
import type { SyncResult } from '../../src/memory/index/sync.ts'
import type { WriteRequest, WriteResult } from '../../src/memory/write/write.ts'
import * as bun from '../../src/program/bun.ts'
import type * as Api from '../../src/program/memory-api.ts'
import * as node from '../../src/program/node.ts'

type Session = Api.MemorySession
type Asked<Name extends 'write' | 'relate' | 'compact'> = Parameters<Session[Name]>[0]
type Answered<Name extends 'write' | 'relate' | 'compact' | 'sync' | 'undo' | 'history'> =
  Awaited<ReturnType<Session[Name]>>
const search = (session: Session) => session.read({ query: '' })
const file = (session: Session) => session.read({ file: '' })

/** Never called: it stands here to be typed. What the first promises, the second has. */
const pairs = {
  write: (asked: Asked<'write'>): WriteRequest => asked,
  written: (answer: WriteResult): Answered<'write'> => answer,
  relate: (asked: Asked<'relate'>): RelateRequest => asked,
  related: (answer: RelateResult): Answered<'relate'> => answer,
  compact: (asked: Asked<'compact'>): CompactRequest => asked,
  compacted: (answer: CompactResult): Answered<'compact'> => answer,
  search: (session: Session, asked: MemorySearchRequest) => session.read(asked),
  searched: (answer: SearchResult): Awaited<ReturnType<typeof search>> => answer,
  read: (answer: ReadResult): Awaited<ReturnType<typeof file>> => answer,
  synced: (answer: SyncResult): Answered<'sync'> => answer,
  history: (answer: HistoryEntry[]): Answered<'history'> => answer,
  undone: (answer: UndoResult): Answered<'undo'> => answer,
}

test('what is promised is there, under Bun and under Node', () => {
  const modules: Pick<typeof Api, 'MemorySession' | 'openai' | 'anthropic'>[] = [bun, node]
  for (const given of modules) {
    expect(Object.keys(given).sort()).toEqual(['MemorySession', 'anthropic', 'openai'])
  }
  expect(Object.values(pairs).every((pair) => pair.length > 0)).toBe(true)
})
