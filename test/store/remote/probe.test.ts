import { expect, test } from 'bun:test'
import { bucketAddress } from '../../../src/store/remote/address.ts'
import { openBucket } from '../../../src/store/remote/bucket.ts'
import { probeConditions } from '../../../src/store/remote/probe.ts'
import { serveBucket } from '../../support/servers/bucket-server.ts'

test('a bucket that keeps to conditions passes, and nothing of the probe stays', async () => {
  using server = serveBucket()
  const bucket = openBucket(bucketAddress(server.address), server.access)
  expect(await probeConditions(bucket)).toStartWith('conditional writes hold in 24 races of 8')
  expect(server.objects.size).toBe(0)
})

test('one that looks, and writes later, is refused by one line', async () => {
  using server = serveBucket()
  server.isUnsafe = true
  const bucket = openBucket(bucketAddress(server.address), server.access)
  const error = await probeConditions(bucket).then(() => null, (error) => error)
  expect(error.message).toMatch(
    /^Cannot use store s3:\/\/docs\/team: the bucket does not keep to If-None-Match: of 8 who/,
  )
  expect(server.objects.size).toBe(0)
})
