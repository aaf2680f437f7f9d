import { expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createTempFolder } from '../../../../src/platform/file/files.ts'
import { bucketAddress } from '../../../../src/store/remote/address.ts'
import { openBucket } from '../../../../src/store/remote/bucket.ts'
import type { StoreAccess } from '../../../../src/store/remote/dialect/credentials.ts'
import { openGoogle } from '../../../../src/store/remote/dialect/google.ts'
import { findGoogle, googleServer } from '../../../../src/store/remote/dialect/google-access.ts'
import { serveBucket } from '../../../support/servers/bucket-server.ts'
import { googleKey, googleKeyFile } from '../../../support/servers/google-server.ts'
import { openEach } from '../../../support/run/dispose.ts'
import { serveLocal } from '../../../support/servers/serve-local.ts'

const home = openEach(() => createTempFolder('og google'))

const accessOf = (env: Record<string, string>, endpoint: string | null = null): StoreAccess => ({
  endpoint,
  region: null,
  profile: null,
  account: null,
  env: { HOME: home().path, ...env },
})

function keyFile(content: object | string): Record<string, string> {
  const path = join(home().path, 'key.json')
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
  return { GOOGLE_APPLICATION_CREDENTIALS: path }
}

test('sends each request as documented for the JSON API', async () => {
  const { sign: signed } = openGoogle('docs', accessOf({ STORAGE_EMULATOR_HOST: 'localhost:1' }))
  const url = async (request: Parameters<typeof signed>[0]) => {
    const { method, url } = await signed(request, new Date())
    return `${method} ${url}`
  }
  const all = 'http://localhost:1/storage/v1/b/docs/o'
  expect(await url({ does: 'read', key: 'a/b', unless: '7' })).toBe(
    `GET ${all}/a%2Fb?alt=media&ifGenerationNotMatch=7`,
  )
  expect(await url({ does: 'write', key: 'a/b', is: null, body: 'x' })).toBe(
    'POST http://localhost:1/upload/storage/v1/b/docs/o?uploadType=media&name=a%2Fb&' +
      'ifGenerationMatch=0',
  )
  expect(await url({ does: 'delete', key: 'a/b' })).toBe(`DELETE ${all}/a%2Fb?`)
  expect(await url({ does: 'list', key: 'a/', next: 'x' })).toBe(
    `GET ${all}?prefix=a%2F&fields=items%28name%2Csize%2Cupdated%29%2CnextPageToken&pageToken=x`,
  )
})

test("signs a service account's token locally, and finds the file where gcloud puts it", async () => {
  using server = serveBucket('gs')
  const works = async (access: StoreAccess) => {
    const bucket = openBucket(bucketAddress('gs://docs/team'), access, { backoffMs: 1 })
    return (await bucket.write('a', 'text')) !== null
  }
  expect(await works(server.access)).toBe(true)
  const folder = join(home().path, '.config', 'gcloud')
  mkdirSync(folder, { recursive: true })
  const text = await Bun.file(googleKeyFile()).text()
  writeFileSync(join(folder, 'application_default_credentials.json'), text)
  expect(await works(accessOf({}, server.access.endpoint))).toBe(true)
})

test('requests a token for the machine', async () => {
  using metadata = serveLocal(({ url, headers }) =>
    headers.get('metadata-flavor') === 'Google' && url.endsWith('/default/token')
      ? Response.json({ access_token: 'of-machine', expires_in: 3_600 })
      : new Response('', { status: 403 }),
  )
  const { token } = await findGoogle(accessOf({ GCE_METADATA_HOST: `127.0.0.1:${metadata.port}` }))
  expect(await token!(new Date())).toBe('of-machine')
})

test('rejects unusable settings without printing any part of them', async () => {
  const says = async (access: StoreAccess, message: string) => {
    const error = await findGoogle(access).then(
      () => null,
      (error) => error,
    )
    expect(error?.message).toContain(message)
    expect(Bun.inspect(error)).not.toMatch(new RegExp(`never|${RegExp.escape(googleKey)}`))
  }
  await says(accessOf({ GOOGLE_APPLICATION_CREDENTIALS: '/nowhere/a' }), '"/nowhere/a": ENOENT')
  await says(accessOf(keyFile('never')), 'it is not valid JSON')
  await says(accessOf(keyFile('null')), 'it is not valid JSON')
  await says(accessOf(keyFile({ type: 'service_account' })), 'it has no client_email')
  await says(
    accessOf(
      keyFile({
        type: 'service_account',
        client_email: 'a',
        private_key_id: 'b',
        private_key: 'never',
      }),
    ),
    'its private_key cannot be read',
  )
  await says(
    accessOf(keyFile({ type: 'external_account' })),
    'keys of type "external_account" are not supported',
  )
  await says(accessOf({ GCE_METADATA_HOST: 'a/b' }, 'http://a'), 'a token is not sent by http')
})

test('distinguishes two servers by their URLs', () => {
  expect(googleServer(accessOf({}))).toBe('')
  expect(googleServer(accessOf({ STORAGE_EMULATOR_HOST: 'localhost:1' }))).toBe(
    'http://localhost:1',
  )
  expect(googleServer(accessOf({}, 'https://a'))).toBe('https://a')
})
