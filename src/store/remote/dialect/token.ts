import { OgError } from '../../../platform/error.ts'
import { fetchWithRetry, NetworkError, bodyText } from '../../../platform/web/http.ts'

/** Who gives tokens, and what it is sent. Nothing of it is printed but the host. */
export type TokenRequest = {
  url: string
  headers?: Record<string, string>
  /** Sent by POST; absent: GET. */
  form?: Record<string, string>
  /** Of what looks after this machine, which answers at once or is not there. */
  isNear?: true
  /** What to set where there is no token. */
  hint: string
}

/** A token is taken anew so long before it ends. */
const sparedMs = 300_000

/** The token of OAuth that `request` gives, kept by this process as long as it is good. */
export function tokenOf(request: () => Promise<TokenRequest>): () => Promise<string> {
  let kept: { token: string; until: number } | null = null
  let running: Promise<string> | null = null
  const renewed = async () => {
    const startedAt = performance.now()
    const { token, seconds } = await fetchToken(await request())
    kept = { token, until: startedAt + seconds * 1000 - sparedMs }
    return token
  }
  return async () => {
    if (kept !== null && performance.now() < kept.until) return kept.token
    running ??= renewed().finally(() => (running = null))
    return running
  }
}

async function fetchToken({ url, headers = {}, form, isNear, hint }: TokenRequest) {
  const host = new URL(url).host
  const sent = form === undefined ? { headers } : {
    method: 'POST' as const,
    headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(form).toString(),
  }
  const limits = isNear ? { timeoutMs: 2_000, attempts: 2 } : {}
  const connection = () => ({ url, headers: {}, init: { redirect: 'manual' as const } })
  const read = async (answer: Response) => ({
    status: answer.status, text: await bodyText(answer, { url: host }),
  })
  const { status, text } = await fetchWithRetry(host, { ...sent, ...limits, connection }, read)
    .catch((error) => {
      if (!(error instanceof NetworkError)) throw error
      const why = error.reason.replace(/^Cannot fetch "[^"]*": /, '')
      throw new OgError(noToken(host, why), { code: 'unreachable', hint })
    })
  const token = /"access_token"\s*:\s*"([\x21\x23-\x5b\x5d-\x7e]+)"/.exec(text)?.[1]
  const said = (name: string) => new RegExp(`"${name}"\\s*:\\s*"?(\\d{1,10})\\b`).exec(text)?.[1]
  // Services of Azure say when in place of how soon.
  const seconds = Number(said('expires_in') ?? Number(said('expires_on') ?? 0) - Date.now() / 1000)
  if (status === 200 && token !== undefined) return { token, seconds }
  const code = /"error"\s*:\s*"(\w{1,60})"/.exec(text)?.[1] ?? ''
  const kind = status === 429 || status >= 500 ? 'unreachable' : 'denied'
  const why = `it answers ${status}${code && ` ${code}`}`
  throw new OgError(noToken(host, why), { code: kind, hint })
}

function noToken(host: string, why: string): string {
  return `Cannot use the store: no token from ${host}: ${why}`
}
