import { createMcpHandler } from '@modelcontextprotocol/server'
import { parseJsonOrUndefined } from '../../platform/json.ts'
import { watchRegistry } from '../docs/changes.ts'
import { openServer, type Face } from '../server.ts'

export type RequestHandlers = {
  /**
   * `clientId` is the name of the key that was sent with the request, `body` the bytes of its body.
   */
  fetch(face: Face, request: Request, sent: SentRequest): Promise<Response>
  close(): Promise<void>
}

type SentRequest = { clientId: string | null; body: Uint8Array }

/**
 * Opens the SDK's handler of a face at the face's first request. If there are more than
 * `maxEntries` handlers, the least recently used idle one is closed together with its change
 * streams.
 */
export function openHandlers({
  bodyBytes,
  warn,
}: {
  bodyBytes: number
  warn(line: string): void
}): RequestHandlers {
  const entries = new Map<Face, ReturnType<typeof open>>()
  function open(face: Face) {
    const entry = createMcpHandler(() => openServer(face), {
      maxRequestBodySize: bodyBytes,
      onerror: ({ message }) => warn(message),
    })
    const changes = face.og && watchRegistry(face.og, () => entry.notify.resourcesChanged())
    const close = async () => {
      changes?.[Symbol.dispose]()
      await entry.close()
    }
    return { entry, close, calls: 0 }
  }
  function closeOldest(): void {
    for (const [face, one] of entries) {
      if (entries.size <= maxEntries) return
      if (one.calls > 0) continue
      entries.delete(face)
      void one.close()
    }
  }
  return {
    async fetch(face, request, { clientId, body }) {
      const openEntry = entries.get(face) ?? open(face)
      // Re-inserting the handler moves it to the end of the map, which is in order of use.
      entries.delete(face)
      entries.set(face, openEntry)
      openEntry.calls++
      closeOldest()
      const end = () => void openEntry.calls--
      const authInfo = clientId === null ? undefined : { token: '', clientId, scopes: [] }
      // The SDK reads the body from a copy of the request, unless it gets the parsed body.
      const parsedBody = parseJsonOrUndefined(new TextDecoder().decode(body))
      const answer = await openEntry.entry
        .fetch(request, { authInfo, parsedBody })
        .catch((error) => {
          end()
          throw error
        })
      const isStream = answer.headers.get('content-type')?.startsWith('text/event-stream') === true
      // A change stream never ends by itself; closing the handler ends it.
      if (isStream && !isListening(request)) return onResponseSent(answer, end)
      end()
      return answer
    },
    async close() {
      for (const { close } of entries.values()) await close()
    },
  }
}

/** Each handler polls the registry every two seconds. */
const maxEntries = 200

/**
 * If the request is for a change stream, makes it end when one of `ends` aborts, because such a
 * stream never ends by itself. Returns any other request unchanged.
 */
export function endStreamOn(request: Request, ends: readonly AbortSignal[]): Request {
  if (!isListening(request)) return request
  return new Request(request, { signal: AbortSignal.any([request.signal, ...ends]) })
}

function isListening({ headers }: Request): boolean {
  return headers.get('mcp-method') === 'subscriptions/listen'
}

/**
 * Returns the same response, and calls `onEnd` once: when the response was sent completely, failed,
 * or was cancelled.
 */
export function onResponseSent(answer: Response, onEnd: (failure: Error | null) => void): Response {
  const reader = answer.body?.getReader()
  if (reader === undefined) {
    onEnd(null)
    return answer
  }
  let isCancelled = false
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const piece = await reader.read().catch((error) => {
        if (!isCancelled) onEnd(error as Error)
        throw error
      })
      if (isCancelled) return // cancel() ended the read.
      if (!piece.done) return controller.enqueue(piece.value)
      onEnd(null)
      controller.close()
    },
    cancel(reason) {
      isCancelled = true
      onEnd(null)
      return reader.cancel(reason)
    },
  })
  return new Response(body, answer)
}
