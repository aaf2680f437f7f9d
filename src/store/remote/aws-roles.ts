import { readFile } from 'node:fs/promises'
import { OgError } from '../../platform/error.ts'
import { isLoopbackHost } from '../../platform/web/address-rule.ts'
import { bodyText, fetchWithRetry, NetworkError } from '../../platform/web/http.ts'

type Variables = Readonly<Record<string, string | undefined>>

type WebIdentity = {
  tokenFile: string
  role: string
  session: string
  /** URL of the service that issues the keys. */
  endpoint: string
}

/** Reads the token for each request because Kubernetes and CI replace its file. */
export async function webIdentityKeys(identity: WebIdentity): Promise<IssuedKeys> {
  const { tokenFile, role, session, endpoint } = identity
  const url = secureUrl(endpoint, 'the endpoint of STS')
  const hint = 'AWS_ROLE_ARN must name a role that trusts the token in AWS_WEB_IDENTITY_TOKEN_FILE'
  const form = {
    Action: 'AssumeRoleWithWebIdentity',
    Version: '2011-06-15',
    RoleArn: role,
    RoleSessionName: session,
    WebIdentityToken: await tokenIn(tokenFile),
  }
  const answer = await askIssuer({ url, form, hint })
  const value = (name: string) => new RegExp(`<${name}>([^<]*)</${name}>`).exec(answer.text)?.[1]
  const code = /<Code>(\w{1,60})<\/Code>/.exec(answer.text)?.[1] ?? ''
  return issuedKeys(answer, { code, hint, value, token: value('SessionToken') })
}

/** Returns the keys of a container's role (ECS, EKS, Lambda), or null if it has no role. */
export function containerRoleKeys(env: Variables): (() => Promise<IssuedKeys>) | null {
  const { AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: path } = env
  const full = env.AWS_CONTAINER_CREDENTIALS_FULL_URI
  if (!path && !full) return null
  return async () => {
    const url = path
      ? urlOfEcs(path)
      : secureUrl(full!, 'AWS_CONTAINER_CREDENTIALS_FULL_URI', { mayBeNear: true })
    const file = env.AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE
    const token = file ? await tokenIn(file) : env.AWS_CONTAINER_AUTHORIZATION_TOKEN
    const admission = token ? { authorization: validateToken(token) } : {}
    const headers = { accept: 'application/json', ...admission } as Record<string, string>
    const hint = 'AWS_CONTAINER_CREDENTIALS_* name the service of the container that gives keys'
    const answer = await askIssuer({ url, headers, isNear: true, hint })
    return keysInJson(answer, hint)
  }
}

function urlOfEcs(path: string): string {
  const host = 'http://169.254.170.2'
  const url = path.startsWith('/') && !path.startsWith('//') ? URL.parse(path, host) : null
  if (url?.origin === host) return url.href
  throw new OgError('Cannot use AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: it must begin with one /')
}

/**
 * Returns a function that gets the keys of the machine's role (EC2, IMDSv2), or null if the
 * variables forbid the request. The function throws `noRole` if the metadata service does not
 * respond, as on machines outside EC2.
 */
export function instanceRoleKeys(
  env: Variables,
  noRole: OgError,
): (() => Promise<IssuedKeys>) | null {
  if (/^true$/i.test(env.AWS_EC2_METADATA_DISABLED ?? '')) return null
  const isIpv6 = /^ipv6$/i.test(env.AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE ?? '')
  const usual = isIpv6 ? 'http://[fd00:ec2::254]' : 'http://169.254.169.254'
  let hasAnswered = false
  return async () => {
    const name = 'AWS_EC2_METADATA_SERVICE_ENDPOINT'
    const endpoint = secureUrl(env[name] || usual, name, { mayBeNear: true })
    const base = endpoint.replace(/\/+$/, '')
    const ask = (path: string, request: Partial<IssuerRequest>) =>
      askIssuer({ url: `${base}/latest/${path}`, hint: machineHint, isNear: true, ...request })
    const ttlHeader = { 'x-aws-ec2-metadata-token-ttl-seconds': '21600' }
    const first = { method: 'PUT' as const, headers: ttlHeader, attempts: 1 }
    const session = await ask('api/token', first).catch((error) => {
      // If the service has never responded, this is not an Amazon machine.
      if (hasAnswered || !(error instanceof OgError)) throw error
      throw noRole
    })
    hasAnswered = true
    if (session.status !== 200) throw issuerRefusal(session, { code: '', hint: machineHint })
    const headers = { 'x-aws-ec2-metadata-token': validateToken(session.text) }
    const roles = 'meta-data/iam/security-credentials/'
    const roleAnswer = await ask(roles, { headers })
    const role = roleAnswer.text.trim().split('\n')[0]!
    if (roleAnswer.status !== 200 || !/^[\w+=,.@-]+$/.test(role)) {
      throw issuerRefusal(roleAnswer, { code: '', hint: machineHint })
    }
    return keysInJson(await ask(roles + role, { headers }), machineHint)
  }
}

const machineHint =
  'set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or store.profile names a ' +
  'profile of ~/.aws/credentials; this machine has no role'

function keysInJson(answer: IssuerAnswer, hint: string): IssuedKeys {
  const value = (name: string) =>
    new RegExp(`"${name}"\\s*:\\s*"([\\x21\\x23-\\x5b\\x5d-\\x7e]+)"`).exec(answer.text)?.[1]
  const answerCode = value('Code') ?? value('code')
  const code =
    answerCode !== undefined && /^\w{1,60}$/.test(answerCode) && answerCode !== 'Success'
      ? answerCode
      : ''
  return issuedKeys(answer, { code, hint, value, token: value('Token') })
}

type Issued = {
  code: string
  hint: string
  value: (name: string) => string | undefined
  token: string | undefined
}

function issuedKeys(answer: IssuerAnswer, { code, hint, value, token }: Issued): IssuedKeys {
  const [accessKeyId, secretAccessKey] = [value('AccessKeyId'), value('SecretAccessKey')]
  const expires = Date.parse(value('Expiration') ?? '')
  const isWhole = answer.status === 200 && code === '' && Number.isFinite(expires)
  if (isWhole && accessKeyId && secretAccessKey && token) {
    const keys = { accessKeyId, secretAccessKey, sessionToken: token }
    // This machine's clock may be wrong, so use the service's clock.
    return { keys, lifeMs: expires - answer.sentAt }
  }
  throw issuerRefusal(answer, { code, hint })
}

/** Reports only the status and code because the rest of a response may contain keys. */
function issuerRefusal(
  { host, status }: IssuerAnswer,
  { code, hint }: { code: string; hint: string },
): OgError {
  const kind = status === 429 || status >= 500 ? 'unreachable' : 'denied'
  const message = noTokenMessage(host, `it answers ${status}${code && ` ${code}`}`)
  return new OgError(message, { code: kind, hint })
}

async function tokenIn(path: string): Promise<string> {
  const text = await readFile(path, 'utf8').catch((error) => {
    throw new OgError(`Cannot read "${path}": ${error.code}`)
  })
  return validateToken(text)
}

/** Checked here because the runtime's error for an invalid header would print the token. */
function validateToken(text: string): string {
  const token = text.trim()
  if (/^[\x20-\x7e]+$/.test(token)) return token
  throw new OgError('Cannot use the store: a token that identifies og contains invalid characters')
}

/**
 * Checks the URL of a service that receives or sends a secret. The URL must use https, or http on
 * this machine. `mayBeNear` also allows http for the link-local addresses of cloud metadata
 * services.
 */
function secureUrl(address: string, what: string, { mayBeNear = false } = {}): string {
  const url = URL.parse(address)
  const isPlain = url !== null && url.username + url.password + url.hash === ''
  if (!isPlain || !/^https?:$/.test(url.protocol)) {
    throw new OgError(`Cannot use ${what}: it must be an http address without keys in it`)
  }
  const { hostname } = url
  const isNear = mayBeNear && /^(169\.254\.\d+\.\d+|\[fd00:ec2::[0-9a-f]{1,4}\])$/.test(hostname)
  if (url.protocol === 'https:' || isLoopbackHost(hostname) || isNear) return url.href
  throw new OgError(`Cannot use ${what}: keys are not sent by http`, { hint: 'use https' })
}

type IssuerRequest = {
  url: string
  /** Undefined means POST if there is a form, and GET otherwise. */
  method?: 'PUT'
  headers?: Record<string, string>
  form?: Record<string, string>
  isNear?: true
  attempts?: number
  /** Tells the user which variables to set if the service issues no keys. */
  hint: string
}

/** `sentAt` is the time of the response by the service's clock. */
type IssuerAnswer = { host: string; status: number; text: string; sentAt: number }

/**
 * Sends a request to a service that issues keys.
 * @throws OgError if the service does not respond
 */
async function askIssuer(request: IssuerRequest): Promise<IssuerAnswer> {
  const { url, method, headers = {}, form, isNear, attempts = 2, hint } = request
  const host = new URL(url).host
  const requestInit =
    form === undefined
      ? { ...(method && { method }), headers }
      : {
          method: 'POST' as const,
          headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
          body: new URLSearchParams(form).toString(),
        }
  const limits = isNear ? { timeoutMs: 2_000, attempts } : {}
  const init = { redirect: 'manual' as const }
  const connection = () => ({ url, headers: {}, init })
  const read = async (answer: Response): Promise<IssuerAnswer> => {
    const date = Date.parse(answer.headers.get('date') ?? '')
    const sentAt = Number.isFinite(date) ? date : Date.now()
    return { host, status: answer.status, text: await bodyText(answer, { url: host }), sentAt }
  }
  return fetchWithRetry(host, { ...requestInit, ...limits, connection }, read).catch((error) => {
    if (!(error instanceof NetworkError)) throw error
    const why = error.reason.replace(/^Cannot fetch "[^"]*": /, '')
    throw new OgError(noTokenMessage(host, why), { code: 'unreachable', hint })
  })
}

function noTokenMessage(host: string, why: string): string {
  return `Cannot use the store: no token from ${host}: ${why}`
}

/** Keys that sign requests. They must never be printed. */
export type Credentials = {
  accessKeyId: string
  secretAccessKey: string
  sessionToken: string | undefined
}

/** Keys issued by a service, and how long they are valid. */
type IssuedKeys = { keys: Credentials; lifeMs: number }

/** Keys are renewed this long before they expire. */
const renewAheadMs = 300_000
/** Wait after a failed renewal. Valid keys stay in use until they expire. */
const pauseMs = 30_000

/**
 * Returns a function that calls `issue` and caches the keys in this process until shortly before
 * they expire. If the service is down at renewal, the old keys stay in use until they expire.
 */
export function renewingKeys(issue: () => Promise<IssuedKeys>): () => Promise<Credentials> {
  let cached: { keys: Credentials; renewAt: number; expiresAt: number } | null = null
  let running: Promise<Credentials> | null = null

  async function renew(): Promise<Credentials> {
    const startedAt = Date.now()
    try {
      const { keys, lifeMs } = await issue()
      const expiresAt = startedAt + lifeMs
      cached = { keys: validateKeys(keys), renewAt: expiresAt - renewAheadMs, expiresAt }
      return cached.keys
    } catch (error) {
      const isOutage = error instanceof OgError && error.code === 'unreachable'
      if (!isOutage || cached === null || Date.now() >= cached.expiresAt) throw error
      cached.renewAt = Date.now() + pauseMs
      return cached.keys
    }
  }

  return async () => {
    if (cached !== null && Date.now() < Math.min(cached.renewAt, cached.expiresAt))
      return cached.keys
    running ??= renew().finally(() => (running = null))
    return running
  }
}

/** Checked here because the runtime's error for an invalid header would print the key. */
export function validateKeys(keys: Credentials): Credentials {
  const { accessKeyId, secretAccessKey, sessionToken = 'none' } = keys
  const isUsable = [accessKeyId, secretAccessKey, sessionToken].every((it) =>
    /^[\x21-\x7e]+$/.test(it),
  )
  if (isUsable) return keys
  throw new OgError('Cannot use the keys of the store: they contain invalid characters')
}
