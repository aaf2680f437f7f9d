import { afterEach, beforeEach, expect, test } from 'bun:test'
import { generationFault } from '../../../src/store/integrity/wholeness.ts'
import { bucketAddress } from '../../../src/store/remote/address.ts'
import { openBucket } from '../../../src/store/remote/bucket.ts'
import { remoteFault } from '../../../src/store/remote/remote-fault.ts'
import { openRemotes, read, type Remotes, written } from '../../support/remotes.ts'
import { refused } from '../../support/servers/s3-server.ts'

let remotes: Remotes
beforeEach(async () => {
  remotes = await openRemotes()
})
afterEach(() => remotes[Symbol.asyncDispose]())

test('what is cut, slow or damaged on its way is fetched again; what lies so is named', async () => {
  const { id } = await written(remotes.one, 'lib')
  const large = remotes.keysOf(id).find((key) => key.endsWith('.lance'))!
  remotes.server.fault = (asked, nth) => {
    if (asked === `GET ${large}` && nth === 1) return new Response('cut')
    return nth % 3 === 1 ? refused(503, 'SlowDown') : null
  }
  expect(await read(remotes.two, 'lib')).toBe('some text')
  remotes.server.fault = null
  const { body, ...kept } = remotes.server.objects.get(large)!
  remotes.server.objects.set(large, { ...kept, body: body.map((byte) => byte ^ 1) })
  const three = await remotes.machine('three')
  await expect(read(three, 'lib')).rejects
    .toThrow(/^Cannot read library "lib" version "1": .* in s3:\/\/docs\/team is not what was/)
  expect(await generationFault(three.folder, id)).toContain('is not what was written')
  const { address, access } = remotes.server
  const bucket = openBucket(bucketAddress(address), access)
  expect(await remoteFault(bucket, id)).toBeNull()
  remotes.server.objects.set(large, { ...kept, body: body.slice(1) })
  expect(await remoteFault(bucket, id)).toMatch(/has \d+ bytes, \d+ were written/)
  remotes.server.objects.delete(large)
  expect(await remoteFault(bucket, id)).toContain('is missing')
})
