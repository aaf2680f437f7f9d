import { sha256 } from '../../platform/hash.ts'
import { once } from '../../platform/concurrency.ts'
import {
  type Credentials,
  validateKeys,
  renewingKeys,
  containerRoleKeys,
  instanceRoleKeys,
  webIdentityKeys,
} from './aws-roles.ts'
import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { messageOf, OgError } from '../../platform/error.ts'

/**
 * `is` is the tag that the object must have. Null means that the object must not exist, and
 * undefined means no condition.
 */
export type Condition = { is?: string | null }

/** A local file and its SHA-256, which the bucket compares with the received bytes. */
export type FileWithSum = { path: string; size: number; sha256: string }

export type ListedObject = { key: string; size: number; modified: number }

/** A page of a listing. Keys include the store's prefix. `next` starts the following page. */
type ListedPage = { objects: ListedObject[]; next: string | null }

export type BucketRequest = Condition & {
  does: 'read' | 'write' | 'delete' | 'list'
  key: string
  /** For `read`: the response has no body if the object still has this tag. */
  unless?: string | undefined
  body?: string | FileWithSum
  /** For `list`: continues after the previous page. */
  next?: string
}

/** Builds the requests to one bucket. Sends no requests itself, except to get a role's keys. */
export type S3 = {
  /** Signs a request with a checksum of its body. `now` is the time on the bucket's clock. */
  sign(request: BucketRequest, now: Date): ReturnType<typeof signRequest>
  /** Options with which LanceDB reads the bucket. They contain secret keys. */
  storage(): Promise<Record<string, string>>
}

export function openS3(bucket: string, access: StoreAccess): S3 {
  const accessOnce = once(() => findAccess(access))
  return {
    sign: async (request, now) => signRequest({ bucket, access: await accessOnce(), now }, request),
    async storage() {
      const access = await accessOnce()
      return storageOptions(access, await access.credentials())
    },
  }
}

const methods = { read: 'GET', write: 'PUT', delete: 'DELETE', list: 'GET' } as const

type Signing = { bucket: string; access: BucketAccess; now: Date }

async function signRequest({ bucket, access, now }: Signing, request: BucketRequest) {
  const { AwsV4Signer } = await import('aws4fetch')
  const { does, key, body = '', next = '', is, unless } = request
  const url = new URL(bucketUrl(bucket, access) + (does === 'list' ? '' : key))
  if (does === 'list') {
    url.searchParams.set('list-type', '2')
    url.searchParams.set('prefix', key)
    if (next !== '') url.searchParams.set('continuation-token', next)
  }
  const hash = typeof body === 'string' ? sha256(body) : body.sha256
  const signer = new AwsV4Signer({
    ...(await access.credentials()),
    method: methods[does],
    url: url.href,
    headers: { ...conditionHeaders({ is, unless }), 'x-amz-content-sha256': hash },
    service: 's3',
    region: access.region,
    datetime: now.toISOString().replace(/[:-]|\.\d{3}/g, ''),
    allHeaders: true,
  })
  const ready = await signer.sign()
  const headers: Record<string, string> = Object.fromEntries(ready.headers)
  return { method: methods[does], url: ready.url.href, headers }
}

function conditionHeaders({
  is,
  unless,
}: Pick<BucketRequest, 'is' | 'unless'>): Record<string, string> {
  if (is === null) return { 'if-none-match': '*' }
  if (is !== undefined) return { 'if-match': is }
  return unless === undefined ? {} : { 'if-none-match': unless }
}

function storageOptions(
  { region, endpoint }: BucketAccess,
  { accessKeyId, secretAccessKey, sessionToken }: Credentials,
): Record<string, string> {
  return {
    aws_access_key_id: accessKeyId,
    aws_secret_access_key: secretAccessKey,
    ...(sessionToken === undefined ? {} : { aws_session_token: sessionToken }),
    aws_region: region,
    aws_virtual_hosted_style_request: String(endpoint === null),
    ...(endpoint === null ? {} : { aws_endpoint: endpoint, allow_http: 'true' }),
  }
}

/** Returns the bucket's URL. Without an endpoint, the bucket is part of the host name. */
function bucketUrl(bucket: string, { endpoint, region }: BucketAccess): string {
  if (endpoint !== null) return `${endpoint}/${bucket}/`
  // The certificate for *.s3… covers only one label, so a bucket name with dots goes into the path.
  if (bucket.includes('.')) return `https://s3.${region}.amazonaws.com/${bucket}/`
  return `https://${bucket}.s3.${region}.amazonaws.com/`
}

type Listing = { Contents?: ListedXml | ListedXml[]; NextContinuationToken?: string }
type ListedXml = { Key: string; Size: string; LastModified: string }

/** @throws OgError if the response is not a listing */
export function parseListing(xml: string): ListedPage {
  try {
    const { Contents = [], NextContinuationToken = null } = Bun.XML.parse(xml)
      .ListBucketResult as Listing
    const objects = [Contents].flat().map(({ Key, Size, LastModified }) => {
      return { key: Key, size: Number(Size), modified: Date.parse(LastModified) }
    })
    return { objects, next: NextContinuationToken || null }
  } catch (cause) {
    throw new OgError(`Cannot read the listing of the bucket: ${messageOf(cause)}`, { cause })
  }
}

export type StoreAccess = {
  endpoint: string | null
  region: string | null
  profile: string | null
  env: Readonly<Record<string, string | undefined>>
}

type Variables = StoreAccess['env']

type BucketAccess = {
  /** Returns the currently valid keys. A role's keys are renewed before they expire. */
  credentials: () => Promise<Credentials>
  region: string
  endpoint: string | null
}

/**
 * Finds the credentials in the same order as Amazon's own tools: settings, AWS_* variables, a web
 * identity, the profile in ~/.aws/credentials and ~/.aws/config, the container's role, the
 * machine's role.
 * @throws OgError if there are no keys
 */
export async function findAccess({ env, ...set }: StoreAccess): Promise<BucketAccess> {
  const profile = set.profile ?? env.AWS_PROFILE ?? 'default'
  const folder = join(env.HOME || homedir(), '.aws')
  const secrets = await section(env.AWS_SHARED_CREDENTIALS_FILE ?? join(folder, 'credentials'), [
    profile,
  ])
  const config = await section(env.AWS_CONFIG_FILE ?? join(folder, 'config'), [
    `profile ${profile}`,
    profile,
  ])
  const own = { ...config, ...secrets }
  const region =
    set.region ?? env.AWS_REGION ?? env.AWS_DEFAULT_REGION ?? config.region ?? 'us-east-1'
  const endpoint =
    set.endpoint ?? env.AWS_ENDPOINT_URL_S3 ?? env.AWS_ENDPOINT_URL ?? config.endpoint_url ?? null
  const server = parseEndpoint(endpoint)
  const isNamed = set.profile !== null
  const credentials =
    (isNamed ? null : variableKeys(env, region)) ??
    profileKeys({ profile, own, env, region }) ??
    roleKeys({ profile, isNamed, env })
  return { credentials, region: region || 'us-east-1', endpoint: server }
}

type FindKeys = () => Promise<Credentials>

function fixedKeys(keys: Credentials): FindKeys {
  const validKeys = validateKeys(keys)
  return async () => validKeys
}

function variableKeys(env: Variables, region: string): FindKeys | null {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = env
  const sessionToken = env.AWS_SESSION_TOKEN || undefined
  if (accessKeyId && secretAccessKey)
    return fixedKeys({ accessKeyId, secretAccessKey, sessionToken })
  const { AWS_WEB_IDENTITY_TOKEN_FILE: tokenFile, AWS_ROLE_ARN: role } = env
  if (!tokenFile || !role) return null
  const session = env.AWS_ROLE_SESSION_NAME || 'og'
  const identity = { tokenFile, role, session, endpoint: stsEndpoint(env, region) }
  return renewingKeys(() => webIdentityKeys(identity))
}

type Profile = { profile: string; own: Record<string, string>; env: Variables; region: string }

function profileKeys({ profile, own, env, region }: Profile): FindKeys | null {
  const { aws_access_key_id: accessKeyId, aws_secret_access_key: secretAccessKey } = own
  const sessionToken = own.aws_session_token
  if (accessKeyId && secretAccessKey)
    return fixedKeys({ accessKeyId, secretAccessKey, sessionToken })
  const { web_identity_token_file: tokenFile, role_arn: role } = own
  if (tokenFile && role) {
    const session = own.role_session_name || 'og'
    const identity = { tokenFile, role, session, endpoint: stsEndpoint(env, region) }
    return renewingKeys(() => webIdentityKeys(identity))
  }
  const other = [
    'credential_process',
    'sso_session',
    'sso_start_url',
    'source_profile',
    'credential_source',
  ].find((name) => own[name])
  if (other === undefined) return null
  throw new OgError(
    `Cannot use the store: profile "${profile}" gets its keys by ${other}, ` +
      'which og does not support',
    { hint: 'eval "$(aws configure export-credentials --format env)"' },
  )
}

/** Returns the endpoint from the variables. The default is Amazon's service in the region. */
function stsEndpoint(env: Variables, region: string): string {
  return env.AWS_ENDPOINT_URL_STS || env.AWS_ENDPOINT_URL || `https://sts.${region}.amazonaws.com/`
}

function roleKeys({
  profile,
  isNamed,
  env,
}: {
  profile: string
  isNamed: boolean
  env: Variables
}): FindKeys {
  const none = noCredentials(profile)
  const role =
    isNamed || env.AWS_PROFILE ? null : (containerRoleKeys(env) ?? instanceRoleKeys(env, none))
  if (role === null) throw none
  return renewingKeys(role)
}

function noCredentials(profile: string): OgError {
  return new OgError(`Cannot use the store: there are no keys for it (profile "${profile}")`, {
    hint:
      'set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or store.profile to a profile in ' +
      '~/.aws/credentials; the container or machine has no role either',
  })
}

/** Validates an endpoint and removes its trailing slash. Returns null if it is not set. */
function parseEndpoint(endpoint: string | null): string | null {
  if (endpoint === null || endpoint === '') return null
  const url = URL.parse(endpoint)
  const isPlain =
    url !== null &&
    /^https?:$/.test(url.protocol) &&
    url.username + url.password + url.search + url.hash === ''
  if (isPlain) return url.href.replace(/\/+$/, '')
  throw new OgError('Cannot use store.endpoint: it must be an http address without keys in it')
}

/** Returns the first of these sections that an INI file contains, or an empty object. */
async function section(path: string, names: string[]): Promise<Record<string, string>> {
  const text = await readFile(path, 'utf8').catch((error) => {
    if (error.code === 'ENOENT') return ''
    throw new OgError(`Cannot read "${path}": ${error.code}`)
  })
  const sections = new Map<string, Record<string, string>>()
  let current: Record<string, string> = {}
  for (const line of text.split(/\r?\n/)) {
    const name = /^\s*\[\s*([^\]]+?)\s*\]/.exec(line)?.[1]
    const [, key, value] = /^([\w-]+)\s*=\s*(.*?)\s*$/.exec(line) ?? []
    if (name !== undefined) sections.set(name, (current = sections.get(name) ?? {}))
    else if (key !== undefined && value !== undefined) current[key.toLowerCase()] = value
  }
  return sections.get(names.find((name) => sections.has(name)) ?? '') ?? {}
}
