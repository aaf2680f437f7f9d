import { expect, test } from 'bun:test'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { readForeignNotes, type ForeignFormat } from '../../src/memory/foreign-notes.ts'
import { createTempFolder } from '../../src/platform/file/files.ts'
import { usedCpuMs } from '../support/pages/cpu-time.ts'
import { openEach } from '../support/run/dispose.ts'

const temp = openEach(() => createTempFolder('og foreign'))

function put(name: string, text: string): string {
  const path = join(temp().path, name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  return path
}

const read = (format: ForeignFormat, name: string, text: string) =>
  readForeignNotes(put(name, text), format)

test('reads entities and relations of the MCP memory server', async () => {
  const lines = [
    { type: 'entity', name: 'Ann', entityType: 'person', observations: ['likes tea', 'a\n## b'] },
    { type: 'relation', from: 'Ann', to: 'Acme', relationType: 'works_at' },
    { type: 'relation', from: 'Ann', to: '' },
  ]
  const text = `${lines.map((line) => JSON.stringify(line)).join('\n')}\n\n{broken\n`
  expect(await read('mcp-memory', 'm.jsonl', text)).toEqual({
    entries: [{ content: 'Ann (person)\n- likes tea\n- a ## b', tags: [] }],
    relations: [{ subject: 'Ann', predicate: 'works_at', object: 'Acme' }],
    skipped: [
      'line 3: a part of the relation is missing',
      'line 5: neither an entity nor a relation',
    ],
  })
})

test('reads exports of mem0 and OpenMemory', async () => {
  const results = [
    { memory: 'Likes tea', categories: ['food'], created_at: '2025-01-02T03:04:05Z' },
    { id: 1 },
  ]
  const relations = [{ source: 'ann', relationship: 'likes', target: 'tea' }]
  expect(await read('mem0', 'a.json', JSON.stringify({ results, relations }))).toEqual({
    entries: [{ content: 'Likes tea (recorded 2025-01-02)', tags: ['food'] }],
    relations: [{ subject: 'ann', predicate: 'likes', object: 'tea' }],
    skipped: ['memory 2: it has no text'],
  })
  const memories = [{ content: 'Uses pnpm', categories: [{ name: 'work' }] }, 'Plain text']
  expect((await read('mem0', 'b.json', JSON.stringify({ memories }))).entries).toEqual([
    { content: 'Uses pnpm', tags: ['work'] },
    { content: 'Plain text', tags: [] },
  ])
})

test('reads a folder of Markdown with its links and tags, and no hidden files or links', async () => {
  put(
    'v/A.md',
    '---\ntitle: Tea\ntags: [drink, hot]\n---\n# Tea\n\n## Kinds\nSee [[Oolong]] #leaf\n',
  )
  put('v/sub/B.md', '```sh\n# a comment\n```\r\n')
  put('v/.obsidian/C.md', 'hidden')
  put('v/empty.md', '---\ntags: x\n---\n')
  put('v/broken.md', '---\na: [\n---\ntext\n')
  symlinkSync('/etc', join(temp().path, 'v', 'etc'))
  expect((await readForeignNotes(join(temp().path, 'v'), 'markdown')).entries).toEqual([
    { content: 'Tea\n\n**Kinds**\nSee [[Oolong]] #leaf', tags: ['drink', 'hot'] },
    { content: 'broken\n\ntext', tags: [] },
    { content: 'B\n\n```sh\n# a comment\n```', tags: [] },
  ])
})

test('rejects sources without notes of the format', async () => {
  expect(read('mem0', 'a.json', '{"x"')).rejects.toThrow('it is not JSON')
  expect(read('mem0', 'b.json', '{}')).rejects.toThrow('it has no notes in the format "mem0"')
  expect(read('mcp-memory', 'c', 'x\n')).rejects.toThrow('no notes in the format "mcp-memory"')
  const missing = join(temp().path, 'missing')
  expect(readForeignNotes(missing, 'markdown')).rejects.toThrow(`Cannot read ${missing}`)
  expect(readForeignNotes(temp().path, 'mem0')).rejects.toThrow(`Cannot read ${temp().path}`)
})

test('reads hostile input in linear time', async () => {
  const started = usedCpuMs()
  for (const part of ['#', '# ', '---\n', '\n---', '```\n', ' ', '# a ']) {
    await read('markdown', 'h/a.md', `x${part.repeat(900_000 / part.length)}`).catch(() => {})
    await readForeignNotes(join(temp().path, 'h'), 'markdown').catch(() => {})
  }
  await read('mem0', 'deep.json', '['.repeat(200_000)).catch(() => {})
  expect(usedCpuMs() - started).toBeLessThan(2_000)
})
