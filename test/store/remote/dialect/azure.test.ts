import { beforeEach, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createTempFolder } from '../../../../src/platform/file/files.ts'
import { bucketAddress } from '../../../../src/store/remote/address.ts'
import { azureServer, findAzure } from '../../../../src/store/remote/dialect/azure-access.ts'
import { openBucket } from '../../../../src/store/remote/bucket.ts'
import type { StoreAccess } from '../../../../src/store/remote/dialect/credentials.ts'
import { azureKey, azureSas, azureToken } from '../../../support/servers/azure-server.ts'
import { serveBucket } from '../../../support/servers/bucket-server.ts'
import { openEach } from '../../../support/run/dispose.ts'
import { serveLocal } from '../../../support/servers/serve-local.ts'

const unset = { endpoint: null, region: null, profile: null, account: null }
const accessOf = (env: Record<string, string>, set: Partial<StoreAccess> = {}): StoreAccess => ({
  ...unset,
  env,
  ...set,
})
let blobs: string
const server = openEach(() => serveBucket('az'))
beforeEach(() => {
  blobs = /BlobEndpoint=([^;]+)/.exec(server().env.AZURE_STORAGE_CONNECTION_STRING!)![1]!
})

const opened = (env: Record<string, string>, set: Partial<StoreAccess> = {}) =>
  openBucket(bucketAddress('az://docs/team'), accessOf(env, { endpoint: blobs, ...set }), {
    backoffMs: 1,
  })

/** Writes and lists, because a key may work for only one of them. */
async function works(env: Record<string, string>, set?: Partial<StoreAccess>) {
  const bucket = opened(env, set)
  const tag = await bucket.write('a', 'text', {})
  await bucket.write('a', 'text', { is: tag! })
  return (await Array.fromAsync(bucket.list('a'))).length === 1
}

test('accepts a shared key, a SAS and a token', async () => {
  expect(await works(server().env, { endpoint: null })).toBe(true)
  expect(await works({ AZURE_STORAGE_KEY: azureKey }, { account: 'acme' })).toBe(true)
  const named = { AZURE_STORAGE_ACCOUNT_NAME: 'acme', AZURE_STORAGE_ACCOUNT_KEY: azureKey }
  expect(await works(named)).toBe(true)
  expect(await works({ AZURE_STORAGE_SAS_TOKEN: `?${azureSas}` })).toBe(true)
  expect(
    await works(
      {
        AZURE_STORAGE_CONNECTION_STRING: `BlobEndpoint=${blobs};SharedAccessSignature=${azureSas}`,
        AZURE_STORAGE_KEY: azureKey,
      },
      { endpoint: null },
    ),
  ).toBe(true)
  expect(await works({ AZURE_STORAGE_TOKEN: azureToken })).toBe(true)
})

/** Returns the token for the expected request, and records the requests. */
function serveTokens() {
  const asked: string[] = []
  const tokens = serveLocal(async (request) => {
    const url = new URL(request.url)
    const form = await request.text()
    asked.push(`${request.method} ${url.pathname}${url.search} ${form}`)
    const { headers } = request
    const isMachine = headers.get('metadata') === 'true' || headers.get('x-identity-header') === 'h'
    if (!isMachine && !/client_secret=s-e-c|client_assertion=signed\.by\.cluster/.test(form)) {
      const text = JSON.stringify({ error: 'invalid_client', error_description: `not ${form}` })
      return new Response(text, { status: 401 })
    }
    return Response.json({ access_token: azureToken, expires_in: isMachine ? '3600' : 3600 })
  })
  const host = `http://127.0.0.1:${tokens.port}`
  return { asked, host, [Symbol.dispose]: () => void tokens.stop(true) }
}

test('requests a token for a principal, a workload and a machine, only once while it is valid', async () => {
  using tokens = serveTokens()
  await using temp = await createTempFolder('og azure')
  const file = join(temp.path, 'token')
  writeFileSync(file, 'signed.by.cluster\n')
  const who = {
    AZURE_AUTHORITY_HOST: tokens.host,
    AZURE_TENANT_ID: 'tenant',
    AZURE_CLIENT_ID: 'client',
  }
  expect(await works({ ...who, AZURE_CLIENT_SECRET: 's-e-c' })).toBe(true)
  expect(tokens.asked).toEqual([
    'POST /tenant/oauth2/v2.0/token grant_type=client_credentials&' +
      'client_id=client&scope=https%3A%2F%2Fstorage.azure.com%2F.default&client_secret=s-e-c',
  ])
  expect(await works({ ...who, AZURE_FEDERATED_TOKEN_FILE: file })).toBe(true)
  expect(await works({ AZURE_POD_IDENTITY_AUTHORITY_HOST: tokens.host })).toBe(true)
  expect(tokens.asked[2]).toBe(
    'GET /metadata/identity/oauth2/token?api-version=2018-02-01&' +
      'resource=https%3A%2F%2Fstorage.azure.com%2F ',
  )
  expect(await works({ IDENTITY_ENDPOINT: `${tokens.host}/msi`, IDENTITY_HEADER: 'h' })).toBe(true)
  expect(tokens.asked).toHaveLength(4)
})

test('reports a refused token in one line without the secret', async () => {
  using tokens = serveTokens()
  const bucket = opened({
    AZURE_AUTHORITY_HOST: tokens.host,
    AZURE_TENANT_ID: 't',
    AZURE_CLIENT_ID: 'c',
    AZURE_CLIENT_SECRET: 'wrong-secret',
  })
  const error = await bucket.read('a').then(
    () => null,
    (error) => error,
  )
  expect(error.message).toBe(
    `Cannot use the store: no token from ${tokens.host.slice(7)}: it ` +
      'answers 401 invalid_client',
  )
  expect(error.hint).toContain('AZURE_CLIENT_ID')
  expect(Bun.inspect(error)).not.toContain('wrong-secret')
})

test('reports an unreachable URL without the SAS', async () => {
  server()[Symbol.dispose]()
  const error = await opened({ AZURE_STORAGE_SAS_TOKEN: azureSas })
    .read('a')
    .then(
      () => null,
      (error) => error,
    )
  expect(error.message).toBe('Cannot reach store az://docs/team: connection refused')
  expect(Bun.inspect(error)).not.toContain('never-to-be-printed')
})

test('rejects unusable settings before the first request, without printing the key', () => {
  const says = (env: Record<string, string>, message: string, set: Partial<StoreAccess> = {}) => {
    let said = ''
    try {
      findAzure(accessOf(env, set))
    } catch (error) {
      said = (error as Error).message
      expect(Bun.inspect(error)).not.toContain('never')
    }
    expect(said).toContain(message)
  }
  says({}, 'no storage account is set')
  says({ AZURE_STORAGE_ACCOUNT: '../x' }, 'its name must be 3 to 24 letters and digits')
  const odd = 'they are not keys of a storage account'
  says({ AZURE_STORAGE_ACCOUNT: 'acme', AZURE_STORAGE_KEY: 'never base64\n' }, odd)
  says({ AZURE_STORAGE_ACCOUNT: 'acme', AZURE_STORAGE_KEY: 'never' }, odd)
  says({ AZURE_STORAGE_KEY: azureKey }, odd, { endpoint: 'https://a' })
  says({ AZURE_STORAGE_SAS_TOKEN: azureSas }, 'a SAS is not sent by http', { endpoint: 'http://a' })
  says({ AZURE_STORAGE_TOKEN: 'never' }, 'a token is not sent by http', { endpoint: 'http://a' })
  says({}, 'Cannot use store.endpoint: it must be an http', { endpoint: 'https://me:never@a' })
})

test('derives the URL from the account, and keeps a copy per account', () => {
  const endpoint = (env: Record<string, string>) =>
    findAzure(accessOf({ AZURE_STORAGE_KEY: azureKey, ...env })).endpoint
  expect(endpoint({ AZURE_STORAGE_ACCOUNT: 'acme' })).toBe('https://acme.blob.core.windows.net')
  const china = 'AccountName=acme;EndpointSuffix=core.chinacloudapi.cn'
  expect(endpoint({ AZURE_STORAGE_CONNECTION_STRING: china })).toBe(
    'https://acme.blob.core.chinacloudapi.cn',
  )
  expect(azureServer(accessOf({ AZURE_STORAGE_ACCOUNT: 'acme' }))).toBe('acme')
  expect(azureServer(accessOf({}))).toBe('')
  expect(azureServer(accessOf(server().env))).toBe(blobs)
})
