import { expect, test } from 'bun:test'
import { appendFileSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  askMemory,
  entries,
  openTestMemory,
  type TestMemory,
} from '../../support/memory/memory-search.ts'

const alice = 'Alice loves pistachio ice cream'
const facts = entries(['2026-01-05 09:00', alice], ['2026-02-06 10:00', 'The server failed twice'])

async function steps(text: string, run: (memory: TestMemory) => Promise<void>): Promise<void> {
  await using memory = await openTestMemory({ 'MEMORY.md': text })
  await run(memory)
}

test('finds text that a person adds during a write, before or after the written entry', () =>
  steps(facts, async (memory) => {
    await memory.ask('x')
    const path = join(memory.workspace.path, 'MEMORY.md')
    const [appended, foreign] = [entries(['2026-05-09', 'A heron']), '\n## hand\n\nA walrus\n']
    for (const texts of [
      [foreign, appended],
      [appended, foreign],
    ]) {
      memory.put('MEMORY.md', facts)
      expect(await memory.bodies('walrus heron')).toEqual([])
      const before = statSync(path)
      for (const text of texts) appendFileSync(path, text)
      await memory.search.onWritten({ file: 'MEMORY.md', appended, before, after: statSync(path) })
      expect((await memory.bodies('walrus heron')).sort()).toEqual(['A heron', 'A walrus'])
    }
  }))

test('an append does not mark a file as indexed if the file changed while it was read', () =>
  steps('a walrus swims\n', async (memory) => {
    const path = join(memory.workspace.path, 'MEMORY.md')
    const soon = new Date(Date.now() + 60_000)
    // The file is read, and an editor changes it again within the same clock tick.
    utimesSync(path, soon, soon)
    expect(await memory.bodies('walrus')).toEqual(['a walrus swims'])
    writeFileSync(path, 'a turkey swims\n')
    utimesSync(path, soon, soon)
    const before = statSync(path)
    const appended = entries(['2026-05-09', 'A heron'])
    appendFileSync(path, appended)
    await memory.search.onWritten({ file: 'MEMORY.md', appended, before, after: statSync(path) })
    expect(await memory.bodies('turkey')).toEqual(['a turkey swims'])
  }))

test('rebuilds the index after damage that only a search encounters', () =>
  steps(facts, async (memory) => {
    expect(await memory.bodies('pistachio')).toEqual([alice])
    const { database } = memory.search.index
    database.run('PRAGMA wal_checkpoint(TRUNCATE)')
    const select = `SELECT rootpage FROM sqlite_master WHERE name = 'chunk_terms_data'`
    const { rootpage } = database.query<{ rootpage: number }, []>(select).get()!
    const { page_size } = database.query<{ page_size: number }, []>('PRAGMA page_size').get()!
    const path = join(memory.workspace.path, '.index', 'og.db')
    const bytes = readFileSync(path)
    writeFileSync(path, bytes.fill(0xff, (rootpage - 1) * page_size, rootpage * page_size))
    expect(await askMemory(memory.again(), 'pistachio')).toMatchObject({
      hits: [{ text: expect.stringContaining(alice) }],
    })
  }))
