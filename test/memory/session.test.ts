import { afterEach, beforeEach, expect, test } from 'bun:test'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findBackups, listBackups } from '../../src/memory/backup/backup-list.ts'
import type { SearchResult } from '../../src/memory/session-search.ts'
import { parseEntries } from '../../src/memory/entry.ts'
import { history } from '../../src/memory/write/history.ts'
import { openMemory, type OpenMemoryOptions, type OpenMemory } from '../../src/memory/session.ts'
import { defaultMemorySettings } from '../../src/memory/settings.ts'
import { createTempFolder, type TempFolder } from '../../src/platform/file/files.ts'
import { startScript } from '../support/child.ts'
import { hashEmbedder } from '../support/hash-embedder.ts'
import { outcome, projects } from '../support/memory/memory.ts'
import { kernels } from '../support/store.ts'

let temp: TempFolder
let memory: OpenMemory
const warnings: string[] = []

const options = (known: Partial<OpenMemoryOptions> = {}): OpenMemoryOptions => ({
  root: temp.path,
  name: 'default',
  customFiles: [projects],
  settings: defaultMemorySettings,
  embedder: null,
  kernels,
  warn: (line) => void warnings.push(line),
  ...known,
})

beforeEach(async () => {
  warnings.length = 0
  temp = await createTempFolder('og session')
  memory = await openMemory(options())
})
afterEach(async () => {
  await memory[Symbol.asyncDispose]()
  await temp[Symbol.asyncDispose]()
})

/** Expects hits at `file:lines`. */
async function check(query: string, expected: string[], file?: string) {
  const found = await outcome(memory.recall({ query, file }))
  if (typeof found === 'string') return expect([found]).toEqual(expected)
  const { results, count } = found as SearchResult
  expect(results.map((hit) => `${hit.file}:${hit.start_line}-${hit.end_line}`)).toEqual(expected)
  expect(count).toBe(expected.length)
}

test('reading a missing memory creates nothing; another session can create it', async () => {
  await memory.bootstrap({ task: 'walrus' })
  await memory.read({ file: 'USER.md' })
  expect(await memory.list()).toMatchObject({ count: 4 })
  expect(await memory.entries()).toEqual([])
  expect(await memory.relations()).toEqual([])
  expect(await memory.audit()).toEqual([])
  await check('walrus', [])
  expect(readdirSync(temp.path)).toEqual([])
  await using other = await openMemory(options())
  await other.write({ content: 'the walrus sleeps' })
  await check('walrus', ['MEMORY.md:6-8'])
  expect(memory.search.index.inMemoryBecause).toBeNull()
  expect(warnings).toEqual([])
})

test('the first search finds entries by meaning that another process has just written', async () => {
  for (let i = 0; i < 40; i++) await memory.write({ content: `the walrus sleeps on floe ${i}` })
  const embedder = async () => hashEmbedder({ delayMs: 100 })
  await using reader = await openMemory(options({ embedder }))
  const { results, warnings } = await reader.recall({ query: 'walrus', mode: 'vector' })
  expect([results.length, warnings]).toEqual([6, []])
})

test('recalls the entries that are valid now or were valid on a given day', async () => {
  let now = new Date(2026, 2, 1, 9, 0)
  await using timed = await openMemory(options({ clock: () => now }))
  const recalled = async (query: string, as_of?: string) => {
    const { results } = await timed.recall({ query, as_of })
    return results.map(({ text }) => text.split('\n').at(-1))
  }
  const old = await timed.write({ content: 'walrus feeding is at nine' })
  await timed.write({ content: 'the walrus pool is closed', for: '2w' })
  await timed.write({ content: 'the walrus show begins', valid_from: '2026-04-01' })
  now = new Date(2026, 3, 2, 9, 0)
  const supersedes = (old as { entry_id: string }).entry_id
  await timed.write({ content: 'walrus feeding is at ten', supersedes })
  const today = ['walrus feeding is at ten', 'the walrus show begins', 'walrus feeding is at nine']
  expect((await recalled('walrus')).sort()).toEqual(today.sort())
  expect((await recalled('walrus feeding'))[0]).toBe('walrus feeding is at ten')
  expect((await recalled('walrus', '2026-03-10')).sort()).toEqual([
    'the walrus pool is closed',
    'walrus feeding is at nine',
  ])
  expect(await recalled('walrus', '2026-02-10')).toEqual([])
  const { content } = await timed.bootstrap()
  expect(content).toContain('show begins')
  expect(content).not.toContain('pool is closed')
  expect((await timed.entries()).map(({ body }) => body)).toContain('the walrus pool is closed')
  await expect(timed.recall({ query: 'x', as_of: 'May' })).rejects.toThrow("'as_of' must be")
})

test('a write reports entries that have a different value', async () => {
  const first = await memory.write({ content: 'Deploys go out on Tuesdays.' })
  const { entry_id } = first as { entry_id: string }
  expect(first).not.toHaveProperty('conflicts')
  const conflicts = [{ entry_id, file: 'MEMORY.md', text: 'Deploys go out on Tuesdays.' }]
  expect(await memory.write({ content: 'Deploys go out on Fridays.' })).toMatchObject({ conflicts })
  const corrected = { content: 'Deploys go out on Mondays.', corrects: entry_id }
  expect(await memory.write(corrected)).not.toHaveProperty('conflicts')
  const other = await memory.write({ content: 'Backups run on Tuesdays.' })
  expect(other).not.toHaveProperty('conflicts')
})

test('finds an entry in the session that wrote it, and opens it by its lines', async () => {
  await memory.write({ file: 'MEMORY.md', content: 'the walrus sleeps' })
  const { results } = await memory.recall({ query: 'walrus' })
  const [hit] = results
  const slice = await memory.read({
    file: hit!.file,
    start_line: hit!.start_line,
    end_line: hit!.end_line,
  })
  expect(slice).toMatchObject({ mode: 'get', content: `${hit!.text}\n` })
  await memory.write({ file: 'USER.md', content: 'likes herons' })
  await memory.write({ file: 'USER.md', search: 'herons', content: 'storks' })
  await check('herons', [])
  await check('storks', ['USER.md:5-7'])
})

test('a new workspace has no hits', async () => {
  await check('Session A content', [])
  await check('anything', [])
})

test('weakness 32: filters by file or day, or rejects an unknown name', async () => {
  const daily = join(memory.workspace.path, 'daily')
  await memory.write({ file: 'daily', content: 'heron today' })
  const [today] = readdirSync(daily)
  writeFileSync(join(daily, '2020-01-01.md'), '## 10:00\n\nheron then\n')
  await memory.write({ file: 'projects.md', content: 'heron project' })
  await check('heron', ['daily/2020-01-01.md:1-3'], 'daily/2020-01-01.md')
  expect((await memory.recall({ query: 'heron', file: 'Daily' })).count).toBe(2)
  await check('heron', ['projects.md:2-4'], 'projects.md')
  await check('heron', [], 'MEMORY.md')
  await check('heron', [`daily/${today}:4-6`], `daily/${today}`)
  await check(
    'heron',
    [expect.stringContaining(`Cannot search in 'no.md': it is none of`)],
    'no.md',
  )
})

test('top_k 0 uses the configured value, and 20 is the maximum', async () => {
  for (let i = 0; i < 25; i++) await memory.write({ file: 'daily', content: `otter ${i}` })
  const count = async (top_k?: number) => (await memory.recall({ query: 'otter', top_k })).count
  expect(await count()).toBe(6)
  expect(await count(0)).toBe(6)
  expect(await count(99)).toBe(20)
})

test('a correction outranks its entry, and a retired entry is not recalled', async () => {
  const bob = await memory.write({ file: 'MEMORY.md', content: 'Bob is 40 years old' })
  const id = 'entry_id' in bob ? bob.entry_id! : ''
  await memory.write({ file: 'MEMORY.md', content: 'Bob is 41 years old', corrects: id })
  const { results } = await memory.recall({ query: 'how old is Bob' })
  expect(results.map(({ text }) => text.split(' ').at(-3))).toEqual(['41', '40'])
  expect(results[1]!.corrected_by).toBe(results[0]!.entry_id)
  const cat = await memory.write({ file: 'MEMORY.md', content: 'the cat is called Tom' })
  await memory.write({
    file: 'MEMORY.md',
    corrects: 'entry_id' in cat ? cat.entry_id! : '',
    content: '',
  })
  await check('what is the cat called', [])
})

test('weakness 2: a restore updates the search', async () => {
  await memory.write({ file: 'MEMORY.md', content: 'walrus' })
  const first = await memory.backup()
  await memory.write({ file: 'MEMORY.md', content: 'ostrich' })
  await memory.restore(first)
  await check('ostrich', [])
  await check('walrus', [expect.stringMatching(/^MEMORY/)])
  const [present] = await findBackups(memory.workspace, '-1')
  await memory.restore(present!)
  await check('ostrich', [expect.stringMatching(/^MEMORY/)])
})

test('undo and audit edits update the index', async () => {
  await memory.write({ file: 'MEMORY.md', content: 'walrus' })
  await memory.undo()
  await check('walrus', [])
  writeFileSync(join(memory.workspace.path, 'MEMORY.md'), '## a\n\nheron\n\n## b\n\nheron\n')
  const findings = await memory.audit()
  expect(findings.map(({ kind }) => kind)).toEqual(['duplicate'])
  await memory.applyEdits(findings.flatMap(({ fix }) => fix ?? []))
  expect(await memory.audit()).toEqual([])
  expect((await memory.history({ limit: 1 }))[0]).toMatchObject({ op: 'audit' })
})

test('records relations, returns them with hits, and ends them', async () => {
  await memory.relate({ subject: 'Ann', predicate: 'works at', object: 'Acme' })
  await memory.write({ file: 'MEMORY.md', content: 'lunch with Ann' })
  const { results, relations } = await memory.recall({ query: 'Ann lunch', file: 'MEMORY.md' })
  expect(relations.join()).toContain('[Ann] --works at--> [Acme]')
  expect(results[0]!.relation_context.join()).toContain('Acme')
  await memory.relate({ subject: 'Acme', predicate: 'is led by', object: 'Cleo' })
  const paths = await memory.paths('ann', { hops: 2 })
  expect(paths.map(({ to, hops }) => `${to} ${hops.length}`)).toEqual(['Acme 1', 'Cleo 2'])
  expect(await memory.relations({ subject: 'ann' })).toHaveLength(1)
  await memory.removeRelations({ subject: 'ann' }, { keep: true })
  expect(await memory.relations({ subject: 'ann' })).toEqual([])
  expect((await memory.recall({ query: 'Ann' })).relations).toEqual([])
})

test('weakness 7 and 38: makes one backup above the threshold, not one per session', async () => {
  await memory[Symbol.asyncDispose]()
  const bootstrap = { ...defaultMemorySettings.bootstrap, compactionTokenThreshold: 10 }
  memory = await openMemory(options({ settings: { ...defaultMemorySettings, bootstrap } }))
  await memory.write({ file: 'MEMORY.md', content: 'word '.repeat(50) })
  const { content, chars } = await memory.bootstrap()
  expect(content).toContain('Compaction Required')
  expect(chars).toBe([...content].length)
  await memory.bootstrap()
  const [made, ...others] = await listBackups(memory.workspace)
  expect(others).toEqual([])
  expect(content).not.toContain(made!.name)
  await memory.compact({ tier: 'MEMORY.md', content: '# Memory\n' })
  expect((await memory.bootstrap()).content).not.toContain('Compaction Required')
})

test('weakness 16: keeps both of two similar relations', async () => {
  await memory[Symbol.asyncDispose]()
  memory = await openMemory(options({ embedder: async () => hashEmbedder() }))
  const triple = { subject: 'Ann', object: 'the night train to Rome' }
  await memory.relate({ ...triple, predicate: 'likes' })
  const { deduplicated } = await memory.relate({ ...triple, predicate: 'dislikes' })
  expect(deduplicated).toBe(undefined)
  expect(await memory.relations()).toHaveLength(2)
})

test('weakness 46: embeds each relation once', async () => {
  await memory[Symbol.asyncDispose]()
  const embedder = hashEmbedder()
  memory = await openMemory(options({ embedder: async () => embedder }))
  for (let i = 0; i < 20; i++) {
    await memory.relate({ subject: 'Ann', predicate: 'knows', object: `Bob ${i}` })
  }
  await memory.recall({ query: 'Bob 7' })
  expect(embedder.embedded).toHaveLength(20)
})

test('serializes concurrent writes of one session', async () => {
  const names = Array.from({ length: 30 }, (_, i) => `heron h${i}`)
  await Promise.all(names.map((content) => memory.write({ file: 'MEMORY.md', content })))
  for (const name of names) {
    const { results } = await memory.recall({ query: name, top_k: 1 })
    expect(results[0]!.text).toEndWith(name)
  }
  expect(await memory.history({ limit: 100 })).toHaveLength(30)
})

test('searches by meaning with an embedder, and returns the entries relevant to a task', async () => {
  await memory[Symbol.asyncDispose]()
  memory = await openMemory(options({ embedder: async () => hashEmbedder() }))
  await memory.write({ file: 'MEMORY.md', content: 'the deploy runs at night' })
  const { results } = await memory.recall({ query: 'deploy at night', mode: 'vector' })
  expect(results[0]!.vector_score).toBeGreaterThan(0)
  const { text } = await memory.context('deploy', { maxTokens: 500 })
  expect(text).toContain('runs at night')
})

test('index and files agree after kill -9 at 20 moments of writing, and acknowledged text is found', async () => {
  const said: string[] = []
  for (let round = 0; round < 20; round++) {
    await using script = startScript('memory-writer.ts', [temp.path, `r${round}x`])
    const known = said.length
    const reading = (async () => {
      for (let line = await script.line(); line !== null; line = await script.line()) {
        said.push(line)
      }
    })()
    while (said.length === known) await Bun.sleep(1)
    await Bun.sleep(round)
    await script.kill()
    await reading
  }
  const fresh = await openMemory(options())
  const text = readFileSync(join(fresh.workspace.path, 'MEMORY.md'), 'utf8')
  for (const name of said) {
    expect(text).toContain(`\nheron ${name}\n`)
    const { results } = await fresh.recall({ query: name, top_k: 1 })
    expect(results[0]?.text).toEndWith(`heron ${name}`)
  }
  await fresh[Symbol.asyncDispose]()
})

test('weakness 4: 500 entries from each of two processes are all in the file, history and index', async () => {
  const scripts = ['a', 'b'].map((prefix) =>
    startScript('memory-writer.ts', [temp.path, prefix, '500']),
  )
  for (const script of scripts) expect(await script.exited).toBe(0)
  await memory.sync()
  const { database } = memory.search.index
  const select = `SELECT count(*) AS n FROM chunks WHERE path = 'MEMORY.md'`
  expect(database.query<{ n: number }, []>(select).get()!.n).toBe(1000)
  const text = readFileSync(join(memory.workspace.path, 'MEMORY.md'), 'utf8')
  const names = ['a', 'b'].flatMap((prefix) => Array.from({ length: 500 }, (_, i) => prefix + i))
  const [, ...bodies] = parseEntries(text).map(({ body }) => body)
  expect(bodies.sort()).toEqual(names.map((name) => `heron ${name}`).sort())
  expect(await history(memory.workspace, { limit: 2000 })).toHaveLength(1000)
})
