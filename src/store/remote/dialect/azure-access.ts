import { readFile } from 'node:fs/promises'
import { OgError } from '../../../platform/error.ts'
import { parseEndpoint, isSecureEndpoint, type StoreAccess } from './credentials.ts'
import { cachedToken, type TokenRequest } from './token.ts'

/** Authorisation for requests to a storage account. The key must never be printed. */
export type AzureKey =
  | { kind: 'shared'; account: string; key: Buffer }
  | { kind: 'sas'; query: string }
  | { kind: 'token'; token: () => Promise<string>; options: Record<string, string> }

export type AzureAccess = {
  /** Empty if neither the endpoint nor the key needs it. */
  account: string
  /** Blob endpoint, such as `https://ACCOUNT.blob.core.windows.net`. */
  endpoint: string
  key: AzureKey
}

type Variables = StoreAccess['env']

/**
 * Finds the credentials as Azure's own tools do: store.account, store.endpoint,
 * AZURE_STORAGE_CONNECTION_STRING, and the other AZURE_STORAGE_* variables. If these contain no
 * key, uses an Entra ID token for the service principal, workload or machine that the variables
 * name.
 * @throws OgError if there are no credentials
 */
export function findAzure(access: StoreAccess): AzureAccess {
  const { env } = access
  const connection = connectionOf(env)
  const account = accountOf(access, connection)
  const endpoint = endpointOf(access, connection, account)
  const key = keyOf(env, connection, account)
  if (!isSecureEndpoint(endpoint) && key.kind !== 'shared') {
    throw new OgError(
      `Cannot use store.endpoint: a ${key.kind === 'sas' ? 'SAS' : 'token'} is ` +
        'not sent by http',
    )
  }
  return { account, endpoint, key }
}

/**
 * Identifies the server, because containers on two servers may have the same name; empty if no
 * setting names a server.
 */
export function azureServer(access: StoreAccess): string {
  const connection = connectionOf(access.env)
  const { endpoint } = access
  return (
    endpoint ||
    connection.blobendpoint ||
    access.env.AZURE_STORAGE_SERVICE_ENDPOINT ||
    accountOf(access, connection)
  )
}

function connectionOf({ AZURE_STORAGE_CONNECTION_STRING: connectionString = '' }: Variables) {
  const parts = connectionString.split(';').map((part) => /^\s*(\w+)=(.*?)\s*$/.exec(part))
  const pairs = parts
    .filter((part) => part !== null)
    .map(([, name, value]) => [name!.toLowerCase(), value!])
  return Object.fromEntries(pairs) as Record<string, string | undefined>
}

function accountOf({ account, env }: StoreAccess, connection: Record<string, string | undefined>) {
  const name =
    account ||
    connection.accountname ||
    env.AZURE_STORAGE_ACCOUNT ||
    env.AZURE_STORAGE_ACCOUNT_NAME ||
    ''
  if (name === '' || /^[a-z0-9]{3,24}$/.test(name)) return name
  throw new OgError('Cannot use the storage account: its name must be 3 to 24 letters and digits')
}

function endpointOf(
  { endpoint, env }: StoreAccess,
  connection: Record<string, string | undefined>,
  account: string,
): string {
  const setting = endpoint || connection.blobendpoint || env.AZURE_STORAGE_SERVICE_ENDPOINT || null
  const own = parseEndpoint(setting, endpoint ? 'store.endpoint' : 'the endpoint of the account')
  if (own !== null) return own
  if (account === '') {
    throw new OgError('Cannot use the store: no storage account is set', {
      hint: 'set AZURE_STORAGE_ACCOUNT or the setting store.account',
    })
  }
  const suffix = connection.endpointsuffix ?? 'core.windows.net'
  if (/^[\w.-]+$/.test(suffix)) return `https://${account}.blob.${suffix}`
  throw new OgError('Cannot use AZURE_STORAGE_CONNECTION_STRING: EndpointSuffix is not a host name')
}

function keyOf(
  env: Variables,
  connection: Record<string, string | undefined>,
  account: string,
): AzureKey {
  const shared = connection.accountkey || env.AZURE_STORAGE_KEY || env.AZURE_STORAGE_ACCOUNT_KEY
  const sas = connection.sharedaccesssignature || env.AZURE_STORAGE_SAS_TOKEN
  const own = [shared, sas].find((it) => it) ?? ''
  if (!/^[\x21-\x7e]*$/.test(own)) throw oddKeys()
  // If a connection string contains a SAS, the SAS is the key.
  if (shared && !connection.sharedaccesssignature) {
    const key = Buffer.from(shared, 'base64')
    if (key.length === 0 || key.toString('base64') !== shared || account === '') throw oddKeys()
    return { kind: 'shared', account, key }
  }
  if (sas) return { kind: 'sas', query: sas.replace(/^\?/, '') }
  const token = env.AZURE_STORAGE_TOKEN
  if (token && !/^[\x21-\x7e]+$/.test(token)) throw oddKeys()
  if (token) {
    return { kind: 'token', token: async () => token, options: { azure_storage_token: token } }
  }
  return { kind: 'token', token: cachedToken(() => tokenRequest(env)), options: tokenOptions(env) }
}

function oddKeys(): OgError {
  return new OgError('Cannot use the keys of the store: they are not keys of a storage account', {
    hint: 'AZURE_STORAGE_KEY is base64, and AZURE_STORAGE_ACCOUNT names its account',
  })
}

const resource = 'https://storage.azure.com/'

/** Options with which LanceDB requests and renews tokens itself. */
function tokenOptions(env: Variables): Record<string, string> {
  const options = {
    azure_storage_client_id: env.AZURE_CLIENT_ID,
    azure_storage_client_secret: env.AZURE_CLIENT_SECRET,
    azure_storage_tenant_id: env.AZURE_TENANT_ID,
    azure_storage_authority_host: env.AZURE_AUTHORITY_HOST,
    azure_federated_token_file: env.AZURE_FEDERATED_TOKEN_FILE,
    azure_msi_endpoint: env.IDENTITY_ENDPOINT,
  }
  const set = Object.entries(options).filter(([, value]) => value)
  return Object.fromEntries(set) as Record<string, string>
}

/** Reads the workload's token file each time, because the cluster replaces it. */
async function tokenRequest(env: Variables): Promise<TokenRequest> {
  const { AZURE_TENANT_ID: tenant, AZURE_CLIENT_ID: client } = env
  const { AZURE_CLIENT_SECRET: secret, AZURE_FEDERATED_TOKEN_FILE: file } = env
  if (tenant && client && (secret || file)) {
    const authority = env.AZURE_AUTHORITY_HOST || 'https://login.microsoftonline.com'
    const proof: Record<string, string> = secret
      ? { client_secret: secret }
      : {
          client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
          client_assertion: await workloadToken(file!),
        }
    const form = {
      grant_type: 'client_credentials',
      client_id: client,
      scope: `${resource}.default`,
      ...proof,
    }
    const url = `${tokenHost(authority)}/${encodeURIComponent(tenant)}/oauth2/v2.0/token`
    return { url, form, hint: 'check AZURE_TENANT_ID, AZURE_CLIENT_ID and the secret' }
  }
  return machineRequest(env, client ? { client_id: client } : {})
}

function machineRequest(env: Variables, client: Record<string, string>): TokenRequest {
  const { IDENTITY_ENDPOINT: endpoint, IDENTITY_HEADER: header } = env
  const [url, version, headers]: [URL, string, Record<string, string>] =
    endpoint && header
      ? [new URL(tokenHost(endpoint)), '2019-08-01', { 'x-identity-header': header }]
      : [
          new URL(
            `${tokenHost(env.AZURE_POD_IDENTITY_AUTHORITY_HOST || 'http://169.254.169.254')}` +
              '/metadata/identity/oauth2/token',
          ),
          '2018-02-01',
          { metadata: 'true' },
        ]
  const query = { 'api-version': version, resource, ...client }
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
  const hint =
    'set AZURE_STORAGE_CONNECTION_STRING, AZURE_STORAGE_KEY or ' +
    'AZURE_STORAGE_SAS_TOKEN; none of them is set, and this machine has no identity'
  return { url: url.href, headers, isNear: true, hint }
}

function tokenHost(host: string): string {
  return parseEndpoint(host, 'the address that gives tokens')!
}

async function workloadToken(path: string): Promise<string> {
  return readFile(path, 'utf8').then(
    (text) => text.trim(),
    (error) => {
      throw new OgError(`Cannot read "${path}": ${error.code}`)
    },
  )
}
