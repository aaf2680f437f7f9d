import { expect, test } from 'bun:test'
import { bucketAddress } from '../../../src/store/remote/address.ts'
import { openBucket } from '../../../src/store/remote/bucket.ts'
import { openS3, findAccess, type StoreAccess } from '../../../src/store/remote/s3.ts'
import { serveBucket } from '../../support/servers/bucket-server.ts'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createTempFolder } from '../../../src/platform/file/files.ts'

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

const unset = { endpoint: null, region: null, profile: null }

async function found(env: Record<string, string>, set: Partial<StoreAccess> = {}) {
  await using home = await createTempFolder('og keys')
  mkdirSync(join(home.path, '.aws'))
  writeFileSync(
    join(home.path, '.aws', 'credentials'),
    `# of mine
[default]
aws_access_key_id = one
aws_secret_access_key=secret-one

[ team ]
aws_access_key_id = two
aws_secret_access_key = secret=two
aws_session_token = token
`,
  )
  writeFileSync(
    join(home.path, '.aws', 'config'),
    `[profile team]
region = eu-west-1
[profile three]
aws_access_key_id = three
aws_secret_access_key = secret-three
[profile sso]
sso_session = company
`,
  )
  const { credentials, region, endpoint } = await findAccess({
    ...unset,
    env: { HOME: home.path, ...env },
    ...set,
  })
  const { accessKeyId, secretAccessKey, sessionToken = '-' } = await credentials()
  return [accessKeyId, secretAccessKey, sessionToken, region, endpoint ?? '-'].join(' ')
}

test('reads keys from variables, then from the selected profile', async () => {
  const env = { AWS_ACCESS_KEY_ID: 'env', AWS_SECRET_ACCESS_KEY: 'secret-env' }
  expect(await found({})).toBe('one secret-one - us-east-1 -')
  expect(await found({ AWS_PROFILE: 'team' })).toBe('two secret=two token eu-west-1 -')
  expect(await found({ ...env, AWS_REGION: 'eu-3' })).toBe('env secret-env - eu-3 -')
  expect(await found(env, { profile: 'team', region: 'x', endpoint: 'http://a:1/' })).toBe(
    'two secret=two token x http://a:1',
  )
  expect(await found({ AWS_PROFILE: 'three' })).toBe('three secret-three - us-east-1 -')
})

test('reports the kind of keys in a profile that og does not support', async () => {
  await expect(found({ AWS_PROFILE: 'sso' })).rejects.toThrow(
    'Cannot use the store: profile ' +
      '"sso" gets its keys by sso_session, which og does not support',
  )
})

test('prints no part of missing or invalid keys', async () => {
  await expect(found({ AWS_PROFILE: 'none' })).rejects.toThrow(
    'there are no keys for it (profile "none")',
  )
  const odd = found({ AWS_ACCESS_KEY_ID: 'k', AWS_SECRET_ACCESS_KEY: 'line\nbreak' })
  await expect(odd).rejects.toThrow(
    'Cannot use the keys of the store: they contain invalid characters',
  )
  await expect(found({}, { endpoint: 'http://user:word@a' })).rejects.toThrow(
    'Cannot use store.endpoint: it must be an http address without keys in it',
  )
})
