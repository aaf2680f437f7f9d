import { openJobLimiter, type JobLimiter } from '../platform/concurrency.ts'
import { OgError } from '../platform/error.ts'
import { parseJsonOrUndefined } from '../platform/json.ts'
import { bodyText, fetchWithRetry, printableUrl, type RetryOptions } from '../platform/web/http.ts'
import { trimEndCharacters } from '../platform/text/trim.ts'
import type { Embedder } from './embedder.ts'

export type OpenAiOptions = {
  /** The URL of the API, `https://host/v1`. Without a path, `/v1` is assumed. */
  baseUrl: string
  apiKey: string | null
  model: string
  dimensions: number
  batchSize?: number
  /** Maximum number of parallel requests for passages, shared by all callers. */
  concurrency?: number
  /** Maximum number of passage tokens to send. Null means no limit. */
  tokenLimit?: number | null
  /** Maximum number of tokens per input, 512 by default. The endpoint does not report it. */
  maxTokens?: number
  queryPrefix?: string
  http?: RetryOptions
}

/**
 * Opens an embedder for any endpoint that supports OpenAI's `POST /v1/embeddings`. Normalises the
 * embeddings. Queries do not wait for passages.
 * @throws OgError (also from the embedder) if the endpoint refuses the request, or returns an
 * unusable answer or different dimensions
 */
export function openOpenAiEmbedder(options: OpenAiOptions): Embedder {
  const { model, dimensions, queryPrefix = '', maxTokens = 512 } = options
  const { batchSize = 64, concurrency = 4 } = options
  const closing = new AbortController()
  const url = embeddingsUrl(options.baseUrl)
  const endpoint = {
    ...options,
    apiKey: usableKey('embeddings.api_key', options.apiKey),
    url,
    signal: closing.signal,
    turns: openJobLimiter(concurrency),
    usage: { tokens: 0 },
  }
  return {
    fingerprint: { model, dimensions, pooling: 'endpoint', queryPrefix },
    arithmetic: 'openai',
    maxTokens,
    batchTexts: batchSize * concurrency,
    embed: (texts) => embedAll(endpoint, texts),
    embedQuery: async (text, prefix = queryPrefix) =>
      (await fetchEmbeddings(endpoint, [prefix + text])).block,
    async [Symbol.asyncDispose]() {
      closing.abort(new OgError('Cannot embed: the embedder was closed'))
    },
  }
}

type Endpoint = OpenAiOptions & {
  url: string
  signal: AbortSignal
  turns: JobLimiter
  /** Number of passage tokens sent so far, as reported by the endpoint or estimated. */
  usage: { tokens: number }
}

/** The timeout for a batch of passages, long enough for an endpoint without a GPU. */
const passagesTimeoutMs = 300_000

async function embedAll(endpoint: Endpoint, texts: string[]): Promise<Float32Array> {
  const { dimensions, turns, batchSize = 64, concurrency = 4 } = endpoint
  const block = new Float32Array(texts.length * dimensions)
  let next = 0
  const lane = async () => {
    while (next < texts.length) {
      const start = next
      next += batchSize
      const batch = texts.slice(start, next)
      const embeddings = await turns
        .run(() => embedBatch(endpoint, batch))
        .catch((error) => {
          next = texts.length
          throw error
        })
      block.set(embeddings, start * dimensions)
    }
  }
  await Promise.all(Array.from({ length: concurrency }, lane))
  return block
}

/** Embeds a batch. Reserves its estimated tokens first so that the limit is not exceeded. */
async function embedBatch(endpoint: Endpoint, texts: string[]): Promise<Float32Array> {
  const { usage, tokenLimit = null, http } = endpoint
  const about = texts.reduce((sum, text) => sum + Math.ceil(text.length / 4) + 2, 0)
  if (tokenLimit !== null && usage.tokens + about > tokenLimit) throw limitReached(endpoint)
  usage.tokens += about
  const patient = { ...endpoint, http: { timeoutMs: passagesTimeoutMs, ...http } }
  const { block, tokens } = await fetchEmbeddings(patient, texts)
  usage.tokens += (tokens ?? about) - about
  return block
}

type FetchedEmbeddings = { block: Float32Array; tokens: number | null }

async function fetchEmbeddings(endpoint: Endpoint, texts: string[]): Promise<FetchedEmbeddings> {
  const { url, apiKey, model, http, signal } = endpoint
  const headers: Record<string, string> = { 'content-type': 'application/json' }
  if (apiKey) headers.authorization = `Bearer ${apiKey}`
  // Endpoints reject empty text, and a space has the same embedding.
  const body = JSON.stringify({ model, input: texts.map((text) => text || ' ') })
  const request = { ...http, method: 'POST', headers, body, signal } as const
  return fetchWithRetry(url, request, async (response) => {
    const text = await bodyText(response, { url, timeoutMs: http?.timeoutMs, signal })
    if (!response.ok) throw refusal(endpoint, response, text)
    const { embeddings, tokens } = answerIn(endpoint, text)
    return { block: blockOf(endpoint, embeddings, texts.length), tokens }
  })
}

/** Puts the embeddings of a response into the order of the texts. */
function blockOf(
  endpoint: Endpoint,
  embeddings: AnsweredEmbedding[],
  nTexts: number,
): Float32Array {
  const { dimensions } = endpoint
  const indexes = new Set(embeddings.map(({ index }, place) => index ?? place))
  const isWhole = indexes.size === nTexts && [...indexes].every((i) => i >= 0 && i < nTexts)
  if (!isWhole || embeddings.length !== nTexts) {
    throw unusable(endpoint, `${embeddings.length} embeddings, not one for each of ${nTexts} texts`)
  }
  const block = new Float32Array(nTexts * dimensions)
  for (const [place, { index = place, embedding }] of embeddings.entries()) {
    const vector = typeof embedding === 'string' ? floatsOf(embedding) : embedding
    if (vector.length !== dimensions) throw otherDimensions(endpoint, vector.length)
    block.set(normalise(endpoint, vector), index * dimensions)
  }
  return block
}

type AnsweredEmbedding = { index?: number; embedding: number[] | string }

type Answer = { embeddings: AnsweredEmbedding[]; tokens: number | null }

function answerIn(endpoint: Endpoint, text: string): Answer {
  const answer = parseJsonOrUndefined(text) as
    | { data?: unknown; usage?: { total_tokens?: unknown } | null }
    | undefined
  const embeddings = answer?.data
  if (!Array.isArray(embeddings) || !embeddings.every(isEmbedding)) {
    throw unusable(endpoint, `not a list of embeddings: ${excerpt(endpoint, text)}`)
  }
  const tokens = answer?.usage?.total_tokens
  return { embeddings, tokens: typeof tokens === 'number' && tokens >= 0 ? tokens : null }
}

function isEmbedding(value: unknown): value is AnsweredEmbedding {
  if (typeof value !== 'object' || value === null) return false
  const { index, embedding } = value as { index?: unknown; embedding?: unknown }
  const isIndex = index === undefined || Number.isInteger(index)
  return isIndex && (typeof embedding === 'string' || Array.isArray(embedding))
}

/** Decodes base64 of little-endian 32-bit floats, which some endpoints send without a request. */
function floatsOf(base64: string): Float32Array {
  const bytes = Buffer.from(base64, 'base64')
  return Float32Array.from({ length: bytes.length >> 2 }, (_, i) => bytes.readFloatLE(4 * i))
}

/** Normalises an embedding. Rejects zeros and values that are not numbers (NaN is null in JSON). */
function normalise(endpoint: Endpoint, vector: ArrayLike<unknown>): Float32Array {
  let squares = 0
  for (let i = 0; i < vector.length; i++) {
    const x = vector[i]
    squares += typeof x === 'number' ? x ** 2 : NaN
  }
  if (!Number.isFinite(squares)) throw unusable(endpoint, 'an embedding that is not all numbers')
  if (squares === 0) throw unusable(endpoint, 'an embedding of zeros')
  const scale = 1 / Math.sqrt(squares)
  return Float32Array.from(vector as ArrayLike<number>, (x) => x * scale)
}

function embeddingsUrl(baseUrl: string): string {
  const url = URL.parse(baseUrl)
  if (url === null || !/^https?:$/.test(url.protocol)) {
    const printable = printableUrl(baseUrl)
    throw new OgError(`Cannot use embeddings.base_url "${printable}": not an http address`)
  }
  const path = trimEndCharacters(url.pathname, '/') || '/v1'
  url.pathname = path.endsWith('/embeddings') ? path : `${path}/embeddings`
  return url.href
}

/** Checks that a key is a valid header value, because the runtime's error would print the key. */
export function usableKey(setting: string, apiKey: string | null): string | null {
  const key = apiKey?.trim() || null
  if (key === null || /^[\x21-\x7e]+$/.test(key)) return key
  throw new OgError(`Cannot use ${setting}: it contains spaces or non-ASCII characters`)
}

function otherDimensions({ model, dimensions }: Endpoint, actual: number): OgError {
  return new OgError(
    `Cannot use embeddings of "${model}": they have ${actual} dimensions, the settings say ` +
      `${dimensions}`,
    { hint: `set embeddings.embedding_dimensions to ${actual}` },
  )
}

function unusable(endpoint: Endpoint, what: string): OgError {
  return new OgError(`Cannot use the response from "${printableUrl(endpoint.url)}": ${what}`)
}

function refusal(endpoint: Endpoint, response: Response, text: string): OgError {
  const { status } = response
  const place = printableUrl(endpoint.url)
  if (status === 401 || status === 403) {
    const hint = endpoint.apiKey ? 'check embeddings.api_key' : 'set embeddings.api_key'
    return new OgError(`Cannot embed at "${place}": the key was refused (${status})`, { hint })
  }
  if (status === 404) {
    const hint = 'check embeddings.base_url and embeddings.embedding_model'
    const message = `Cannot embed at "${place}": no such address or model "${endpoint.model}" (404)`
    return new OgError(message, { hint })
  }
  const reason = excerpt(endpoint, text) || response.statusText
  const hint = refusalHints[status]
  return new OgError(`Cannot embed at "${place}": server answered ${status}: ${reason}`, { hint })
}

const refusalHints: Readonly<Record<number, string>> = {
  413: 'set a smaller embeddings.batch_size',
  422: 'set a smaller embeddings.batch_size',
  429: 'wait, or set fewer embeddings.parallel_requests; finished embeddings are kept',
}

function limitReached({ usage, tokenLimit, url }: Endpoint): OgError {
  return new OgError(
    `Cannot embed any more at "${printableUrl(url)}": this run has sent about ${usage.tokens} ` +
      `tokens, embeddings.token_limit is ${tokenLimit}`,
    { hint: 'the embeddings so far are kept: run the command again, or set a higher limit' },
  )
}

/** Returns the endpoint's error message as one short line without the API key. */
function excerpt(endpoint: Endpoint, text: string): string {
  const answer = parseJsonOrUndefined(text) as
    | { error?: { message?: unknown } | string }
    | undefined
  const error = typeof answer?.error === 'string' ? answer.error : answer?.error?.message
  const line = String(error ?? text)
    .replace(/\s+/g, ' ')
    .trim()
  const safe = endpoint.apiKey ? line.replaceAll(endpoint.apiKey, '***') : line
  return safe.length > 200 ? `${safe.slice(0, 200)}…` : safe
}
