import { expect, test } from 'bun:test'
import { appendFileSync, renameSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { openMemorySearch } from '../../src/memory/memory-search.ts'
import { openWorkspace } from '../../src/memory/workspace.ts'
import {
  askMemory,
  entries,
  kernels,
  openTestMemory,
  type Asking,
  type TestMemory,
} from '../support/memory/memory-search.ts'
import { rewriteUnnoticed } from '../support/unnoticed.ts'

const facts = entries(
  ['2026-01-05 09:00', 'Alice loves pistachio ice cream'],
  ['2026-02-06 10:00', 'The deployment of the billing server failed twice'],
  ['2026-03-07 11:00', '#infra #database\nBackups run nightly through `pg_dump --no-owner`'],
  ['2026-04-08 12:00', '東京の会議は金曜日です'],
)

/** Expects the first body line of each hit, best first. */
async function check(
  query: string,
  expected: string[],
  options: Asking & { files?: Record<string, string> } = {},
) {
  const { files = { 'MEMORY.md': facts }, ...asking } = options
  await using memory = await openTestMemory(files)
  expect(await memory.bodies(query, asking)).toEqual(expected)
}

const alice = 'Alice loves pistachio ice cream'
const failed = 'The deployment of the billing server failed twice'
const backups = 'Backups run nightly through `pg_dump --no-owner`'
const meeting = '東京の会議は金曜日です'

test('weakness 21: finds any word of a question, stemmed', async () => {
  await check('what does Alice love', [alice])
  await check('deploying servers', [failed])
})

test('weakness 21: finds CJK text by its characters', async () => check('東京の会議', [meeting]))

test('finds identifiers and flags, whole and in parts', async () => {
  await check('--no-owner', [backups])
  await check('pg_dump', [backups])
})

test('weakness 22: treats no character of a query as syntax', async () => {
  await check('"pistachio', [alice])
  await check(`pistachio" OR ( NEAR * ^ - ' "" AND NOT`, [alice])
  await check('"', [])
  await check('', [])
})

test('weakness 23: scores the better hit higher', async () => {
  await using memory = await openTestMemory({
    'MEMORY.md': entries(
      ['2026-01-01', 'billing server failed'],
      ['2026-01-02', 'server room key'],
    ),
  })
  const { hits } = await memory.ask('billing server failed')
  expect(hits.map(({ textScore }) => textScore > 0.5)).toEqual([true, false])
  expect(hits[0]!.score).toBeGreaterThan(hits[1]!.score)
})

test('weaknesses 30 and 31: opens a hit by its path and lines', async () => {
  await using memory = await openTestMemory({ 'daily/2026-05-01.md': `# Day\n${facts}` })
  const { hits } = await memory.ask('pistachio')
  const { path, startLine, endLine } = hits[0]!
  expect({ path, startLine, endLine }).toEqual({
    path: 'daily/2026-05-01.md',
    startLine: 3,
    endLine: 5,
  })
})

test('weakness 31: a workspace behind a symbolic link is the same workspace', async () => {
  await using memory = await openTestMemory({ 'MEMORY.md': facts })
  await memory.ask('pistachio')
  const link = join(memory.root, 'link')
  symlinkSync(memory.root, link)
  const workspace = await openWorkspace({ root: link, name: 'default' })
  await using search = openMemorySearch(workspace, { embedder: null, kernels, warn() {} })
  expect((await askMemory(search, 'pistachio')).hits.length).toBe(1)
})

test('weakness 32: each filter accepts only matching entries', async () => {
  const files = {
    'MEMORY.md': facts,
    'daily/2026-05-01.md': entries(['09:00', 'server of May']),
    'daily/2026-05-02.md': entries(['09:00', 'server of the day after']),
  }
  await check('server', ['server of May'], { files, filter: { path: 'daily/2026-05-01.md' } })
  await check('server', [failed], { files, filter: { sources: ['long_term'] } })
  await check('server', ['server of May', 'server of the day after'], {
    files,
    filter: { sources: ['daily'] },
    limit: 2,
  })
  await check('server', [failed], { files, filter: { until: '2026-04-30' } })
  await check('server', ['server of the day after'], { files, filter: { since: '2026-05-02' } })
  await check('backups run', [backups], { files, filter: { allTags: ['infra', '#Database'] } })
  await check('backups run', [], { files, filter: { allTags: ['infra', 'other'] } })
  await check('backups run', [backups], { files, filter: { anyTags: ['infra', 'other'] } })
})

test('weakness 32: finds a custom file by its filter', async () => {
  const file = { description: '', inject: false, maxChars: null, compactable: false }
  const customFiles = [
    { ...file, name: 'projects.md', searchable: true },
    { ...file, name: 'secret.md', searchable: false },
  ]
  const files = { 'projects.md': 'The heron project\n', 'secret.md': 'The heron password\n' }
  await using memory = await openTestMemory(files, { customFiles })
  const found = await memory.bodies('heron', { filter: { path: 'projects.md' } })
  expect(found).toEqual(['The heron project'])
  expect(await memory.bodies('heron')).toEqual(['The heron project'])
})

test('does not search the seeds of a new workspace', async () => {
  await check('session content memory', [], { files: {} })
})

test('searches seeds that the user changed', async () => {
  await check('heron', ['The heron is a bird'], { files: { 'USER.md': 'The heron is a bird\n' } })
})

async function steps(files: Record<string, string>, run: (memory: TestMemory) => Promise<void>) {
  await using memory = await openTestMemory(files)
  await run(memory)
}

test('weakness 17: removes the entries of an emptied file', () =>
  steps({ 'MEMORY.md': facts }, async (memory) => {
    expect(await memory.bodies('pistachio')).toEqual([alice])
    memory.put('MEMORY.md', '')
    expect(await memory.bodies('pistachio')).toEqual([])
  }))

test('weakness 33: removes the entries of a deleted or renamed file', () =>
  steps({ 'daily/2026-05-01.md': facts }, async (memory) => {
    expect(await memory.bodies('pistachio')).toEqual([alice])
    const path = (day: string) => join(memory.workspace.path, 'daily', day)
    renameSync(path('2026-05-01.md'), path('2026-05-09.md'))
    const { hits } = await memory.ask('pistachio')
    expect(hits.map(({ path }) => path)).toEqual(['daily/2026-05-09.md'])
    memory.put('daily/2026-05-09.md', null)
    expect(await memory.bodies('pistachio')).toEqual([])
  }))

test('finds a manual edit in the next call, even if size and time are equal', () =>
  steps({ 'MEMORY.md': 'a walrus swims\n' }, async (memory) => {
    expect(await memory.bodies('walrus')).toEqual(['a walrus swims'])
    const path = join(memory.workspace.path, 'MEMORY.md')
    rewriteUnnoticed(path, 'a turkey swims\n')
    expect(await memory.bodies('walrus')).toEqual([])
    expect(await memory.bodies('turkey')).toEqual(['a turkey swims'])
  }))

test('weakness 44: an append adds one row, and an edit changes the row of one entry', () =>
  steps({ 'MEMORY.md': facts }, async (memory) => {
    const ids = () => {
      const select = 'SELECT id FROM chunks ORDER BY start_line'
      const rows = memory.search.index.database.query<{ id: number }, []>(select).all()
      return rows.map(({ id }) => id)
    }
    await memory.ask('x')
    const first = ids()
    const path = join(memory.workspace.path, 'MEMORY.md')
    const before = statSync(path)
    const appended = entries(['2026-05-09 13:00', 'A heron'])
    appendFileSync(path, appended)
    await memory.search.onWritten({ file: 'MEMORY.md', appended, before, after: statSync(path) })
    expect(ids()).toEqual([...first, 5])
    const { hits } = await memory.ask('heron')
    expect([hits[0]!.startLine, hits[0]!.date]).toEqual([19, '2026-05-09'])
    memory.put('MEMORY.md', `# A title\n${facts.replace('pistachio', 'vanilla')}`)
    await memory.ask('x')
    expect(ids()).toEqual([6, ...first.slice(1)])
  }))

test('finds an entry appended to a file that another program changed', () =>
  steps({ 'MEMORY.md': facts }, async (memory) => {
    await memory.ask('x')
    const path = join(memory.workspace.path, 'MEMORY.md')
    memory.put('MEMORY.md', 'A walrus\n')
    const before = statSync(path)
    appendFileSync(path, '\n## 2026-05-09 13:00\n\nA heron\n')
    const appended = '\n## 2026-05-09 13:00\n\nA heron\n'
    await memory.search.onWritten({ file: 'MEMORY.md', appended, before, after: statSync(path) })
    expect(await memory.bodies('walrus heron pistachio')).toEqual(['A walrus', 'A heron'])
  }))

test('finds a duplicate only if its whole, uncorrected body is in that file', () =>
  steps({ 'MEMORY.md': facts }, async (memory) => {
    const has = async (file: string, body: string) =>
      (await memory.search.compare({ file, body }, '2026-05-09')).isDuplicate
    expect(await has('MEMORY.md', alice)).toBe(true)
    expect(await has('MEMORY.md', 'Alice')).toBe(false)
    expect(await has('MEMORY.md', backups)).toBe(true)
    expect(await has('USER.md', alice)).toBe(false)
    const { entryId } = (await memory.ask('pistachio')).hits[0]!
    const mark = `<!-- corrects: ${entryId} -->\nAlice loves vanilla`
    memory.put('MEMORY.md', facts + entries(['2026-05-01 10:00', mark]))
    expect(await has('MEMORY.md', alice)).toBe(false)
  }))

test("puts a correction in the position of its entry, even if it lacks the query's words", () =>
  steps({ 'MEMORY.md': facts }, async (memory) => {
    const { entryId } = (await memory.ask('pistachio')).hits[0]!
    const mark = `<!-- corrects: ${entryId} -->\nIt is vanilla now`
    memory.put('MEMORY.md', facts + entries(['2026-05-01 10:00', mark]))
    const { hits } = await memory.ask('pistachio cream')
    expect(hits.map(({ text }) => /vanilla|pistachio/.exec(text)?.[0])).toEqual([
      'vanilla',
      'pistachio',
    ])
    expect(hits.map(({ correctedBy }) => correctedBy)).toEqual([null, hits[0]!.entryId])
  }))

test('does not recall a retired entry', () =>
  steps({ 'MEMORY.md': facts }, async (memory) => {
    const { entryId } = (await memory.ask('pistachio')).hits[0]!
    const mark = `<!-- corrects: ${entryId} -->`
    memory.put('MEMORY.md', facts + entries(['2026-05-01 10:00', mark]))
    expect(await memory.bodies('pistachio')).toEqual([])
  }))

test('terminates if two entries correct each other', () =>
  steps({}, async (memory) => {
    const ring = '## 2026-01-01\n\n<!-- corrects: aaaaaaaaaaaa -->\nA heron\n'
    memory.put('MEMORY.md', ring)
    const { entryId } = (await memory.ask('heron')).hits[0]!
    memory.put('MEMORY.md', `${ring}\n## 2026-01-02\n\n<!-- corrects: ${entryId} -->\nA crane\n`)
    expect(await memory.bodies('heron')).toEqual(['A crane', 'A heron'])
  }))

test('weakness 26: returns a repeated fact as one hit', async () => {
  const files = { 'MEMORY.md': entries(['2026-01-01', 'A heron'], ['2026-01-02', 'A heron']) }
  await check('heron', ['A heron'], { files })
})

test('weakness 25: computes recency from the date of the entry itself', () =>
  steps({}, async (memory) => {
    memory.put(
      'MEMORY.md',
      entries(
        ['2024-01-01 10:00', 'the heron heron heron lives here'],
        ['2026-06-29 10:00', 'the heron lives there, by the lake in the north'],
      ),
    )
    const [old, recent] = [
      'the heron heron heron lives here',
      'the heron lives there, by the lake in the north',
    ]
    expect(await memory.bodies('heron')).toEqual([old, recent])
    const settings = { temporalDecayRate: 0.01 }
    expect(await memory.bodies('heron', { settings })).toEqual([recent, old])
  }))

test('weakness 35: adds relations of entities whose full name is in the query', async () => {
  const relations =
    '# Relations\n\n- [Ann_1] --knows--> [Bob]\n- [Annx1] --knows--> [Carl]\n' +
    '- [日本] --has--> [Tōkyō]\n<!-- past -->\n'
  await using memory = await openTestMemory({ 'RELATIONS.md': relations, 'MEMORY.md': facts })
  const named = async (query: string) => (await memory.ask(query)).relations
  expect(await named('what about ann_1?')).toEqual(['[Ann_1] --knows--> [Bob]'])
  expect(await named('% _')).toEqual([])
  expect(await named('日本')).toEqual(['[日本] --has--> [Tōkyō]'])
  memory.put('RELATIONS.md', '- [Alice] --likes--> [Tea] (2026-01-01) - "green"\n')
  const { hits } = await memory.ask('pistachio')
  expect(hits[0]!.relations).toEqual(['[Alice] --likes--> [Tea] (2026-01-01) - "green"'])
})

test('returns at most the given number of relations', async () => {
  const lines = Array.from({ length: 40 }, (_, i) => `- [Ann] --met--> [Person ${i}]`)
  await using memory = await openTestMemory({
    'RELATIONS.md': `# Relations\n\n${lines.join('\n')}\n`,
  })
  const { hits, relations } = await memory.ask('Person 7')
  expect([hits[0]!.text, hits[0]!.startLine]).toEqual(['- [Ann] --met--> [Person 7]', 10])
  expect(relations.length).toBe(1)
  expect(hits[0]!.relations.length).toBe(10)
})

test('consecutive pages do not overlap', () =>
  steps({}, async (memory) => {
    memory.put(
      'MEMORY.md',
      entries(
        ...Array.from(
          { length: 8 },
          (_, i) => [`2026-01-0${i + 1}`, `heron number ${i}`] as [string, string],
        ),
      ),
    )
    const first = await memory.ask('heron', { limit: 5 })
    const second = await memory.ask('heron', { limit: 5, offset: first.nextOffset! })
    expect([first.hits.length, second.hits.length, second.nextOffset]).toEqual([5, 3, null])
    expect(new Set([...first.hits, ...second.hits].map(({ id }) => id)).size).toBe(8)
  }))
