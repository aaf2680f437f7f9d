import { abortableSleep, untilAborted, type Sleep } from '../concurrency.ts'
import { messageOf, OgError, type ErrorCode } from '../error.ts'

export type RetryOptions = {
  attempts?: number
  timeoutMs?: number
  /** Wait after the first failed attempt. Doubles with each further attempt, with jitter. */
  backoffMs?: number
  /** Longest single wait. If the server requests a longer wait, no further attempt is made. */
  maxWaitMs?: number
  sleep?: Sleep
}

export type FetchOptions = RetryOptions & {
  method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE'
  /** A function is called for each attempt because a resumed download changes its range. */
  headers?: Record<string, string> | (() => Record<string, string>)
  /** A file is read again for each attempt. */
  body?: string | Blob
  signal?: AbortSignal
  /** Overrides the target of the connection. It is called for each attempt. */
  connection?: () => Connection
}

/** A connection: `url` replaces the requested URL; `headers` and `init` override the request. */
type Connection = { url: string; headers: Record<string, string>; init: BunFetchRequestInit }

/** The error of a request without a complete response. A retry may help if `isTransient`. */
export class NetworkError extends OgError {
  readonly isTransient: boolean

  constructor(
    message: string,
    options: { isTransient: boolean; code?: ErrorCode; reason?: string; cause?: unknown },
  ) {
    const { code, reason = message, cause } = options
    super(message, { code, reason, cause, hint: 'check the network and the proxy settings' })
    this.isTransient = options.isTransient
  }
}

/**
 * Sends a request. Retries with doubling waits after a broken connection, a timeout, and status
 * 408, 425, 429 or 5xx except 501. Obeys Retry-After. `read` reads the body within the attempt, so
 * that an interrupted body is requested again. It receives a response with any other status, and
 * the last response of all attempts, because only the caller knows the meaning of a 404. The
 * runtime obeys HTTP_PROXY, HTTPS_PROXY and NO_PROXY.
 * @throws NetworkError if no complete response arrived; the signal's reason; errors of `read`
 */
export async function fetchWithRetry<T>(
  url: string,
  options: FetchOptions,
  read: (response: Response) => Promise<T>,
): Promise<T> {
  const { attempts = 5, signal, sleep = abortableSleep } = options
  for (let attempt = 1; ; attempt++) {
    const outcome = await attemptOnce(url, { options, read, attempt, isLast: attempt >= attempts })
    if ('value' in outcome) return outcome.value
    await sleep(outcome.waitMs, signal)
    signal?.throwIfAborted()
  }
}

export async function* bodyPieces(
  response: Response,
  options: { url: string; timeoutMs?: number; signal?: AbortSignal },
): AsyncGenerator<Uint8Array> {
  const { url, timeoutMs = defaultTimeoutMs, signal } = options
  const reader = response.body?.getReader()
  if (reader === undefined) return
  try {
    for (;;) {
      const deadline = cancellation(timeoutMs, signal)
      const piece = await untilAborted(reader.read(), deadline.signal)
        .catch((error) => {
          throw networkError(error, { url, signal })
        })
        .finally(deadline.clear)
      if (piece.done) return
      yield piece.value
    }
  } finally {
    // Not awaited because a silent peer would block it.
    reader.cancel().catch(ignoreLateFailure)
  }
}

/** Returns the whole body. @throws NetworkError if it is interrupted or stalls */
export async function bodyText(
  response: Response,
  options: { url: string; timeoutMs?: number; signal?: AbortSignal },
): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const piece of bodyPieces(response, options)) {
    text += decoder.decode(piece, { stream: true })
  }
  return text + decoder.decode()
}

/** Returns a URL that is safe to print, without credentials or secret parameters. */
export function printableUrl(url: string): string {
  const parts = url.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i, '$1').split(/(?=[&#])/)
  return parts.map(withoutSecret).join('')
}

/** Hides the value of a secret parameter. `part` ends before the next `&` or `#`. */
function withoutSecret(part: string): string {
  let start = part.startsWith('&') ? 1 : part.indexOf('?') + 1
  while (start > 0) {
    const equals = part.indexOf('=', start)
    if (equals < 0) return part
    const isSecret = /key|token|secret|sig|password/i.test(part.slice(start, equals))
    if (isSecret) return `${part.slice(0, equals)}=***`
    start = part.indexOf('?', equals) + 1
  }
  return part
}

const defaultTimeoutMs = 30_000

type Attempt<T> = {
  options: FetchOptions
  read: (response: Response) => Promise<T>
  attempt: number
  isLast: boolean
}
type Outcome<T> = { value: T } | { waitMs: number }

async function attemptOnce<T>(url: string, context: Attempt<T>): Promise<Outcome<T>> {
  const { options, read, attempt, isLast } = context
  const maxWaitMs = options.maxWaitMs ?? 60_000
  const backoffMs = Math.min(withJitter((options.backoffMs ?? 500) * 2 ** (attempt - 1)), maxWaitMs)
  try {
    const response = await fetchHead(url, options)
    const waitMs = Math.max(backoffMs, retryAfterMs(response.headers.get('retry-after')))
    if (isLast || !isTransientStatus(response.status) || waitMs > maxWaitMs) {
      return { value: await read(response) }
    }
    response.body?.cancel().catch(ignoreLateFailure)
    return { waitMs }
  } catch (error) {
    if (isLast || !(error instanceof NetworkError) || !error.isTransient) throw error
    return { waitMs: backoffMs }
  }
}

async function fetchHead(url: string, options: FetchOptions): Promise<Response> {
  const { method = 'GET', headers = {}, body, signal, timeoutMs = defaultTimeoutMs } = options
  signal?.throwIfAborted()
  const deadline = cancellation(timeoutMs, signal)
  const connection = options.connection?.() ?? { url, headers: {}, init: {} }
  const own = typeof headers === 'function' ? headers() : headers
  const request = { method, body, headers: { ...own, ...connection.headers } }
  return fetch(connection.url, { ...request, ...connection.init, signal: deadline.signal })
    .catch((error) => {
      throw networkError(error, { url, signal })
    })
    .finally(deadline.clear)
}

/** Returns a signal that aborts with the caller's signal or after a timeout. */
function cancellation(timeoutMs: number, signal: AbortSignal | undefined) {
  const controller = new AbortController()
  const follow = () => controller.abort(signal?.reason)
  const timer = setTimeout(() => {
    controller.abort(new Timeout(`no answer within ${timeoutMs / 1000} s`))
  }, timeoutMs)
  // The caller may have aborted while it used the last piece.
  if (signal?.aborted) follow()
  signal?.addEventListener('abort', follow, { once: true })
  const clear = () => {
    clearTimeout(timer)
    signal?.removeEventListener('abort', follow)
  }
  return { signal: controller.signal, clear }
}

class Timeout extends Error {}

function networkError(
  error: unknown,
  options: { url: string; signal: AbortSignal | undefined },
): unknown {
  if (options.signal?.aborted) return options.signal.reason
  const code = String((error as { code?: unknown } | null)?.code ?? '')
  const reason = error instanceof Timeout ? error.message : (plainWords[code] ?? messageOf(error))
  return new NetworkError(`Cannot fetch "${printableUrl(options.url)}": ${reason}`, {
    isTransient: error instanceof Timeout || transientCodes.has(code),
    code: 'unreachable',
    cause: error,
  })
}

const plainWords: Record<string, string> = {
  ENOTFOUND: 'host name not found',
  EAI_AGAIN: 'host name lookup failed',
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection was lost',
  ENETUNREACH: 'network unreachable',
  ETIMEDOUT: 'connection timed out',
  ERR_INVALID_URL: 'not a web address',
}

// A refused connection or an unknown name is reported at once, without retries.
const transientCodes = new Set(['ECONNRESET', 'ETIMEDOUT', 'EPIPE', 'ECONNABORTED'])

function isTransientStatus(status: number): boolean {
  return status === 408 || status === 425 || status === 429 || (status >= 500 && status !== 501)
}

/** Parses Retry-After (RFC 9110 §10.2.3). Returns 0 if it is missing or invalid. */
function retryAfterMs(value: string | null): number {
  if (value === null) return 0
  const ms = /^\d+$/.test(value.trim()) ? Number(value) * 1000 : Date.parse(value) - Date.now()
  return Number.isFinite(ms) ? Math.max(0, ms) : 0
}

// Multiplies the wait by 0.5 to 1.5, so that clients that lost their connections together retry at
// different times.
function withJitter(ms: number): number {
  return ms * (0.5 + Math.random())
}

// Ignores the rejection of a cancelled body. The caller already gets the reason of the
// cancellation.
function ignoreLateFailure(): void {}
