import { afterEach, beforeEach, expect, test } from 'bun:test'
import { chmodSync, existsSync, readdirSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createTempFolder, type TempFolder } from '../../src/platform/file/files.ts'
import {
  createLockFile,
  lockExclusive,
  tryLockExclusive,
  tryLockShared,
} from '../../src/platform/lock.ts'
import { startScript } from '../support/child.ts'

let temp: TempFolder
let path = ''
beforeEach(async () => {
  temp = await createTempFolder("og lock 'ü")
  path = join(temp.path, 'locks', 'a')
})
afterEach(async () => temp[Symbol.asyncDispose]())

/** Takes the lock of `path` here and says what came of it. */
async function check(timeoutMs: number, expected: string) {
  const what = 'library "a" version "1"'
  const outcome = await lockExclusive(path, { timeoutMs, what }).then(
    (lock) => (lock[Symbol.dispose](), 'locked'),
    String,
  )
  expect(outcome).toBe(expected)
}

test('an exclusive lock is one', async () => {
  const first = await lockExclusive(path, { timeoutMs: 0, what: 'a' })
  expect(tryLockExclusive(path)).toBe(null)
  expect(tryLockShared(path)).toBe(null)
  first[Symbol.dispose]()
  await check(0, 'locked')
  expect(readdirSync(join(temp.path, 'locks'))).toEqual(['a'])
  expect(statSync(path).size).toBe(0)
})

test('another process waits, and says so once', async () => {
  const mine = await lockExclusive(path, { timeoutMs: 0, what: 'a' })
  await using other = startScript('lock-holder.ts', ['exclusive', path, '20000'])
  expect(await other.line()).toBe('waiting')
  await Bun.sleep(250)
  mine[Symbol.dispose]()
  expect(await other.line()).toBe('locked')
  const what = 'library "a" version "1"'
  await check(0, `OgError: Cannot lock ${what}: another process is writing it (waited 0 s)`)
})

test('who waits too long is told what to do', async () => {
  using _mine = await lockExclusive(path, { timeoutMs: 0, what: 'a' })
  await using other = startScript('lock-holder.ts', ['exclusive', path, '600'])
  expect(await other.line()).toBe('waiting')
  expect(await other.line()).toBe(
    'Cannot lock library "a" version "1": another process is writing it (waited 1 s)',
  )
  expect(await other.line()).toContain('--lock-timeout')
})

test('a lock vanishes with its process, however that ends', async () => {
  for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
    await using other = startScript('lock-holder.ts', ['exclusive', path])
    expect(await other.line()).toBe('locked')
    expect(tryLockExclusive(path)).toBe(null)
    await other.kill(signal)
    await check(0, 'locked')
  }
})

test('a wait can be given up', async () => {
  using _mine = await lockExclusive(path, { timeoutMs: 0, what: 'a' })
  const signal = AbortSignal.timeout(100)
  const waiting = lockExclusive(path, { timeoutMs: 60_000, what: 'a', signal })
  await expect(waiting).rejects.toThrow('timed out')
})

test('readers share, a writer waits for the last of them', async () => {
  await check(0, 'locked')
  await using one = startScript('lock-holder.ts', ['shared', path])
  await using two = startScript('lock-holder.ts', ['shared', path])
  expect([await one.line(), await two.line()]).toEqual(['locked', 'locked'])
  const mine = tryLockShared(path)
  await one.kill()
  await two.kill()
  expect(tryLockExclusive(path)).toBe(null)
  mine![Symbol.dispose]()
  await check(0, 'locked')
})

test('within one process, releasing one lock leaves the others', async () => {
  await check(0, 'locked')
  const first = tryLockShared(path)!
  const second = tryLockShared(path)!
  first[Symbol.dispose]()
  expect(tryLockExclusive(path)).toBe(null)
  await using other = startScript('lock-holder.ts', ['exclusive', path, '20000'])
  expect(await other.line()).toBe('waiting')
  second[Symbol.dispose]()
  expect(await other.line()).toBe('locked')
})

test('a shared lock holds on to its file, whatever its folder is called', async () => {
  const folder = join(temp.path, 'generation')
  const made = await lockExclusive(join(folder, 'a'), { timeoutMs: 0, what: 'a' })
  made[Symbol.dispose]()
  using _lease = tryLockShared(join(folder, 'a'))!
  renameSync(folder, `${folder}-2`)
  expect(tryLockShared(join(folder, 'a'))).toBe(null)
  expect(tryLockExclusive(join(`${folder}-2`, 'a'))).toBe(null)
})

test('there is no shared lock of a file that is gone', () => {
  expect(tryLockShared(join(temp.path, 'gone'))).toBe(null)
  expect(existsSync(join(temp.path, 'gone'))).toBe(false)
})

test('a shared lock works where nothing may be written, and writes nothing', async () => {
  createLockFile(join(temp.path, 'lease'))
  chmodSync(join(temp.path, 'lease'), 0o444)
  chmodSync(temp.path, 0o555)
  const args = ['shared', join(temp.path, 'lease')]
  await using reader = startScript('lock-holder.ts', args, { obeyModes: true })
  expect(await reader.line()).toBe('locked')
  expect(readdirSync(temp.path)).toEqual(['lease'])
})

test('a lock file that may not be written is refused, not locked for reading', async () => {
  createLockFile(join(temp.path, 'lease'))
  chmodSync(join(temp.path, 'lease'), 0o444)
  chmodSync(temp.path, 0o555)
  const args = ['exclusive', join(temp.path, 'lease')]
  await using writer = startScript('lock-holder.ts', args, { obeyModes: true })
  expect(await writer.line()).toContain('Cannot lock library "a" version "1": EACCES')
  expect(await writer.line()).toContain('have to be writable')
})

test('a folder that cannot be made is said', async () => {
  writeFileSync(join(temp.path, 'locks'), '')
  await expect(lockExclusive(path, { timeoutMs: 0, what: 'it' })).rejects.toThrow(
    /^Cannot lock it: E(EXIST|NOTDIR)/,
  )
})
