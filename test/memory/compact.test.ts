import { expect, test } from 'bun:test'
import { append } from '../../src/memory/write/append.ts'
import { listBackups } from '../../src/memory/backup/backup-list.ts'
import { compact, type CompactRequest } from '../../src/memory/compact.ts'
import { undo } from '../../src/memory/write/history.ts'
import { read } from '../../src/memory/read.ts'
import { createTempFolder } from '../../src/platform/file/files.ts'
import { openTestMemory, outcome, projects } from '../support/memory/memory.ts'
import { openEach } from '../support/run/dispose.ts'

const temp = openEach(() => createTempFolder('og compact'))
const memory = openEach(() =>
  openTestMemory(temp().path, { customFiles: [{ ...projects, compactable: true }] }),
)

async function check(request: CompactRequest, expected: object | string, tiers = ['MEMORY.md']) {
  const result = await outcome(compact(memory(), request, { tiers }))
  if (typeof expected === 'string') expect(result).toBe(expected)
  else expect(result).toMatchObject(expected)
}

test('replaces a tier with the trimmed text', async () => {
  const content = ' # Memory\n\nshort ü \n'
  await check({ tier: 'MEMORY.md', content }, { tier: 'MEMORY.md', chars_written: 20 })
  expect(memory().text('MEMORY.md')).toBe('# Memory\n\nshort ü\n')
  await check({ tier: 'projects.md', content: 'x' }, { tier: 'projects.md' })
})

test("rejects invalid requests in upstream's order", async () => {
  const allowed = `['AGENTS.md', 'MEMORY.md', 'USER.md', 'projects.md']`
  await check(
    { tier: 'x.md', content: '' },
    `'x.md' is not a compactable tier. Allowed: ${allowed}`,
  )
  await check(
    { tier: 'USER.md', content: '' },
    `'USER.md' is not in the configured compaction_tiers. Configured: ['MEMORY.md']`,
  )
  await check({ tier: 'MEMORY.md', content: ' ' }, `'content' cannot be empty.`)
})

test('weakness 8: backs up the old text, and undo restores it', async () => {
  await append(memory(), { file: 'MEMORY.md', content: 'precious' })
  const before = memory().text('MEMORY.md')
  await check({ tier: 'MEMORY.md', content: 'x' }, { backup: '2026-03-20_100530' })
  expect(await listBackups(memory().workspace)).toHaveLength(1)
  expect(await undo(memory())).toMatchObject({ op: 'compact' })
  expect(memory().text('MEMORY.md')).toBe(before)
})

test('keeps an entry added after reading if the hash is given', async () => {
  const { hash } = await read(memory().workspace, { file: 'MEMORY.md' }, memory().now)
  await append(memory(), { file: 'MEMORY.md', content: 'meanwhile' })
  await check(
    { tier: 'MEMORY.md', content: 'x', expect: hash },
    'MEMORY.md differs from the expected text; nothing was changed',
  )
  expect(memory().text('MEMORY.md')).toContain('meanwhile')
})
