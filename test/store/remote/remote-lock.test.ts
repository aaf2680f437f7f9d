import { expect, test } from 'bun:test'
import { expiryMs } from '../../../src/store/remote/remote-lock.ts'
import { openRemotes } from '../../support/remotes.ts'
import { openEach } from '../../support/run/dispose.ts'

const remotes = openEach(openRemotes)

test('one machine holds a lock until it releases it or the lock expires', async () => {
  const request = { what: 'library "lib"', onWait: undefined, signal: undefined }
  const lock = await remotes().one.lock('lib', { ...request, timeoutMs: 0 })
  await expect(remotes().two.lock('lib', { ...request, timeoutMs: 0 })).rejects.toThrow(
    'Cannot lock library "lib" in s3://docs/team: another builder is writing it',
  )
  const waiting = remotes().two.lock('lib', { ...request, timeoutMs: 60_000 })
  lock[Symbol.dispose]()
  await remotes().one.locksReleased()
  const second = await waiting
  remotes().server.aheadMs += expiryMs + 6_000
  const third = await remotes().one.lock('lib', { ...request, timeoutMs: 0 })
  second[Symbol.dispose]()
  await remotes().two.locksReleased()
  await expect(remotes().two.lock('lib', { ...request, timeoutMs: 0 })).rejects.toThrow(
    'another builder',
  )
  third[Symbol.dispose]()
  await remotes().one.locksReleased()
})
