import { expect, test } from 'bun:test'
import { bucketAddress } from '../../../src/store/remote/address.ts'
import { openBucket } from '../../../src/store/remote/bucket.ts'
import { openS3 } from '../../../src/store/remote/s3.ts'
import { serveBucket } from '../../support/servers/bucket-server.ts'

test('puts the bucket into the host name if the certificate covers it, otherwise into the path', async () => {
  const env = { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b', AWS_REGION: 'eu-1' }
  const access = { endpoint: null, region: null, profile: null, env }
  const url = async (bucket: string, endpoint: string | null = null) => {
    const dialect = openS3(bucket, { ...access, endpoint })
    return (await dialect.sign({ does: 'read', key: 'team/a' }, new Date())).url
  }
  expect(await url('docs')).toBe('https://docs.s3.eu-1.amazonaws.com/team/a')
  expect(await url('do.cs')).toBe('https://s3.eu-1.amazonaws.com/do.cs/team/a')
  expect(await url('docs', 'http://a:1/x/')).toBe('http://a:1/x/docs/team/a')
})

test('does not follow a redirect, and reports the region', async () => {
  using server = serveBucket()
  const bucket = openBucket(bucketAddress(server.address), server.access)
  server.fault = () =>
    new Response('', {
      status: 307,
      headers: { location: `${server.env.AWS_ENDPOINT_URL_S3}/x`, 'x-amz-bucket-region': 'eu-9' },
    })
  const error = await bucket.read('a').then(
    () => null,
    (error) => error,
  )
  expect(error.hint).toBe('set store.region to eu-9')
  expect(server.asked).toEqual(['GET a'])
})
