import type { ServerContext } from '@modelcontextprotocol/server'

/** What somebody asked of a server, once it is answered. */
export type ServedCall = {
  /** The name of a key; null: there is none, or it is not known. */
  key: string | null
  /** `search_documents_tool`, `resources/read`, `GET /read`. */
  what: string
  /** As it was named; null: none was. */
  library: string | null
  /** Of a tool in words; of a page, and where a request was refused, the status of HTTP. */
  status: 'ok' | 'error' | 'cancelled' | number
  /** Milliseconds since 1970, and how many it took. */
  startedAt: number
  ms: number
  /** null: it has none. */
  query: string | null
  /** The header by which W3C names the caller's span; null: it sent none. */
  traceparent: string | null
}

/** Hears of each call after its answer is made; no answer waits for it. */
export type Observer = (call: ServedCall) => void

type About = Pick<ServedCall, 'what' | 'library' | 'query'>

/** Runs a call, and tells the observer how it ended. */
export function observed<T>(
  run: () => Promise<T>,
  observe: Observer | undefined,
  { context: { http, mcpReq }, about }: { context: ServerContext; about: About },
): Promise<T> {
  if (observe === undefined) return run()
  const startedAt = Date.now()
  const start = performance.now()
  const tell = (status: ServedCall['status']) =>
    observe({
      ...shortened(about),
      key: http?.authInfo?.clientId ?? null,
      status,
      startedAt,
      ms: performance.now() - start,
      traceparent: http?.req?.headers.get('traceparent') ?? null,
    })
  return run().then(
    (result) => {
      tell((result as { isError?: boolean }).isError === true ? 'error' : 'ok')
      return result
    },
    (error) => {
      tell(mcpReq.signal.aborted ? 'cancelled' : 'error')
      throw error
    },
  )
}

/** Who calls chooses how long these are. */
function shortened({ what, library, query }: About): About {
  return { what, library: library?.slice(0, 200) ?? null, query: query?.slice(0, 2_000) ?? null }
}
