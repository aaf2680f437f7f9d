import { messageOf, OgError } from '../platform/error.ts'
import { bodyText, fetchWithRetry, printableUrl } from '../platform/web/http.ts'
import { usableKey } from './openai.ts'

export type RerankerOptions = {
  /** The URL of the endpoint; if it has no path, `/rerank` is assumed. */
  url: string
  apiKey: string | null
  /**
   * With a model, the request has the form of Cohere and Jina; without one, the form of Text
   * Embeddings Inference (TEI).
   */
  model: string | null
  /** Limit for the whole request. */
  timeoutMs: number
}

/**
 * Scores texts for a query. The result has one score per text, or null for texts that the endpoint
 * did not score.
 */
export type Rerank = (
  query: string,
  texts: readonly string[],
  signal?: AbortSignal,
) => Promise<(number | null)[]>

/** A response is one short object per text, unless the endpoint also repeats the texts. */
const mostBytes = 4_000_000

/**
 * Opens a reranker at an endpoint. Asks once and does not retry, because a person or an agent
 * waits for the answer.
 * @throws OgError (also from the reranker) if the endpoint is not an HTTP address, refuses the
 * request, does not answer in time or returns an unusable answer
 */
export function openReranker(options: RerankerOptions): Rerank {
  const { model, timeoutMs } = options
  const url = endpointUrl(options.url)
  const headers: Record<string, string> = { 'content-type': 'application/json' }
  const apiKey = usableKey('rerank.api_key', options.apiKey)
  if (apiKey !== null) headers.authorization = `Bearer ${apiKey}`
  return async (query, texts, signal) => {
    if (texts.length === 0) return []
    const deadline = AbortSignal.timeout(timeoutMs)
    const either = signal ? AbortSignal.any([signal, deadline]) : deadline
    const body = JSON.stringify(
      model === null
        ? { query, texts, truncate: true }
        : { model, query, documents: texts, top_n: texts.length },
    )
    const request = { method: 'POST', headers, body, attempts: 1, signal: either } as const
    try {
      return await fetchWithRetry(url, request, async (response) => {
        const text = await bodyText(response, { url, timeoutMs, signal: either, mostBytes })
        if (!response.ok) throw refusal(url, response)
        return scoresIn(url, text, texts.length)
      })
    } catch (error) {
      signal?.throwIfAborted()
      if (!deadline.aborted) throw error
      throw new OgError(`Cannot rerank at "${printableUrl(url)}": no answer in ${timeoutMs} ms`, {
        hint: 'set a higher rerank.timeout_ms',
        cause: error,
      })
    }
  }
}

function endpointUrl(address: string): string {
  const url = URL.parse(address)
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new OgError(`Cannot use rerank.url "${printableUrl(address)}": not an http address`)
  }
  if (url.pathname === '/') url.pathname = '/rerank'
  return url.href
}

/**
 * Reads `[{ index, score }]` (TEI) or `{ results: [{ index, relevance_score }] }` (Cohere, Jina),
 * whichever form the endpoint uses.
 */
function scoresIn(url: string, text: string, nTexts: number): (number | null)[] {
  const answer = parsedJson(url, text) as { results?: unknown } | unknown[] | null
  const ranked = Array.isArray(answer) ? answer : answer?.results
  if (!Array.isArray(ranked) || ranked.length === 0)
    throw unusable(url, 'it is not a list of scores')
  const scores = new Array<number | null>(nTexts).fill(null)
  for (const entry of ranked) {
    const { index, score, relevance_score: relevance } = Object(entry)
    const value = score ?? relevance
    if (!Number.isInteger(index) || index < 0 || index >= nTexts || scores[index] !== null) {
      throw unusable(url, `it has no valid index for each of ${nTexts} texts`)
    }
    if (!Number.isFinite(value)) throw unusable(url, 'a score is not a number')
    scores[index] = value
  }
  return scores
}

function parsedJson(url: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw unusable(url, `it is not JSON: ${messageOf(error)}`)
  }
}

function unusable(url: string, what: string): OgError {
  return new OgError(`Cannot use the answer of the reranker "${printableUrl(url)}": ${what}`)
}

/** The body of a refusal is not repeated: it may contain the query or the key. */
function refusal(url: string, { status }: Response): OgError {
  const place = printableUrl(url)
  if (status === 401 || status === 403) {
    const message = `Cannot rerank at "${place}": the key was refused (${status})`
    return new OgError(message, { hint: 'check rerank.api_key' })
  }
  const hint = refusalHints[status]
  return new OgError(`Cannot rerank at "${place}": server answered ${status}`, { hint })
}

const refusalHints: Readonly<Record<number, string>> = {
  404: 'check rerank.url and rerank.model',
  413: 'the endpoint must accept 30 texts in a request (TEI: --max-client-batch-size)',
  422: 'set rerank.model for an endpoint like Cohere or Jina, and unset it for TEI',
  429: 'wait, or use another endpoint',
}
