import { beforeEach, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import {
  containerRoleKeys,
  webIdentityKeys,
  validateKeys,
  renewingKeys,
} from '../../../src/store/remote/aws-roles.ts'
import { findAccess } from '../../../src/store/remote/s3.ts'
import { serveKeys } from '../../support/servers/key-server.ts'
import { openEach } from '../../support/run/dispose.ts'
import { OgError } from '../../../src/platform/error.ts'

const server = openEach(serveKeys)
const temp = openEach(() => createTempFolder('og roles'))
const tokenFile = () => join(temp().path, 'token')
beforeEach(() => void writeFileSync(tokenFile(), 'proof-1\n'))

const unset = { endpoint: null, region: null, profile: null }
const role = 'arn:aws:iam::1:role/builder'

async function found(env: Record<string, string>, profile: string | null = null) {
  const access = await findAccess({
    ...unset,
    profile,
    env: { HOME: temp().path, AWS_EC2_METADATA_DISABLED: 'true', ...env },
  })
  return access.credentials
}
const webIdentity = () => ({
  AWS_WEB_IDENTITY_TOKEN_FILE: tokenFile(),
  AWS_ROLE_ARN: role,
  AWS_ENDPOINT_URL_STS: server().url,
})
const machine = () => ({
  AWS_EC2_METADATA_DISABLED: '',
  AWS_EC2_METADATA_SERVICE_ENDPOINT: server().url,
})

async function failure(env: Record<string, string>) {
  const error = await found(env)
    .then((find) => find())
    .then(
      () => null,
      (error) => error,
    )
  expect(Bun.inspect(error)).not.toContain('never-to-be-printed')
  return error
}

test('exchanges a web identity for keys, and reads its file again at renewal', async () => {
  server().seconds = 200
  const find = await found(webIdentity())
  expect(await find()).toEqual({
    accessKeyId: 'AKIDEXAMPLE',
    secretAccessKey: 'never-to-be-printed',
    sessionToken: 'one',
  })
  writeFileSync(tokenFile(), 'proof-2')
  server().token = 'two'
  expect((await find()).sessionToken).toBe('two')
  expect(server().proofs).toEqual([
    `${role} og proof-1 AssumeRoleWithWebIdentity`,
    `${role} og proof-2 AssumeRoleWithWebIdentity`,
  ])
})

test('prefers keys in variables to a web identity, and a web identity to a profile', async () => {
  const keys = { AWS_ACCESS_KEY_ID: 'env', AWS_SECRET_ACCESS_KEY: 'secret' }
  expect((await (await found({ ...webIdentity(), ...keys }))()).accessKeyId).toBe('env')
  const shared = join(temp().path, 'credentials')
  writeFileSync(shared, '[default]\naws_access_key_id = file\naws_secret_access_key = secret\n')
  const withFile = { ...webIdentity(), AWS_SHARED_CREDENTIALS_FILE: shared }
  expect((await (await found(withFile))()).accessKeyId).toBe('AKIDEXAMPLE')
  expect((await (await found(withFile, 'default'))()).accessKeyId).toBe('file')
})

test('reads a web identity from a profile', async () => {
  const config = join(temp().path, 'config')
  const lines = [
    '[profile ci]',
    `role_arn = ${role}`,
    `web_identity_token_file = ${tokenFile()}`,
    'role_session_name = nightly',
  ]
  writeFileSync(config, lines.join('\n'))
  const find = await found({ AWS_CONFIG_FILE: config, AWS_ENDPOINT_URL_STS: server().url }, 'ci')
  expect((await find()).sessionToken).toBe('one')
  expect(server().proofs).toEqual([`${role} nightly proof-1 AssumeRoleWithWebIdentity`])
})

test('requests keys from a container with the token in its file', async () => {
  const find = await found({
    AWS_CONTAINER_CREDENTIALS_FULL_URI: `${server().url}/v1/credentials`,
    AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: tokenFile(),
  })
  expect((await find()).sessionToken).toBe('one')
  expect(server().proofs).toEqual(['proof-1'])
})

test('requests keys of the machine in a session (IMDSv2), only once while they are valid', async () => {
  const find = await found(machine())
  expect((await find()).sessionToken).toBe('one')
  await find()
  expect(server().asked).toEqual([
    'PUT /latest/api/token',
    'GET /latest/meta-data/iam/security-credentials/',
    'GET /latest/meta-data/iam/security-credentials/builder',
  ])
  expect(new Set(server().proofs)).toEqual(new Set(['session for 21600']))
})

test("reports a refusal in one line with the service's code", async () => {
  const text = '<Error><Code>ExpiredToken</Code><Message>never-to-be-printed</Message></Error>'
  server().fault = () => new Response(text, { status: 400 })
  const error = await failure(webIdentity())
  expect(error.message).toMatch(
    /^Cannot use the store: no token from 127\.0\.0\.1:\d+: it answers 400 ExpiredToken$/,
  )
  expect(error.code).toBe('denied')
  expect(error.hint).toContain('AWS_ROLE_ARN')
  server().fault = () =>
    Response.json({ code: 'NoRole', message: 'never-to-be-printed' }, { status: 404 })
  const uri = { AWS_CONTAINER_CREDENTIALS_FULL_URI: `${server().url}/v1/credentials` }
  expect((await failure(uri)).message).toEndWith('it answers 404 NoRole')
})

test('rejects incomplete keys', async () => {
  server().fault = () => Response.json({ AccessKeyId: 'a', SecretAccessKey: 'never-to-be-printed' })
  const uri = { AWS_CONTAINER_CREDENTIALS_FULL_URI: `${server().url}/v1/credentials` }
  expect((await failure(uri)).message).toEndWith('it answers 200')
})

test('finds no keys on a machine without a role, or outside Amazon', async () => {
  server().fault = () => new Response('', { status: 404 })
  expect((await failure(machine())).message).toEndWith('it answers 404')
  const { url } = server()
  server()[Symbol.dispose]()
  const none = { ...machine(), AWS_EC2_METADATA_SERVICE_ENDPOINT: url }
  expect((await failure(none)).message).toBe(
    'Cannot use the store: there are no keys for it (profile "default")',
  )
})

test('uses plain HTTP only for this machine and its link-local services', async () => {
  const far = 'http://keys.example.com/'
  const http = /^Cannot use .*: keys are not sent by http$/
  expect((await failure({ ...webIdentity(), AWS_ENDPOINT_URL_STS: far })).message).toMatch(http)
  expect((await failure({ AWS_CONTAINER_CREDENTIALS_FULL_URI: far })).message).toMatch(http)
  expect((await failure({ ...machine(), AWS_EC2_METADATA_SERVICE_ENDPOINT: far })).message).toMatch(
    http,
  )
  const near = { ...webIdentity(), AWS_ENDPOINT_URL_STS: 'http://169.254.170.2/' }
  expect((await failure(near)).message).toMatch(http)
  for (const uri of ['//keys.example.com/', 'keys']) {
    expect((await failure({ AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: uri })).message).toBe(
      'Cannot use AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: it must begin with one /',
    )
  }
  expect(containerRoleKeys({})).toBeNull()
})

test('reports a missing or invalid token file in one line', async () => {
  const missing = { ...webIdentity(), AWS_WEB_IDENTITY_TOKEN_FILE: join(temp().path, 'none') }
  expect((await failure(missing)).message).toMatch(/^Cannot read ".*none": ENOENT$/)
  writeFileSync(tokenFile(), 'two\nlines')
  const identity = { tokenFile: tokenFile(), role, session: 'og', endpoint: server().url }
  await expect(webIdentityKeys(identity)).rejects.toThrow('contains invalid characters')
})

const keys = (n: number) => ({
  accessKeyId: `id-${n}`,
  secretAccessKey: 'secret',
  sessionToken: undefined,
})

function counted(lifeMs: number, fail: (n: number) => Error | null = () => null) {
  let n = 0
  const find = renewingKeys(async () => {
    const error = fail(++n)
    if (error !== null) throw error
    return { keys: keys(n), lifeMs }
  })
  return async () => (await find()).accessKeyId
}

test('requests keys once, even for several callers at a time', async () => {
  const find = counted(3_600_000)
  expect(await Promise.all([find(), find()])).toEqual(['id-1', 'id-1'])
  expect(await find()).toBe('id-1')
})

test('renews keys that expire within five minutes', async () => {
  const find = counted(299_000)
  expect([await find(), await find()]).toEqual(['id-1', 'id-2'])
})

test('uses valid keys while the service is down', async () => {
  const down = new OgError('down', { code: 'unreachable' })
  const find = counted(200_000, (n) => (n > 1 ? down : null))
  expect([await find(), await find(), await find()]).toEqual(['id-1', 'id-1', 'id-1'])
})

test("throws the service's error after the keys have expired", async () => {
  const down = new OgError('down', { code: 'unreachable' })
  const expired = counted(-1, (n) => (n > 1 ? down : null))
  expect(await expired()).toBe('id-1')
  await expect(expired()).rejects.toThrow('down')
  const refused = counted(200_000, (n) => (n > 1 ? new OgError('no', { code: 'denied' }) : null))
  await refused()
  await expect(refused()).rejects.toThrow('no')
})

test('rejects keys with invalid characters without printing them', () => {
  expect(validateKeys(keys(1))).toEqual(keys(1))
  expect(() => validateKeys({ ...keys(1), secretAccessKey: 'never\nprinted' })).toThrow(
    /^Cannot use the keys of the store: they contain invalid characters$/,
  )
})
