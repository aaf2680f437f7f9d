import { afterEach, beforeEach, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { sha256 } from '../../../src/platform/hash.ts'
import { bucketAddress, isRemoteStore } from '../../../src/store/remote/address.ts'
import { openBucket, type Bucket } from '../../../src/store/remote/bucket.ts'
import { secret } from '../../support/servers/s3-server.ts'
import { serveBucket, type BucketServer } from '../../support/servers/bucket-server.ts'

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

test('writes an object only if the condition holds', async () => {
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

test('sends and returns a file byte for byte, and reports a missing one', async () => {
  await using temp = await createTempFolder('og bucket')
  const [from, to] = [join(temp.path, 'one.lance'), join(temp.path, 'two.lance')]
  const bytes = new Uint8Array(300_000).map((_, i) => i * 7)
  writeFileSync(from, bytes)
  const file = { path: from, size: bytes.length, sha256: sha256(bytes) }
  expect(await bucket.write('generations/a/_x-1.lance', file)).not.toBeNull()
  expect(await bucket.download('generations/a/_x-1.lance', to)).toBe(true)
  expect(readFileSync(to).equals(bytes)).toBe(true)
  expect(await bucket.download('generations/b', to)).toBe(false)
})

test('lists all pages, without the prefix of the store', async () => {
  const keys = Array.from({ length: 16 }, (_, i) => `some/${String(i).padStart(2, '0')}`)
  for (const key of [...keys, 'other/1']) await bucket.write(key, 'text')
  const found = await Array.fromAsync(bucket.list('some/'))
  expect(found.map(({ key }) => key)).toEqual(keys)
  expect(found[0]!.size).toBe(4)
})

test('retries temporary errors, and reports others in one line without keys', async () => {
  await bucket.write('a', 'one')
  server.fault = (_, nth) => (nth < 3 ? server.refused(503, 'SlowDown') : null)
  server.asked = []
  expect(await stored('a')).toBe('one')
  expect(server.asked).toEqual(['GET a', 'GET a', 'GET a'])
  const says = async (status: number, code: string, message: string) => {
    server.fault = () => server.refused(status, code)
    for (const asking of [() => bucket.read('a'), () => bucket.write('a', 'b')]) {
      const error = await asking().then(
        () => null,
        (error) => error,
      )
      expect(error.message).toContain(message)
      expect(error.message.split('\n')).toHaveLength(1)
      for (const key of ['AKIDEXAMPLE', secret]) {
        expect(`${error.message} ${error.hint} ${Bun.inspect(error)}`).not.toContain(key)
      }
    }
  }
  await says(403, 'AccessDenied', 'store s3://docs/team: the bucket answers 403 AccessDenied')
  await says(404, 'NoSuchBucket', 'the bucket answers 404 NoSuchBucket')
  await says(503, 'SlowDown', 'the bucket answers 503 SlowDown')
})

test("corrects the time if the machine's clock is an hour off the bucket's", async () => {
  server.aheadMs = 3_600_000
  expect(await bucket.write('a', 'one')).not.toBeNull()
  expect(Math.abs(bucket.now() - Date.now() - 3_600_000)).toBeLessThan(5_000)
  expect(server.asked).toEqual(['PUT a', 'PUT a'])
})

test('parses a bucket and a prefix, and reports an unusable URL', () => {
  expect(bucketAddress('s3://docs')).toEqual({ bucket: 'docs', prefix: '' })
  expect(bucketAddress('S3://docs/a//b/')).toEqual({ bucket: 'docs', prefix: 'a/b/' })
  expect(['s3://docs', 'S3://x', '/a', 'C:\\a', 'a/b'].map(isRemoteStore)).toEqual([
    true,
    true,
    false,
    false,
    false,
  ])
  const says: Record<string, string> = {
    'ftp://docs/a': 'Cannot use store ftp://docs/a: ftp:// is not an og store',
    'az://docs/a': 'Cannot use store az://docs/a: az:// is not an og store',
    's3://Docs_1/a': 'Cannot use store s3://Docs_1/a: "Docs_1" is not a bucket name',
    's3://docs/../a': 'Cannot use store s3://docs/../a: its prefix may contain only',
    's3://docs/a?b': 'Cannot use store s3://docs/a?b: its prefix may contain only',
  }
  for (const [typed, message] of Object.entries(says)) {
    expect(() => bucketAddress(typed)).toThrow(message)
  }
})
