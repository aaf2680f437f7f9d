import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { OgError } from '../../../platform/error.ts'

/** What the settings say of buckets, and the environment, which may say the same. */
export type StoreAccess = {
  endpoint: string | null
  region: string | null
  profile: string | null
  /** Of Azure. */
  account: string | null
  env: Readonly<Record<string, string | undefined>>
}

/** With what requests are signed. Never printed. */
export type Credentials = {
  accessKeyId: string
  secretAccessKey: string
  sessionToken: string | undefined
}

export type BucketAccess = {
  credentials: Credentials
  region: string
  /** null: Amazon's own. */
  endpoint: string | null
}

/**
 * As the tools of Amazon find them: settings, AWS_* variables, then the profile in
 * ~/.aws/credentials and ~/.aws/config. Reads these two files and nothing else.
 * @throws OgError where there are none
 */
export async function findAccess({ env, ...set }: StoreAccess): Promise<BucketAccess> {
  const profile = set.profile ?? env.AWS_PROFILE ?? 'default'
  const folder = join(env.HOME || homedir(), '.aws')
  const secrets = await section(
    env.AWS_SHARED_CREDENTIALS_FILE ?? join(folder, 'credentials'), [profile],
  )
  const config = await section(
    env.AWS_CONFIG_FILE ?? join(folder, 'config'), [`profile ${profile}`, profile],
  )
  const own = { ...config, ...secrets }
  const region = set.region ?? env.AWS_REGION ?? env.AWS_DEFAULT_REGION ?? config.region
  const endpoint = set.endpoint ?? env.AWS_ENDPOINT_URL_S3 ?? env.AWS_ENDPOINT_URL
    ?? config.endpoint_url ?? null
  const fromEnv = set.profile === null && env.AWS_ACCESS_KEY_ID && env.AWS_SECRET_ACCESS_KEY
  const [accessKeyId, secretAccessKey, sessionToken] = fromEnv
    ? [env.AWS_ACCESS_KEY_ID, env.AWS_SECRET_ACCESS_KEY, env.AWS_SESSION_TOKEN]
    : [own.aws_access_key_id, own.aws_secret_access_key, own.aws_session_token]
  if (!accessKeyId || !secretAccessKey) throw noCredentials(profile)
  // A header that cannot be sent would be printed by the runtime's own complaint.
  const isUsable = [accessKeyId, secretAccessKey, sessionToken ?? 'none']
    .every((it) => /^[\x21-\x7e]+$/.test(it))
  if (!isUsable) throw new OgError('Cannot use the keys of the store: they hold odd characters')
  const credentials = { accessKeyId, secretAccessKey, sessionToken }
  const server = checkedEndpoint(endpoint, 'store.endpoint')
  return { credentials, region: region || 'us-east-1', endpoint: server }
}

function noCredentials(profile: string): OgError {
  return new OgError(`Cannot use the store: there are no keys for it (profile "${profile}")`, {
    hint: 'set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or store.profile names a profile of ' +
      '~/.aws/credentials',
  })
}

/** Without a slash at its end. `what` it is, for the error; null where nothing is typed. */
export function checkedEndpoint(typed: string | null, what: string): string | null {
  if (typed === null || typed === '') return null
  const url = URL.parse(typed)
  const isPlain = url !== null && /^https?:$/.test(url.protocol)
    && url.username + url.password + url.search + url.hash === ''
  if (isPlain) return url.href.replace(/\/+$/, '')
  throw new OgError(`Cannot use ${what}: it must be an http address without keys in it`)
}

/** Whether nobody on the way reads what is sent there: by https, or to this machine. */
export function isSealed(endpoint: string): boolean {
  return /^https:|^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:|\/|$)/.test(endpoint)
}

/** The first of these sections of an INI file; empty where there is none. */
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
