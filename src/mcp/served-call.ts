import type { ServerContext } from '@modelcontextprotocol/server'

export type ServedCall = {
  key: string | null
  /** For example `search_documents_tool`, `resources/read` or `GET /read`. */
  what: string
  /** The library as written by the client, or null. */
  library: string | null
  /** A word for tool calls. The HTTP status for web pages and rejected requests. */
  status: 'ok' | 'error' | 'cancelled' | number
  /** Start in milliseconds since 1970, and duration in milliseconds. */
  startedAt: number
  ms: number
  query: string | null
}

/** Receives each call after its answer was sent. */
export type Observer = (call: ServedCall) => void

type CallSubject = Pick<ServedCall, 'what' | 'library' | 'query'>

export function observeCall<T>(
  run: () => Promise<T>,
  observe: Observer | undefined,
  { context: { http, mcpReq }, about }: { context: ServerContext; about: CallSubject },
): Promise<T> {
  if (observe === undefined) return run()
  const startedAt = Date.now()
  const start = performance.now()
  const report = (status: ServedCall['status']) =>
    observe({
      ...shorten(about),
      key: http?.authInfo?.clientId ?? null,
      status,
      startedAt,
      ms: performance.now() - start,
    })
  return run().then(
    (result) => {
      report((result as { isError?: boolean }).isError === true ? 'error' : 'ok')
      return result
    },
    (error) => {
      report(mcpReq.signal.aborted ? 'cancelled' : 'error')
      throw error
    },
  )
}

function shorten({ what, library, query }: CallSubject): CallSubject {
  return { what, library: library?.slice(0, 200) ?? null, query: query?.slice(0, 2_000) ?? null }
}
