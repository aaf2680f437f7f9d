import { expect, test } from 'bun:test'
import { bucketAddress } from '../../../src/store/remote/address.ts'
import { openBucket } from '../../../src/store/remote/bucket.ts'
import { isPassedProbe, probeConditions } from '../../../src/store/remote/open-remote.ts'
import { openRemotes, written } from '../../support/remotes.ts'
import { serveBucket } from '../../support/servers/bucket-server.ts'

test('passes if conditions hold, and leaves nothing behind', async () => {
  using server = serveBucket()
  const bucket = openBucket(bucketAddress(server.address), server.access)
  expect(await probeConditions(bucket)).toMatch(/^conditional writes hold in 270 races of 8 /)
  expect(server.objects.size).toBe(0)
})

test.each([1, 135])('rejects a bucket that fails only in race %d', async (nth) => {
  // In the first race the second writer of a key is late, in the other race the tenth.
  for (const [condition, late] of [
    ['If-None-Match', 2],
    ['If-Match', 10],
  ] as const) {
    using server = serveBucket()
    const bucket = openBucket(bucketAddress(server.address), server.access)
    const writes = new Map<string, number>()
    server.fault = (asked) => {
      if (!asked.startsWith('PUT ')) return null
      writes.set(asked, (writes.get(asked) ?? 0) + 1)
      const isLapse = [...writes.keys()][nth - 1] === asked && writes.get(asked) === late
      return isLapse ? new Response(null, { headers: { etag: '"lapse"' } }) : null
    }
    await expect(probeConditions(bucket)).rejects.toThrow(
      `the bucket does not honour ${condition}: of 8 clients that wrote one object at once, 2 succeeded`,
    )
  }
})

test('a machine probes a bucket before its first write, and not again', async () => {
  await using remotes = await openRemotes()
  const probes = () => remotes.server.asked.filter((it) => it.startsWith('PUT probe/')).length
  await written(await remotes.machine('three', 1e9, { isProbed: false }), 'lib')
  expect(probes()).toBe(2160)
  // A new process on the same machine.
  await written(await remotes.machine('three', 1e9, { isProbed: false }), 'other')
  expect(probes()).toBe(2160)
})

test('probes a bucket again if it passed only a weaker probe', () => {
  expect(isPassedProbe('conditional writes hold in 270 races of 8 (480 ms)\n')).toBe(true)
  expect(isPassedProbe('conditional writes hold in 36 races of 12 (1001 ms)\n')).toBe(false)
  expect(isPassedProbe('')).toBe(false)
})

test('rejects a bucket that checks before it writes, in one line', async () => {
  using server = serveBucket()
  const bucket = openBucket(bucketAddress(server.address), server.access)
  for (const isUnsafe of [true, 'long'] as const) {
    server.isUnsafe = isUnsafe
    const error = await probeConditions(bucket).then(
      () => null,
      (error) => error,
    )
    expect(error.message).toMatch(
      /^Cannot use store s3:\/\/docs\/team: the bucket does not honour If-\S+: of 8 clients/,
    )
    expect(server.objects.size).toBe(0)
  }
})
