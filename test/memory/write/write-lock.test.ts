import { expect, test } from 'bun:test'
import { existsSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readChanges, writeJournal, type JournalChange } from '../../../src/memory/write/journal.ts'
import { recover, withWriteLock } from '../../../src/memory/write/write-lock.ts'
import { OgError } from '../../../src/platform/error.ts'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { savedFileName, savedFileHash } from '../../../src/platform/file/saved-file.ts'
import { lockExclusive } from '../../../src/platform/lock.ts'
import { openTestMemory, outcome } from '../../support/memory/memory.ts'
import { openEach } from '../../support/run/dispose.ts'

const temp = openEach(() => createTempFolder('og turn'))
const memory = openEach(() => openTestMemory(temp().path))

const again = () => openTestMemory(temp().path)
const place = (...names: string[]) => join(memory().workspace.path, ...names)
const lockOf = () => lockExclusive(place('.og', 'lock'), { timeoutMs: 1000, what: 'the lock' })
const nothing = async () => {}

test('runs turns one by one in the order of the calls, each with its own time', async () => {
  const told: string[] = []
  const write = (name: string, ms: number) =>
    withWriteLock(memory(), async ({ writer, now, warning }) => {
      told.push(`${name} begins at ${now.getTime() - memory().now.getTime()}`)
      expect([writer === memory(), warning]).toEqual([true, null])
      await Bun.sleep(ms)
      told.push(`${name} ends`)
      return name
    })
  const names = [...'abcdefgh']
  expect(await Promise.all(names.map((name, i) => write(name, (i * 5) % 8)))).toEqual(names)
  expect(told).toEqual(names.flatMap((name) => [`${name} begins at 0`, `${name} ends`]))
})

test('reports a failed turn to its caller and continues with the next', async () => {
  const failure = new Error('of the write')
  const failed = withWriteLock(memory(), async () => {
    throw failure
  })
  const next = withWriteLock(memory(), async () => 'written')
  expect(await failed.catch((error: unknown) => error)).toBe(failure)
  expect(await next).toBe('written')
})

test('makes another writer wait, and names the memory in the timeout error', async () => {
  const other = await again()
  other.lockTimeoutMs = 1
  const message = await withWriteLock(memory(), () => outcome(withWriteLock(other, nothing)))
  expect(message).toContain('memory "default"')
  expect(await outcome(withWriteLock(other, async () => 'written'))).toBe('written')
})

test('reports a full disk with the memory, the folder, the reason and a remedy', async () => {
  const refusal = Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' })
  const error = await withWriteLock(memory(), async () => {
    throw refusal
  }).catch((thrown) => thrown)
  expect(error).toBeInstanceOf(OgError)
  expect(error.message).toBe(
    `Cannot write memory "default" in ${memory().workspace.path}: the disk is full`,
  )
  expect(error.hint).toContain('GROUNDMEMORY_ROOT_DIR')
  const own = new OgError('permission denied to say so')
  expect(
    await withWriteLock(memory(), async () => {
      throw own
    }).catch((thrown) => thrown),
  ).toBe(own)
})

type Cut = Partial<Pick<JournalChange, 'offset' | 'removed' | 'inserted' | 'size'>>

/**
 * Leaves the change `x` pending. Expects this text of NOTES.md (null if missing) after the next
 * turn of another process, and whether the change counts as applied.
 */
async function check(text: string | null, cut: Cut, expected: [string | null, boolean]) {
  rmSync(place('.og', 'journal'), { recursive: true, force: true })
  rmSync(place('NOTES.md'), { force: true })
  if (text !== null) writeFileSync(place('NOTES.md'), text)
  await writeJournal(memory().workspace, {
    id: 'x',
    at: '2026-03-20T00:00:00.000Z',
    op: 'append',
    file: 'NOTES.md',
    offset: 0,
    removed: '',
    inserted: 'üö\n',
    size: null,
    ...cut,
  })
  await recover(await again())
  const after = existsSync(place('NOTES.md')) ? memory().text('NOTES.md') : null
  expect([after, (await readChanges(memory().workspace)).length === 1]).toEqual(expected)
}

test('voids an append that never started and completes a partial one', async () => {
  await check(null, {}, [null, false])
  await check('', {}, ['', false])
  await check('ü', {}, ['üö\n', true])
  await check('üö\n', {}, ['üö\n', true])
  await check('a\n', { offset: 2, size: 2 }, ['a\n', false])
  await check('a\nü', { offset: 2, size: 2 }, ['a\nüö\n', true])
  await check('a\nüö\nby hand\n', { offset: 2, size: 2 }, ['a\nüö\nby hand\n', true])
  // Text that an editor wrote at the same position is not part of the change.
  await check('a\nb', { offset: 2, size: 2 }, ['a\nb', false])
})

test('detects an applied change even if another program has written since', async () => {
  await check('by hand, and longer\n', {}, ['by hand, and longer\n', false])
  await check('by hand\nüö\n', {}, ['by hand\nüö\n', true])
  const replaced = { offset: 1, removed: 'bb', inserted: 'cc', size: 4 }
  await check('abbd\nby hand\n', replaced, ['abbd\nby hand\n', false])
  await check('accd\nby hand\n', replaced, ['accd\nby hand\n', true])
  await check('by hand\naccd', replaced, ['by hand\naccd', true])
  const deleted = { ...replaced, inserted: '' }
  await check('ad\nby hand\n', deleted, ['ad\nby hand\n', true])
  await check('abbd\nby hand\n', deleted, ['abbd\nby hand\n', false])
})

test('a killed edit keeps lines that were appended after the files were swapped', async () => {
  await memory().put('NOTES.md', 'new\n')
  const kept = { name: 'NOTES.md', newInode: statSync(place('NOTES.md'), { bigint: true }).ino }
  const old = { size: 4, hash: savedFileHash(Buffer.from('old\n')) }
  writeFileSync(place(savedFileName({ ...kept, ...old })), 'old\nby hand\n')
  const cut = { offset: 0, removed: 'old', inserted: 'new', size: 4 }
  await writeJournal(memory().workspace, {
    id: 'y',
    at: '2026-03-20T00:00:00.000Z',
    op: 'replace_text',
    file: 'NOTES.md',
    ...cut,
  })
  await withWriteLock(memory(), async () => {})
  expect(memory().text('NOTES.md')).toBe('new\nby hand\n')
  expect((await readChanges(memory().workspace)).map(({ id }) => id)).toEqual(['y'])
})

test('a replacement counts as applied if the file differs from the old text', async () => {
  const replaced = { offset: 1, removed: 'bb', inserted: 'cc', size: 4 }
  await check('abbd', replaced, ['abbd', false])
  await check('accd', replaced, ['accd', true])
  await check('abd', replaced, ['abd', true])
  await check(null, replaced, [null, true])
})

test('the next writer settles an open change only once', async () => {
  await check('ü', {}, ['üö\n', true])
  memory().now = new Date(2026, 3, 1)
  writeFileSync(place('NOTES.md'), 'ü')
  await recover(memory())
  expect(memory().text('NOTES.md')).toBe('ü')
})

test('takes no lock if no change is open', async () => {
  using _lock = await lockOf()
  memory().lockTimeoutMs = 1
  await recover(memory())
  await writeJournal(memory().workspace, {
    id: 'x',
    at: '2026-03-20T00:00:00.000Z',
    op: 'append',
    file: 'NOTES.md',
    offset: 0,
    removed: '',
    inserted: 'x',
    size: null,
  })
  expect(await outcome(recover(memory()))).toContain('memory "default"')
})

test('completes a committed restore before the first write', async () => {
  mkdirSync(place('.og', 'restore'), { recursive: true })
  writeFileSync(place('.og', 'restore', 'USER.md'), 'from the backup\n')
  writeFileSync(place('.og', 'restore', '.present.json'), '{}')
  rmSync(place('USER.md'))
  await recover(memory())
  expect(memory().text('USER.md')).toBe('from the backup\n')
  expect(existsSync(place('.og', 'restore'))).toBe(false)
})

test('deletes only leftovers of killed processes, also in the daily folder', async () => {
  mkdirSync(place('daily'))
  const left = ['.USER.md.123.0123456789ab', '.USER.md.0123456789ab', 'daily/.x.md.0123456789ab']
  const kept = ['.gitignore', '.USER.md.swp', 'USER.md.0123456789ab', '.a.0123456789xy']
  for (const name of [...left, ...kept]) writeFileSync(place(name), 'x')
  await withWriteLock(memory(), nothing)
  expect(left.filter((name) => existsSync(place(name)))).toEqual([])
  expect(kept.filter((name) => !existsSync(place(name)))).toEqual([])
})
