import { beforeEach, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { append } from '../../../src/memory/write/append.ts'
import {
  applyEdits,
  editsToApply,
  parsePatch,
  renderPatch,
} from '../../../src/memory/audit/audit-patch.ts'
import { audit, type AuditOptions, type Finding } from '../../../src/memory/audit/audit.ts'
import { undo } from '../../../src/memory/write/history.ts'
import { openRecallCounts } from '../../../src/memory/recall/recall-counts.ts'
import { parseRelations } from '../../../src/memory/relation/relation.ts'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { openTestMemory, outcome } from '../../support/memory/memory.ts'
import { openEach } from '../../support/run/dispose.ts'

const temp = openEach(() => createTempFolder('og audit'))
const memory = openEach(() => openTestMemory(temp().path))
beforeEach(() => memory().put('AGENTS.md', ''))

const options = (): AuditOptions => ({
  now: memory().now,
  recalls: { counts: new Map(), since: null },
  maxEntryChars: 300,
  maxFileChars: 2000,
  unrecalledDays: 90,
})

/** Expects these findings for the files, each as `kind file:lines`. */
async function check(files: Record<string, string>, expected: string[], known = {}) {
  for (const [file, text] of Object.entries(files)) await memory().put(file, text)
  const findings = await audit(memory().workspace, { ...options(), ...known })
  expect(findings.map(shown)).toEqual(expected)
  return findings
}

const shown = ({ kind, file, start_line, end_line }: Finding) =>
  `${kind} ${file}:${start_line}-${end_line}`

test('finds exact duplicates, and the patch keeps the first', async () => {
  const text = '## a\n\nBob likes tea\n\n## b\n\nBob  likes tea\n\n## c\n\nother\n'
  const findings = await check({ 'MEMORY.md': text }, ['duplicate MEMORY.md:5-7'])
  const edits = editsToApply(findings)
  expect(renderPatch(edits)).toBe(
    '--- a/MEMORY.md\n+++ b/MEMORY.md\n@@ -4,4 +3,0 @@\n-\n-## b\n-\n-Bob  likes tea\n',
  )
  await applyEdits(memory(), edits)
  expect(memory().text('MEMORY.md')).toBe('## a\n\nBob likes tea\n\n## c\n\nother\n')
  await undo(memory())
  expect(memory().text('MEMORY.md')).toBe(text)
  await memory().put('MEMORY.md', `# new\n${text}`)
  expect(await outcome(applyEdits(memory(), edits))).toContain('differs from the expected text')
})

test('names a file that is not text and audits the others', async () => {
  await memory().put('MEMORY.md', '## a\n\nBob likes tea\n\n## b\n\nBob likes tea\n')
  writeFileSync(
    join(memory().workspace.path, 'USER.md'),
    Buffer.from('## a\n\ncaf\xe9\n', 'latin1'),
  )
  const findings = await audit(memory().workspace, options())
  expect(findings.map(shown)).toEqual(['unreadable USER.md:1-1', 'duplicate MEMORY.md:5-7'])
  expect(findings[0]!.message).toBe('not audited: it is not UTF-8 text')
})

test('keeps a duplicate that a correction refers to', async () => {
  await memory().put('MEMORY.md', '## a\n\nBob is 40\n\n## b\n\nBob is 40\n')
  const [finding] = await audit(memory().workspace, options())
  await append(memory(), { file: 'MEMORY.md', content: 'Bob is 41', corrects: finding!.entry_id! })
  expect(await audit(memory().workspace, options())).toEqual([])
})

test('finds near duplicates across files, but never corrected entries', async () => {
  const many = Array.from(
    { length: 500 },
    (_, i) => `## e${i}\n\nentry w${i} about thing x${i} and y${i} with z${i} then q${i}\n`,
  ).join('\n')
  const said = 'the deploy script of the billing service needs node 22 and runs at night'
  await check({ 'MEMORY.md': `${many}\n## n\n\n${said}\n`, 'USER.md': `## u\n\n${said} now\n` }, [
    'near_duplicate USER.md:1-3',
    'oversized MEMORY.md:1-2003',
  ])
})

test('treats short entries as near duplicates only if all terms match', async () => {
  const text = '## a\n\nBob likes tea.\n\n## b\n\nBob likes tea!\n\n## c\n\nBob likes tea pots\n'
  await check({ 'MEMORY.md': text }, ['near_duplicate MEMORY.md:5-7'])
})

test('finds contradicting relations, and the fix marks the older one as past', async () => {
  const lines = [
    '- [Ann] --works at--> [Acme] (2026-01-01)',
    '- [ann] --works at--> [Beta] (2026-02-01)',
    '- [Ann] --knows--> [Bob]',
    '- [Ann] --knows--> [Cleo]',
    '- [Ann] --likes--> [tea]',
    '- [Ann] --does not like--> [tea] (2026-03-01)',
    '- [Bob] --dislikes--> [Go]',
    '- [Bob] --likes--> [Go]',
    '- [Bob] --is--> [admin]',
    '- [Bob] --is not--> [admin]',
  ]
  const text = `${lines.join('\n')}\n`
  const findings = await check({ 'RELATIONS.md': text }, [
    'contradiction RELATIONS.md:1-1',
    'contradiction RELATIONS.md:5-5',
    'contradiction RELATIONS.md:7-7',
    'contradiction RELATIONS.md:9-9',
  ])
  await applyEdits(memory(), editsToApply(findings.slice(0, 1)))
  expect(parseRelations(memory().text('RELATIONS.md')).slice(0, 2)).toMatchObject([
    { object: 'Acme', isPast: true, until: '2026-02-01' },
    { object: 'Beta', isPast: false },
  ])
  expect(findings[0]!.message).toBe(
    '[Ann] --works at--> [Acme] contradicts [ann] --works at--> [Beta]',
  )
})

test('finds and removes secrets, but not texts that mention secrets', async () => {
  const key = `AKIA${'ABCDEFGH12345678'}`
  const text = [
    `aws ${key} here`,
    'db postgres://bob:hunter22@host/db',
    'password: "tr0ub4dor&3"',
    `token ghp_${'a1'.repeat(20)}`,
    'the password is stored in the vault',
    'the api key is secretive',
    'no secret here',
  ].join('\n')
  const findings = await check({ 'USER.md': `${text}\n` }, [
    'secret USER.md:1-1',
    'secret USER.md:2-2',
    'secret USER.md:3-3',
    'secret USER.md:4-4',
  ])
  expect(findings.map(({ message }) => message).join()).not.toContain('tr0ub4dor')
  await applyEdits(memory(), editsToApply(findings))
  expect(memory().text('USER.md').split('\n').slice(0, 4)).toEqual([
    'aws [removed] here',
    'db postgres://bob:[removed]@host/db',
    'password: "[removed]"',
    'token [removed]',
  ])
})

test('finds and removes secrets in the inbox', async () => {
  const files = { 'INBOX.md': '## rule\n\nuse postgres://bob:hunter22@host/db\n' }
  const findings = await check(files, ['secret INBOX.md:3-3'])
  await applyEdits(memory(), editsToApply(findings))
  expect(memory().text('INBOX.md')).toContain('bob:[removed]@host')
})

test('finds entries that are too long, and files that bootstrap truncates', async () => {
  await check({ 'MEMORY.md': `## a\n\n${'x '.repeat(200)}\n` }, ['oversized MEMORY.md:1-3'])
  await check({ 'MEMORY.md': '## a\n\nb c\n'.repeat(1) + '## d\n\ne\n'.repeat(1) }, [])
})

test('finds entries that were never recalled, if counting has run long enough', async () => {
  const text = '## 2025-01-01 10:00\n\nold and never asked for\n\n## 2026-03-19 10:00\n\nnew\n'
  const since = (day: string | null) => ({ recalls: { counts: new Map(), since: day } })
  const [finding] = await check(
    { 'MEMORY.md': text },
    ['never_recalled MEMORY.md:1-3'],
    since('2025-06-01'),
  )
  await check({}, [], since('2026-03-01'))
  await check({}, [], since(null))
  const counts = new Map([[finding!.entry_id!, 1]])
  await check({}, [], { recalls: { counts, since: '2025-06-01' } })
})

test('counts recalls across sessions', () => {
  const open = () => openRecallCounts(memory().workspace, memory().clock)
  expect(open().read()).toEqual({ counts: new Map(), since: null })
  for (const ids of [['a', 'b'], ['a']]) {
    using recalls = open()
    recalls.count(ids)
  }
  expect(open().read()).toEqual({
    counts: new Map([
      ['a', 2],
      ['b', 1],
    ]),
    since: '2026-03-20',
  })
})

test('a printed patch parses to the same edits, whatever their lines start with', () => {
  const edit = { file: 'MEMORY.md', start_line: 3, end_line: 4 }
  const edits = [
    { ...edit, expect: '-- a/x\n+y\n', content: '@@ -1 +1 @@\n' },
    { ...edit, start_line: 9, end_line: 9, expect: '\\ last', content: '' },
    { ...edit, file: 'daily/2026-01-01.md', expect: 'a\r\nb\r\n', content: 'c\r\n' },
  ]
  expect(parsePatch(renderPatch(edits))).toEqual(edits)
  expect(() => parsePatch('@@ -1,1 +1,0 @@\n-x\n')).toThrow('line 1 does not belong to a hunk')
  expect(() => parsePatch('--- a/x\n+++ b/x\n@@ -1 +1 @@\n context\n')).toThrow('line 4')
})
