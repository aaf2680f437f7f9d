import { afterEach, beforeEach, expect, test } from 'bun:test'
import { chmodSync, existsSync, readdirSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createTempFolder, type TempFolder } from '../../src/platform/file/files.ts'
import {
  createLockFile,
  lockExclusive,
  onSlowLock,
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

/** Takes the lock of `path` in this process and returns the result. */
async function check(timeoutMs: number, expected: string) {
  const what = 'library "a" version "1"'
  const outcome = await lockExclusive(path, { timeoutMs, what }).then(
    (lock) => (lock[Symbol.dispose](), 'locked'),
    String,
  )
  expect(outcome).toBe(expected)
}

test('grants an exclusive lock only once', async () => {
  const first = await lockExclusive(path, { timeoutMs: 0, what: 'a' })
  expect(tryLockExclusive(path)).toBe(null)
  expect(tryLockShared(path)).toBe(null)
  first[Symbol.dispose]()
  await check(0, 'locked')
  expect(readdirSync(join(temp.path, 'locks'))).toEqual(['a'])
  expect(statSync(path).size).toBe(0)
})

test('makes another process wait, and reports the wait once', async () => {
  const mine = await lockExclusive(path, { timeoutMs: 0, what: 'a' })
  await using other = startScript('lock-holder.ts', ['exclusive', path, '20000'])
  expect(await other.line()).toBe('waiting')
  await Bun.sleep(250)
  mine[Symbol.dispose]()
  expect(await other.line()).toBe('locked')
  const what = 'library "a" version "1"'
  await check(0, `OgError: Cannot lock ${what}: another process is writing it (waited 0 s)`)
})

test('reports a wait of more than a second if the caller reports none', async () => {
  const mine = await lockExclusive(path, { timeoutMs: 0, what: 'a' })
  const reports: string[] = []
  const { promise, resolve } = Promise.withResolvers<void>()
  onSlowLock((what) => (reports.push(what), resolve()))
  const start = performance.now()
  const waiting = lockExclusive(path, { timeoutMs: 600_000, what: 'the list', pollMs: 5 })
  await promise
  expect(performance.now() - start).toBeGreaterThan(900)
  mine[Symbol.dispose]()
  using _lock = await waiting
  expect(reports).toEqual(['the list'])
  onSlowLock(() => {})
})

test('suggests a remedy after a timeout', async () => {
  using _mine = await lockExclusive(path, { timeoutMs: 0, what: 'a' })
  await using other = startScript('lock-holder.ts', ['exclusive', path, '600'])
  expect(await other.line()).toBe('waiting')
  expect(await other.line()).toMatch(
    /^Cannot lock library "a" version "1": another process is writing it \(waited [1-9]\d* s\)$/,
  )
  expect(await other.line()).toBe('wait for it to end, then run the command again')
})

test('releases the lock when its process ends in any way', async () => {
  for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
    await using other = startScript('lock-holder.ts', ['exclusive', path])
    expect(await other.line()).toBe('locked')
    expect(tryLockExclusive(path)).toBe(null)
    await other.kill(signal)
    await check(0, 'locked')
  }
})

test('stops waiting when the signal aborts', async () => {
  using _mine = await lockExclusive(path, { timeoutMs: 0, what: 'a' })
  const signal = AbortSignal.timeout(100)
  const waiting = lockExclusive(path, { timeoutMs: 60_000, what: 'a', signal })
  await expect(waiting).rejects.toThrow('timed out')
})

test('shares a lock among readers, and a writer waits for the last one', async () => {
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

test('keeps other locks of the same process when one is released', async () => {
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

test('keeps a shared lock on its file when the folder is renamed', async () => {
  const folder = join(temp.path, 'generation')
  const made = await lockExclusive(join(folder, 'a'), { timeoutMs: 0, what: 'a' })
  made[Symbol.dispose]()
  using _lease = tryLockShared(join(folder, 'a'))!
  renameSync(folder, `${folder}-2`)
  expect(tryLockShared(join(folder, 'a'))).toBe(null)
  expect(tryLockExclusive(join(`${folder}-2`, 'a'))).toBe(null)
})

test('grants no shared lock on a missing file', () => {
  expect(tryLockShared(join(temp.path, 'gone'))).toBe(null)
  expect(existsSync(join(temp.path, 'gone'))).toBe(false)
})

test('acquires a shared lock in a read-only folder without writing', async () => {
  createLockFile(join(temp.path, 'lease'))
  chmodSync(join(temp.path, 'lease'), 0o444)
  chmodSync(temp.path, 0o555)
  const args = ['shared', join(temp.path, 'lease')]
  await using reader = startScript('lock-holder.ts', args, { obeyModes: true })
  expect(await reader.line()).toBe('locked')
  expect(readdirSync(temp.path)).toEqual(['lease'])
})

test('rejects a read-only lock file instead of locking it for reading', async () => {
  createLockFile(join(temp.path, 'lease'))
  chmodSync(join(temp.path, 'lease'), 0o444)
  chmodSync(temp.path, 0o555)
  const args = ['exclusive', join(temp.path, 'lease')]
  await using writer = startScript('lock-holder.ts', args, { obeyModes: true })
  expect(await writer.line()).toContain('Cannot lock library "a" version "1": permission denied')
  expect(await writer.line()).toContain('files writable')
})

test('reports a folder that cannot be created', async () => {
  writeFileSync(join(temp.path, 'locks'), '')
  await expect(lockExclusive(path, { timeoutMs: 0, what: 'it' })).rejects.toThrow(
    /^Cannot lock it: (file already exists|not a directory)/,
  )
})
