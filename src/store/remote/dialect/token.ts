import { OgError } from '../../../platform/error.ts'
import { fetchWithRetry, NetworkError, bodyText } from '../../../platform/web/http.ts'

/** A request to a service that issues tokens. Only its host may be printed. */
export type TokenRequest = Omit<IssuerRequest, 'method' | 'attempts'>

export type IssuerRequest = {
  url: string
  /** If undefined, POST with a form, else GET. */
  method?: 'PUT'
  headers?: Record<string, string>
  form?: Record<string, string>
  isNear?: true
  attempts?: number
  /** Tells the user which variables to set if there is no token. */
  hint: string
}

/** A token is renewed this long before it expires. */
const renewAheadMs = 300_000

/**
 * Returns a function that requests an OAuth token and caches it in this process as long as it is
 * valid.
 */
export function cachedToken(request: () => Promise<TokenRequest>): () => Promise<string> {
  let cached: { token: string; until: number } | null = null
  let running: Promise<string> | null = null
  const renew = async () => {
    const startedAt = performance.now()
    const { token, seconds } = await fetchToken(await request())
    cached = { token, until: startedAt + seconds * 1000 - renewAheadMs }
    return token
  }
  return async () => {
    if (cached !== null && performance.now() < cached.until) return cached.token
    running ??= renew().finally(() => (running = null))
    return running
  }
}

/** `sentAt` is the time of the response on the service's clock. */
export type IssuerAnswer = { host: string; status: number; text: string; sentAt: number }

/**
 * Sends a request to a service that issues tokens or keys.
 * @throws OgError if the service does not respond
 */
export async function askIssuer(request: IssuerRequest): Promise<IssuerAnswer> {
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

async function fetchToken(request: TokenRequest) {
  const { hint } = request
  const { host, status, text } = await askIssuer(request)
  const token = /"access_token"\s*:\s*"([\x21\x23-\x5b\x5d-\x7e]+)"/.exec(text)?.[1]
  const numberIn = (name: string) =>
    new RegExp(`"${name}"\\s*:\\s*"?(\\d{1,10})\\b`).exec(text)?.[1]
  // Azure's services return the time of expiry, not a duration.
  const seconds = Number(
    numberIn('expires_in') ?? Number(numberIn('expires_on') ?? 0) - Date.now() / 1000,
  )
  if (status === 200 && token !== undefined) return { token, seconds }
  const code = /"error"\s*:\s*"(\w{1,60})"/.exec(text)?.[1] ?? ''
  const kind = status === 429 || status >= 500 ? 'unreachable' : 'denied'
  const why = `it answers ${status}${code && ` ${code}`}`
  throw new OgError(noTokenMessage(host, why), { code: kind, hint })
}

export function noTokenMessage(host: string, why: string): string {
  return `Cannot use the store: no token from ${host}: ${why}`
}
