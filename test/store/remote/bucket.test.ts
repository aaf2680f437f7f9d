import { afterEach, beforeEach, expect, test } from 'bun:test'
import { bucketAddress, isRemoteStore } from '../../../src/store/remote/address.ts'
import { openBucket, type Bucket } from '../../../src/store/remote/bucket.ts'
import {
  refused, secret, serveBucket, type BucketServer,
} from '../../support/servers/bucket-server.ts'

let server: BucketServer
let bucket: Bucket
beforeEach(() => {
  server = serveBucket()
  bucket = openBucket(bucketAddress(server.address), server.access, { backoffMs: 1 })
})
afterEach(() => server[Symbol.dispose]())

const stored = async (key: string) => {
  const found = await bucket.read(key)
  return found === null || found === 'same' ? found : found.text
}

test('an object is written where the condition holds, and else left as it is', async () => {
  const tag = (await bucket.write('a', 'one', { is: null }))!
  expect(await bucket.write('a', 'two', { is: null })).toBeNull()
  expect(await bucket.write('a', 'two', { is: '"other"' })).toBeNull()
  expect(await bucket.write('b', 'two', { is: tag })).toBeNull()
  expect(await stored('a')).toBe('one')
  expect(await bucket.read('a', tag)).toBe('same')
  expect(await bucket.write('a', 'three', { is: tag })).not.toBeNull()
  expect(await stored('a')).toBe('three')
  await bucket.delete('a')
  await bucket.delete('a')
  expect(await stored('a')).toBeNull()
})

test('a listing has all pages of it, without the prefix of the store', async () => {
  const keys = Array.from({ length: 16 }, (_, i) => `some/${String(i).padStart(2, '0')}`)
  for (const key of [...keys, 'other/1']) await bucket.write(key, 'text')
  const found = await Array.fromAsync(bucket.list('some/'))
  expect(found.map(({ key }) => key)).toEqual(keys)
  expect(found[0]!.size).toBe(4)
})

test('what a moment mends is tried again; what it does not is one line without keys', async () => {
  await bucket.write('a', 'one')
  server.fault = (_, nth) => (nth < 3 ? refused(503, 'SlowDown') : null)
  server.asked = []
  expect(await stored('a')).toBe('one')
  expect(server.asked).toEqual(['GET a', 'GET a', 'GET a'])
  const says = async (status: number, code: string, message: string) => {
    server.fault = () => refused(status, code)
    for (const asking of [() => bucket.read('a'), () => bucket.write('a', 'b')]) {
      const error = await asking().then(() => null, (error) => error)
      expect(error.message).toContain(message)
      expect(error.message.split('\n')).toHaveLength(1)
      expect(`${error.message} ${error.hint} ${error.stack}`).not.toMatch(/AKIDEXAMPLE/)
      expect(`${error.message} ${error.hint} ${error.stack}`).not.toContain(secret)
    }
  }
  await says(403, 'AccessDenied', 'store s3://docs/team: the bucket answers 403 AccessDenied')
  await says(404, 'NoSuchBucket', 'the bucket answers 404 NoSuchBucket')
  await says(503, 'SlowDown', 'the bucket answers 503 SlowDown')
})

test('a clock that is an hour off is set by that of the bucket', async () => {
  server.aheadMs = 3_600_000
  expect(await bucket.write('a', 'one')).not.toBeNull()
  expect(Math.abs(bucket.now() - Date.now() - 3_600_000)).toBeLessThan(5_000)
  expect(server.asked).toEqual(['PUT a', 'PUT a'])
})

test('who redirects is not followed, and the region is named', async () => {
  server.fault = () => new Response('', {
    status: 307, headers: { location: `${server.access.endpoint}/x`, 'x-amz-bucket-region': 'eu-9' },
  })
  const error = await bucket.read('a').then(() => null, (error) => error)
  expect(error.hint).toBe('set store.region to eu-9')
  expect(server.asked).toEqual(['GET a'])
})

test('an address is a bucket and a prefix; what is none of S3 is refused by name', () => {
  expect(bucketAddress('s3://docs')).toEqual({ bucket: 'docs', prefix: '' })
  expect(bucketAddress('s3://docs/a//b/')).toEqual({ bucket: 'docs', prefix: 'a/b/' })
  expect(['s3://docs', 'GS://x', '/a', 'C:\\a', 'a/b'].map(isRemoteStore))
    .toEqual([true, true, false, false, false])
  const says: Record<string, string> = {
    'gs://docs/a': 'Cannot use store gs://docs/a: gs:// is no store of og',
    'az://docs': 'Cannot use store az://docs: az:// is no store of og',
    's3://Docs_1/a': 'Cannot use store s3://Docs_1/a: "Docs_1" is no name of a bucket',
    's3://docs/../a': 'Cannot use store s3://docs/../a: its prefix holds more than',
    's3://docs/a?b': 'Cannot use store s3://docs/a?b: its prefix holds more than',
  }
  for (const [typed, message] of Object.entries(says)) {
    expect(() => bucketAddress(typed)).toThrow(message)
  }
})
