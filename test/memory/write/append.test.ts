import { expect, test } from 'bun:test'
import { chmodSync, lstatSync, mkdirSync, renameSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { append, type AppendRequest } from '../../../src/memory/write/append.ts'
import { parseEntries } from '../../../src/memory/entry.ts'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { openTestMemory, outcome, projects } from '../../support/memory/memory.ts'
import { openEach } from '../../support/run/dispose.ts'

const temp = openEach(() => createTempFolder('og append'))
const memory = openEach(() => openTestMemory(temp().path, { customFiles: [projects] }))

/** Appends to a file with the content `before`, and expects this added text or error message. */
async function check(request: AppendRequest, expected: string, before?: string) {
  const file = request.file === 'daily' ? 'daily/2026-03-20.md' : request.file
  if (before !== undefined) await memory().put(file, before)
  const result = await outcome(append(memory(), request))
  const added = typeof result === 'string' ? result : memory().text(result.file)
  expect(added).toBe(expected)
}

test("writes an entry in upstream's format and returns its fields", async () => {
  await check(
    { file: 'MEMORY.md', content: ' hello \n', tags: ['a', '#b c'] },
    '# Memory\n\n## 2026-03-20 10:05\n\n#a #b-c\nhello\n',
    '# Memory\n',
  )
  const result = await append(memory(), { file: 'memory.md', content: 'wörld 🌍' })
  expect(result).toMatchObject({
    file: 'MEMORY.md',
    tier: 'long_term',
    timestamp: '2026-03-20 10:05',
    chars_written: '\n## 2026-03-20 10:05\n\nwörld 🌍\n'.length - 1,
    deduplicated: false,
    mode: 'append',
    entry_id: parseEntries(memory().text('MEMORY.md'))[1]!.id,
  })
})

test('starts a daily log with its date', async () => {
  await check(
    { file: 'daily', content: 'a', tags: ['t'] },
    '\n# Daily Log - 2026-03-20\n\n## 10:05\n\n#t\na\n',
  )
  const again = await append(memory(), { file: 'daily', content: 'a' })
  expect(again.deduplicated).toBe(undefined)
  expect(memory().text('daily/2026-03-20.md')).toEndWith('a\n\n## 10:05\n\na\n')
  expect(again).toMatchObject({ tier: 'daily', file: 'daily/2026-03-20.md' })
})

test('appends to other tiers and custom files, and rejects unknown targets', async () => {
  await check({ file: 'USER.md', content: 'x', tags: ['t'] }, '\n## 2026-03-20 10:05\n\nx\n', '')
  await check(
    { file: 'projects.md', content: 'x', tags: ['t'] },
    '\n## 2026-03-20 10:05\n\n#t\nx\n',
  )
  await check({ file: 'MEMORY.md', content: ' \n' }, `'content' cannot be empty for append mode.`)
  const day = 'daily/2020-01-01.md'
  await check(
    { file: day, content: 'x' },
    `'${day}' is a specific daily log and is immutable. Use 'daily' to append to today's log.`,
  )
  for (const file of ['RELATIONS.md', 'no.md', 'FIRST_RUN.md']) {
    const valid = `['MEMORY.md', 'USER.md', 'AGENTS.md', 'daily', 'projects.md']`
    await check({ file, content: 'x' }, `Unknown append target '${file}'. Valid targets: ${valid}.`)
  }
})

test('weakness 15: only a whole entry is a duplicate', async () => {
  await append(memory(), { file: 'MEMORY.md', content: 'Alice loves tea', tags: ['x'] })
  expect(await append(memory(), { file: 'MEMORY.md', content: 'Alice' })).toMatchObject({
    deduplicated: false,
  })
  const before = memory().text('MEMORY.md')
  expect(await append(memory(), { file: 'MEMORY.md', content: 'Alice loves tea' })).toMatchObject({
    deduplicated: true,
    chars_written: 0,
  })
  expect(memory().text('MEMORY.md')).toBe(before)
})

test('a correction refers to its entry, and a corrected body may be written again', async () => {
  const old = await append(memory(), { file: 'MEMORY.md', content: 'Bob is 40' })
  const request = { file: 'MEMORY.md', content: 'Bob is 41', corrects: old.entry_id! }
  await append(memory(), request)
  const entries = parseEntries(memory().text('MEMORY.md'))
  expect(entries.at(-1)).toMatchObject({ body: 'Bob is 41', corrects: [old.entry_id!] })
  const again = await append(memory(), { file: 'MEMORY.md', content: 'Bob is 40' })
  expect(again.deduplicated).toBe(false)
  await check({ ...request, corrects: 'beef' }, 'There is no entry "beef" to correct')
})

test('weakness 6: keeps mode, line endings and links', async () => {
  const path = join(memory().workspace.path, 'MEMORY.md')
  await check(
    { file: 'MEMORY.md', content: 'a\nb' },
    '# M\r\n\r\nold\r\n\r\n## 2026-03-20 10:05\r\n\r\na\r\nb\r\n',
    '# M\r\n\r\nold',
  )
  chmodSync(path, 0o664)
  mkdirSync(join(memory().workspace.path, 'kept'))
  renameSync(path, join(memory().workspace.path, 'kept', 'm.md'))
  symlinkSync('kept/m.md', path)
  await append(memory(), { file: 'MEMORY.md', content: 'c' })
  expect(lstatSync(path).isSymbolicLink()).toBe(true)
  expect(statSync(path).mode & 0o777).toBe(0o664)
  expect(memory().text('MEMORY.md')).toEndWith('\r\nc\r\n')
})

test('weakness 53: does not follow a link out of the workspace', async () => {
  const path = join(memory().workspace.path, 'MEMORY.md')
  renameSync(path, join(temp().path, 'out.md'))
  symlinkSync(join(temp().path, 'out.md'), path)
  await check(
    { file: 'MEMORY.md', content: 'x' },
    `Access denied: 'MEMORY.md' resolves outside the workspace.`,
    undefined,
  )
})

test('weakness 44: passes the appended text to the index, which does not read the file', async () => {
  await append(memory(), { file: 'MEMORY.md', content: 'x' })
  const [written] = memory().written
  expect(written).toMatchObject({ file: 'MEMORY.md', appended: '\n## 2026-03-20 10:05\n\nx\n' })
  expect(written!.after.size - written!.before!.size).toBe(written!.appended!.length)
})

test('weakness 19: warns and keeps the text if indexing fails', async () => {
  memory().onWritten = () => {
    throw new Error('disk full')
  }
  const result = await append(memory(), { file: 'MEMORY.md', content: 'x' })
  expect(result.warning).toBe('Index sync failed: disk full')
  expect(memory().text('MEMORY.md')).toEndWith('x\n')
})
