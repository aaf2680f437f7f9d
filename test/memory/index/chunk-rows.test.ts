import { expect, test } from 'bun:test'
import {
  findCorrections,
  filteredIds,
  filterSql,
  neighboursOf,
  rowsById,
  type RecallFilter,
} from '../../../src/memory/index/chunk-rows.ts'
import type { MemoryIndex } from '../../../src/memory/index/memory-index.ts'
import { correctionMark, parseEntries } from '../../../src/memory/entry.ts'
import { entries, openTestMemory } from '../../support/memory/memory-search.ts'

const backups = ['2026-01-05 09:00', '#infra #Data-Base\nBackups run nightly'] as const
const failed = ['2026-02-06 10:00', 'The server failed'] as const

const files = {
  'MEMORY.md': entries([...backups], [...failed]),
  'daily/2026-05-01.md': entries(['09:00', '#infra\nServer of May']),
  'USER.md': 'Ann likes tea\n',
}

async function indexed(text: Record<string, string>, run: (index: MemoryIndex) => void) {
  await using memory = await openTestMemory(text)
  await memory.search.sync()
  run(memory.search.index)
}

const idsOf = ({ database }: MemoryIndex) =>
  database
    .query<{ id: number }, []>('SELECT id FROM chunks ORDER BY id')
    .all()
    .map(({ id }) => id)

const lastLine = (text: string) => text.split('\n').at(-1)!

/** Checks the last lines of the entries that each filter accepts, in any order. */
const check = (...cases: [RecallFilter, string[]][]) =>
  indexed(files, (index) => {
    for (const [filter, expected] of cases) {
      const rows = [...rowsById(index, [...filteredIds(index, filter)!]).values()]
      expect(rows.map(({ text }) => lastLine(text)).sort()).toEqual(expected)
    }
  })

test('an empty filter accepts everything', async () => {
  expect(filterSql({})).toBeNull()
  expect(filterSql({ sources: [], allTags: [], anyTags: [] })).toBeNull()
  await indexed(files, (index) => {
    expect(filteredIds(index, {})).toBeNull()
    expect(filteredIds(index, { path: 'none.md' })).toEqual(new Set())
  })
})

test('matches a source label and a complete path', () =>
  check(
    [{ sources: ['user', 'daily'] }, ['Ann likes tea', 'Server of May']],
    [{ path: 'daily/2026-05-01.md' }, ['Server of May']],
    [{ path: 'daily' }, []],
  ))

test('matches whole tags, ignoring case and #, all or any of them', () =>
  check(
    [{ allTags: ['infra'] }, ['Backups run nightly', 'Server of May']],
    [{ allTags: ['#INFRA', 'data-base'] }, ['Backups run nightly']],
    [{ allTags: ['infr'] }, []],
    [{ allTags: ['base'] }, []],
    [{ anyTags: ['data-base', 'none'] }, ['Backups run nightly']],
    [{ allTags: ['infra'], anyTags: ['none', 'other'] }, []],
    [{ anyTags: ["' OR 1 --", '%'] }, []],
  ))

test('includes both days, and excludes entries without a date', () =>
  check(
    [{ since: '2026-02-06' }, ['Server of May', 'The server failed']],
    [{ until: '2026-02-06' }, ['Backups run nightly', 'The server failed']],
    [{ since: '2026-01-06', until: '2026-02-05' }, []],
  ))

const both = { sources: ['long_term', 'daily'], anyTags: ['infra', 'x'], since: '2026-01-06' }

test('combines all conditions with AND', () =>
  check([both, ['Server of May']], [{ ...both, path: 'MEMORY.md' }, []]))

test('returns rows as they were indexed, without deleted ids', () =>
  indexed({ 'MEMORY.md': files['MEMORY.md'] }, (index) => {
    const [id] = idsOf(index)
    const rows = rowsById(index, [id!, 999])
    expect([...rows.keys()]).toEqual([id!])
    expect(rows.get(id!)).toEqual({
      id: id!,
      path: 'MEMORY.md',
      source: 'long_term',
      startLine: 2,
      endLine: 5,
      entryId: parseEntries(files['MEMORY.md'])[0]!.id,
      heading: '2026-01-05 09:00',
      date: '2026-01-05',
      time: '09:00',
      tags: ['infra', 'data-base'],
      text: '## 2026-01-05 09:00\n\n#infra #Data-Base\nBackups run nightly',
      validFrom: null,
      validUntil: null,
      saidHash: expect.stringMatching(/^[0-9A-F]{64}$/),
    })
    expect(rowsById(index, [])).toEqual(new Map())
  }))

test('entries with equal text have one hash, regardless of date', () =>
  indexed(
    {
      'MEMORY.md': entries(
        ['2026-01-01 10:00', 'tea'],
        ['2026-01-02 11:00', 'tea'],
        ['2026-01-03 11:00', 'coffee'],
      ),
    },
    (index) => {
      const [first, second, third] = [...rowsById(index, idsOf(index)).values()]
      expect(second!.saidHash).toBe(first!.saidHash)
      expect(third!.saidHash).not.toBe(first!.saidHash)
    },
  ))

const old = parseEntries(entries([...failed]))[0]!.id
const corrected = entries(
  [...failed],
  ['2026-03-01 10:00', `${correctionMark(old)}\nIt failed twice`],
  ['2026-03-02 10:00', `${correctionMark(old)}\nIt never failed`],
)

test('uses the newest correction of an entry', () =>
  indexed({ 'MEMORY.md': corrected }, (index) => {
    const found = findCorrections(index, [old, 'aaaaaaaaaaaa'], '2026-06-30')
    expect([...found.keys()]).toEqual([old])
    const { row, isRetirement } = found.get(old)!
    expect([lastLine(row.text), row.date, isRetirement]).toEqual([
      'It never failed',
      '2026-03-02',
      false,
    ])
    expect(row).toEqual(rowsById(index, [row.id]).get(row.id)!)
    expect(findCorrections(index, [], '2026-06-30')).toEqual(new Map())
  }))

test('an empty correction retires its entry', () =>
  indexed(
    { 'MEMORY.md': corrected + entries(['2026-03-03 10:00', correctionMark(old)]) },
    (index) => {
      const { row, isRetirement } = findCorrections(index, [old], '2026-06-30').get(old)!
      expect([row.date, row.saidHash, isRetirement]).toEqual(['2026-03-03', '', true])
    },
  ))

test('neighbours are adjacent entries of the same hour; entries without a time have none', async () => {
  const text = {
    'MEMORY.md': entries(
      ['2026-01-05 09:00', 'one'],
      ['2026-01-05 09:01', 'two'],
      ['2026-01-05 09:59', 'three'],
      ['2026-01-05 10:30', 'four'],
      ['2026-01-06 10:30', 'five'],
    ),
    'USER.md': 'Ann likes tea\n\nAnn likes cake\n',
  }
  await indexed(text, (index) => {
    const ids = idsOf(index)
    const wordOf = (id: number) => lastLine(rowsById(index, [id]).get(id)!.text)
    const found = [...neighboursOf(index, ids)].map(([id, { before, after }]) => [
      wordOf(id),
      before.map(wordOf),
      after.map(wordOf),
    ])
    expect(found).toEqual([
      ['one', [], ['two', 'three']],
      ['two', ['one'], ['three']],
      ['three', ['two', 'one'], ['four']],
      ['four', ['three'], []],
    ])
  })
})
