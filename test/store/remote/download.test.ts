import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { findGenerationFault } from '../../../src/store/file-checks.ts'
import { changeEntries } from '../../../src/store/registry.ts'
import { bucketAddress } from '../../../src/store/remote/address.ts'
import { openBucket } from '../../../src/store/remote/bucket.ts'
import { findRemoteFault } from '../../../src/store/remote/open-remote.ts'
import { openRemotes, read, written } from '../../support/remotes.ts'
import { refused } from '../../support/servers/s3-server.ts'
import { openEach } from '../../support/run/dispose.ts'

const remotes = openEach(openRemotes)

test('fetches truncated, slow or damaged files again, and reports a file that stays wrong', async () => {
  const { id } = await written(remotes().one, 'lib')
  const large = remotes()
    .keysOf(id)
    .find((key) => key.endsWith('.lance'))!
  remotes().server.fault = (asked, nth) => {
    if (asked === `GET ${large}` && nth === 1) return new Response('cut')
    return nth % 3 === 1 ? refused(503, 'SlowDown') : null
  }
  expect(await read(remotes().two, 'lib')).toBe('some text')
  remotes().server.fault = null
  const { body, ...kept } = remotes().server.objects.get(large)!
  remotes().server.objects.set(large, { ...kept, body: body.map((byte) => byte ^ 1) })
  const three = await remotes().machine('three')
  await expect(read(three, 'lib')).rejects.toThrow(
    /^Cannot read library "lib" version "1": .* in s3:\/\/docs\/team has changed since/,
  )
  expect(await findGenerationFault(three.folder, id)).toContain('has changed since it was written')
  const { address, access } = remotes().server
  const bucket = openBucket(bucketAddress(address), access)
  expect(await findRemoteFault(bucket, id)).toBeNull()
  remotes().server.objects.set(large, { ...kept, body: body.slice(1) })
  expect(await findRemoteFault(bucket, id)).toMatch(/has \d+ bytes, \d+ were written/)
  remotes().server.objects.delete(large)
  expect(await findRemoteFault(bucket, id)).toContain('is missing')
})

test('deletes a partial copy once no row references its generation', async () => {
  const { server, two } = remotes()
  const { id } = await written(remotes().one, 'lib')
  const large = remotes()
    .keysOf(id)
    .find((key) => key.endsWith('.lance'))!
  server.fault = (asked) => (asked === `GET ${large}` ? refused(403, 'AccessDenied') : null)
  await expect(read(two, 'lib')).rejects.toThrow('403')
  const left = join(two.folder, 'copying', id)
  expect(existsSync(left)).toBe(true)
  await written(remotes().one, 'other')
  await two.refresh('now')
  expect(await read(two, 'other')).toBe('some text')
  expect(existsSync(left)).toBe(true)
  server.fault = null
  await changeEntries(remotes().one.folder, (all) => all.filter(({ key }) => key !== 'lib'))
  await written(remotes().one, 'third')
  await two.refresh('now')
  expect(await read(two, 'third')).toBe('some text')
  expect(existsSync(left)).toBe(false)
})
