import { createPrivateKey, sign } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { isRecord, parseJsonOrUndefined } from '../../../platform/json.ts'
import { OgError } from '../../../platform/error.ts'
import { parseEndpoint, isSecureEndpoint, type StoreAccess } from './credentials.ts'
import { cachedToken, type TokenRequest } from './token.ts'

/**
 * Authorisation for requests, also in the form of LanceDB options. The token must never be printed.
 */
type GoogleAccess = {
  endpoint: string
  /** Returns a token for the time on the bucket's clock; null for an emulator, which needs none. */
  token: ((now: Date) => Promise<string>) | null
  options: Record<string, string>
}

const googleEndpoint = 'https://storage.googleapis.com'

/** Identifies the server; empty for Google's own. */
export function googleServer({ endpoint, env }: StoreAccess): string {
  const emulator = env.STORAGE_EMULATOR_HOST || ''
  if (endpoint || emulator === '' || /^https?:/.test(emulator)) return endpoint || emulator
  return `http://${emulator}`
}

/**
 * Finds the credentials as Google's own tools do: STORAGE_EMULATOR_HOST, which needs no token; the
 * file named by GOOGLE_APPLICATION_CREDENTIALS; the file written by `gcloud auth
 * application-default login`; otherwise the service account of the machine.
 * @throws OgError if the file cannot be used
 */
export async function findGoogle(access: StoreAccess): Promise<GoogleAccess> {
  const { env } = access
  const endpoint = parseEndpoint(googleServer(access), 'store.endpoint') ?? googleEndpoint
  if (env.STORAGE_EMULATOR_HOST) {
    return { endpoint, token: null, options: { google_skip_signature: 'true' } }
  }
  if (!isSecureEndpoint(endpoint)) {
    throw new OgError('Cannot use store.endpoint: a token is not sent by http')
  }
  const credentialsPath = env.GOOGLE_APPLICATION_CREDENTIALS
  const folder = env.CLOUDSDK_CONFIG || join(env.HOME || homedir(), '.config', 'gcloud')
  const path = credentialsPath || join(folder, 'application_default_credentials.json')
  const text = await readFile(path, 'utf8').catch((error) => {
    if (!credentialsPath && error.code === 'ENOENT') return null
    throw new OgError(`Cannot read "${path}": ${error.code}`)
  })
  if (text === null)
    return { endpoint, token: cachedToken(async () => ofMachine(env)), options: {} }
  const token = tokenOfFile(path, text)
  return { endpoint, token, options: { google_application_credentials: path } }
}

function tokenOfFile(path: string, text: string): (now: Date) => Promise<string> {
  const file = parseJsonOrUndefined(text)
  if (!isRecord(file)) throw new OgError(`Cannot use "${path}": it is not valid JSON`)
  const value = (name: string) => {
    const text = file[name]
    if (typeof text === 'string' && text !== '') return text
    throw new OgError(`Cannot use "${path}": it has no ${name}`)
  }
  const type = value('type')
  if (type === 'service_account') return ownToken(path, value)
  if (type === 'authorized_user') {
    const form = {
      grant_type: 'refresh_token',
      client_id: value('client_id'),
      client_secret: value('client_secret'),
      refresh_token: value('refresh_token'),
    }
    const url = 'https://oauth2.googleapis.com/token'
    const hint = 'run "gcloud auth application-default login" again'
    return cachedToken(async () => ({ url, form, hint }))
  }
  throw new OgError(
    `Cannot use "${path}": keys of type ${JSON.stringify(type.slice(0, 40))} are not supported`,
    { hint: 'use the key of a service account' },
  )
}

function ownToken(path: string, value: (name: string) => string): (now: Date) => Promise<string> {
  const [account, id, pem] = [value('client_email'), value('private_key_id'), value('private_key')]
  const key = (() => {
    try {
      return createPrivateKey(pem)
    } catch {
      // The cause is omitted, because its message may repeat the key.
      throw new OgError(`Cannot use "${path}": its private_key cannot be read`)
    }
  })()
  const part = (of: object) => Buffer.from(JSON.stringify(of)).toString('base64url')
  return async (date) => {
    const now = Math.floor(date.getTime() / 1000)
    const scope = 'https://www.googleapis.com/auth/devstorage.read_write'
    const claims = { iss: account, sub: account, scope, iat: now - 30, exp: now + 3_570 }
    const text = `${part({ alg: 'RS256', typ: 'JWT', kid: id })}.${part(claims)}`
    return `${text}.${sign('RSA-SHA256', Buffer.from(text), key).toString('base64url')}`
  }
}

function ofMachine(env: StoreAccess['env']): TokenRequest {
  const host = env.GCE_METADATA_HOST || '169.254.169.254'
  if (!/^[\w.:-]+$/.test(host)) throw new OgError('Cannot use GCE_METADATA_HOST: it is not a host')
  const path = 'computeMetadata/v1/instance/service-accounts/default/token'
  const hint =
    'GOOGLE_APPLICATION_CREDENTIALS names the key of a service account; it is not ' +
    'set, and this machine has no identity'
  const headers = { 'metadata-flavor': 'Google' }
  return { url: `http://${host}/${path}`, headers, isNear: true, hint }
}
