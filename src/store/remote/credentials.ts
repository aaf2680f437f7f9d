import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { OgError } from '../../platform/error.ts'
import {
  validateKeys,
  renewingKeys,
  type Credentials,
  containerRoleKeys,
  instanceRoleKeys,
  webIdentityKeys,
} from './aws-roles.ts'

export type StoreAccess = {
  endpoint: string | null
  region: string | null
  profile: string | null
  env: Readonly<Record<string, string | undefined>>
}

type Variables = StoreAccess['env']

export type BucketAccess = {
  /** Returns the keys that are valid now. The keys of a role are renewed before they expire. */
  credentials: () => Promise<Credentials>
  region: string
  endpoint: string | null
}

/**
 * Finds the credentials as Amazon's own tools do: settings, AWS_* variables, a web identity, the
 * profile in ~/.aws/credentials and ~/.aws/config, the role of the container, the role of the
 * machine.
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

/** Returns Amazon's own service in the region, unless the variables name another. */
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

/**
 * Validates an endpoint and removes its trailing slash; returns null if it is not set.
 */
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

/** Returns the first of these sections that an INI file contains; empty if it contains none. */
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
