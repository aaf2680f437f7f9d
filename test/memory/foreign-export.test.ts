import { expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEntries } from '../../src/memory/entry.ts'
import {
  exportedEntries,
  exportedText,
  renderExport,
  type ExportFormat,
} from '../../src/memory/foreign-export.ts'
import { readForeignNotes, type ForeignFormat } from '../../src/memory/foreign-notes.ts'
import { createTempFolder } from '../../src/platform/file/files.ts'
import { openEach } from '../support/run/dispose.ts'

const temp = openEach(() => createTempFolder('og export'))

const day = '2026-03-20'
const entriesOf = (text: string, file = 'MEMORY.md') =>
  exportedEntries(
    parseEntries(text).map((entry) => ({ ...entry, file })),
    day,
  )

const text = [
  '# Memory\n',
  '## 2026-01-02 10:05\n\n#ops #2026\nDeploys go out on Tuesdays.\n',
  '## 2026-01-02 10:06\n\nStandup\nfirst: a\n### Deep\n```sh\n# comment\n```\n',
  '## 2026-01-02 10:07\n\nStandup\nfirst: b [x] (y) #z\n',
  '## 2026-01-02 10:08\n\nAnn (person)\n- likes tea\n- plays go\n',
  '## 2026-01-02 10:09\n\n#x\nAnn (person)\n- is tall\n',
  '## Con\n\n- [ ] "quoted": yes #tag\n',
  '## 2026-01-02 10:11\n\n- see [[Tea]]\n- see [[Go]]\n',
  `## 2026-01-02 10:10\n\n${'ä😀'.repeat(60)} | [[link]]\n`,
].join('\n')
const relations = [
  { subject: 'Ann', predicate: 'works at', object: 'Acme: Inc.' },
  { subject: 'Ann', predicate: 'likes', object: 'tea' },
  { subject: 'Ann', predicate: '"so to say" owns', object: 'Go' },
]

async function exported(format: ExportFormat): Promise<string> {
  const files = await renderExport(format, { entries: entriesOf(text), relations, user: 'default' })
  const path = join(temp().path, format)
  const single = files.get('')
  if (single === undefined) mkdirSync(path)
  for (const [name, content] of files) writeFileSync(join(path, name), content)
  return path
}

test('every format is imported as the exported entries, tags and relations', async () => {
  const expected = entriesOf(text).map((entry) => {
    return { content: exportedText(entry), tags: entry.tags }
  })
  expect(expected).toHaveLength(8)
  expect(expected[5]!.content).toBe('Con\n\n- [ ] "quoted": yes #tag')
  const formats: [ExportFormat, ForeignFormat][] = [
    ['mcp-memory', 'mcp-memory'],
    ['mem0', 'mem0'],
    ['basic-memory', 'markdown'],
  ]
  for (const [to, from] of formats) {
    const notes = await readForeignNotes(await exported(to), from)
    expect(notes.skipped).toEqual([])
    expect(new Set(notes.entries)).toEqual(new Set(expected))
    expect(notes.entries).toHaveLength(expected.length)
    expect(notes.relations).toEqual(relations)
  }
})

test('selects the entries that are true, once and without seeds', () => {
  const [old] = parseEntries('## 2026-01-01 10:00\n\nold\n')
  const texts = [
    '## 2026-01-01 10:00\n\nold\n',
    `## 2026-01-02 10:00\n\n<!-- corrects: ${old!.id} -->\nnew\n`,
    '## 2026-01-03 10:00\n\nnew\n',
    `## 2026-01-03 10:01\n\n<!-- valid until ${day} -->\nexpired\n`,
    '## 2026-01-03 10:02\n\n<!-- valid from 2026-03-21 -->\nlater\n',
    `## 2026-01-03 10:03\n\n<!-- valid from ${day} until 2026-03-21 -->\ntoday\n`,
    '## Using memory\n\nSearch with `memory_read` before you answer from nothing. ' +
      '`memory_write` records a fact,\n`memory_relate` a relation between two things.\n',
  ]
  expect(entriesOf(texts.join('\n')).map(({ body }) => body)).toEqual(['new', 'today'])
})

test('writes the documented shape of each format', async () => {
  const [entry] = entriesOf('## 2026-01-02 10:05\n\n#ops\nDeploys go out on Tuesdays.\n')
  const notes = { entries: [entry!], relations: [relations[1]!], user: 'work' }
  const mcp = (await renderExport('mcp-memory', notes)).get('')!
  expect(
    mcp
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toEqual([
    {
      type: 'entity',
      name: 'Deploys go out on Tuesdays.',
      entityType: 'og',
      observations: ['Deploys go out on Tuesdays.', 'ops'],
    },
    { type: 'entity', name: 'Ann', entityType: 'og', observations: [] },
    { type: 'entity', name: 'tea', entityType: 'og', observations: [] },
    { type: 'relation', from: 'Ann', to: 'tea', relationType: 'likes' },
  ])
  expect(JSON.parse((await renderExport('mem0', notes)).get('')!)).toEqual({
    results: [
      {
        id: entry!.id,
        memory: 'Deploys go out on Tuesdays.',
        user_id: 'work',
        metadata: { source: 'og', file: 'MEMORY.md' },
        categories: ['ops'],
        created_at: new Date('2026-01-02T10:05:00').toISOString(),
        updated_at: null,
      },
    ],
    relations: [{ source: 'Ann', relationship: 'likes', target: 'tea' }],
  })
  expect(await renderExport('basic-memory', notes)).toEqual(
    new Map([
      [
        'deploys go out on tuesdays.md',
        '---\ntitle: Deploys go out on Tuesdays.\ntype: note\nsource: og\ntags:\n  - ops\n' +
          'recorded: 2026-01-02\n---\n\n' +
          '- [fact] Deploys go out on Tuesdays. #ops\n',
      ],
      ['ann.md', '---\ntitle: Ann\ntype: note\nsource: og relations\n---\n\n- likes [[tea]]\n'],
    ]),
  )
})

test('quotes a relation type with spaces for basic-memory', async () => {
  const files = await renderExport('basic-memory', { entries: [], relations, user: 'default' })
  expect(files.get('ann.md')).toEndWith(
    '\n- "works at" [[Acme: Inc.]]\n- likes [[tea]]\n- ""so to say" owns" [[Go]]\n',
  )
})

test('gives every entity and note its own name', async () => {
  const entries = entriesOf(
    ['A b', 'a B', 'A b 2', 'A b?']
      .map((it) => `## 2026-01-02 10:05\n\n${it}\nx${it}\n`)
      .join('\n'),
  )
  const notes = { entries, relations: [], user: 'default' }
  expect([...(await renderExport('basic-memory', notes)).keys()].toSorted()).toEqual([
    'a b 2 2.md',
    'a b 2.md',
    'a b 3.md',
    'a b.md',
  ])
})
