import { expect, test } from 'bun:test'
import { bucketAddress } from '../../../src/store/remote/address.ts'
import { openBucket } from '../../../src/store/remote/bucket.ts'
import { probeConditions } from '../../../src/store/remote/probe.ts'
import { serveBucket } from '../../support/servers/bucket-server.ts'

test.each(['s3', 'az', 'gs'] as const)('%s: what keeps to conditions passes; nothing stays', async (kind) => {
  using server = serveBucket(kind)
  const bucket = openBucket(bucketAddress(server.address), server.access)
  expect(await probeConditions(bucket)).toMatch(/^conditional writes hold in \d+ races of 12 /)
  expect(server.objects.size).toBe(0)
})

test('one that looks, and writes later, is refused by one line', async () => {
  using server = serveBucket()
  const bucket = openBucket(bucketAddress(server.address), server.access)
  for (const isUnsafe of [true, 'long'] as const) {
    server.isUnsafe = isUnsafe
    const error = await probeConditions(bucket).then(() => null, (error) => error)
    expect(error.message).toMatch(
      /^Cannot use store s3:\/\/docs\/team: the bucket does not keep to If-\S+: of 12 who/)
    expect(server.objects.size).toBe(0)
  }
})
