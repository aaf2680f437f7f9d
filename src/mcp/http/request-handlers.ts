import { createMcpHandler } from '@modelcontextprotocol/server'
import { parseJsonOrUndefined } from '../../platform/json.ts'
import { watchRegistry } from '../docs/resources.ts'
import { openServer, type Face } from '../server.ts'
import { jsonRpcRefusal } from './http-gate.ts'

export type RequestHandlers = {
  /** `clientId` is the name of the request's key. `body` contains the bytes of the body. */
  fetch(face: Face, request: Request, sent: SentRequest): Promise<Response>
  close(): Promise<void>
}

type SentRequest = { clientId: string | null; body: Uint8Array }

/**
 * Opens the SDK's handler for a face at its first request. Above `maxEntries` handlers, closes the
 * least recently used idle one and its change streams.
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
      // Inserting the handler again keeps the map in order of use.
      entries.delete(face)
      entries.set(face, openEntry)
      openEntry.calls++
      closeOldest()
      const end = () => void openEntry.calls--
      const authInfo = clientId === null ? undefined : { token: '', clientId, scopes: [] }
      // Without a parsed body, the SDK would read the body from a copy of the request.
      const parsedBody = parseJsonOrUndefined(new TextDecoder().decode(body))
      const answer = await openEntry.entry
        .fetch(request, { authInfo, parsedBody })
        .catch((error) => {
          end()
          throw error
        })
      const isStream = answer.headers.get('content-type')?.startsWith('text/event-stream') === true
      // A change stream ends only when its handler is closed.
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

/** Ends a change stream when one of `ends` aborts. Returns any other request unchanged. */
export function endStreamOn(request: Request, ends: readonly AbortSignal[]): Request {
  if (!isListening(request)) return request
  return new Request(request, { signal: AbortSignal.any([request.signal, ...ends]) })
}

function isListening({ headers }: Request): boolean {
  return headers.get('mcp-method') === 'subscriptions/listen'
}

/**
 * Returns the same response. Calls `onEnd` once, when the response was sent, failed or was
 * cancelled.
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

export type BodyLimits = { bodyBytes: number; totalBytes: number; bodyMs: number }

type Bodies = {
  /**
   * Calls `answer` with the request and its complete body. Returns 413 or 408 if the body exceeds a
   * limit, and 503 if too many bodies are being read.
   */
  read(
    request: Request,
    answer: (complete: Request, body: Uint8Array) => Promise<Response>,
  ): Promise<Response>
  /** Rejects incomplete bodies after a short grace period. */
  close(): void
}

/**
 * Counts bytes as they arrive, so that a client that announces a large body without sending it does
 * not block others. A client has `bodyMs` milliseconds to send its body.
 */
export function openBodyLimiter({ bodyBytes, totalBytes, bodyMs }: BodyLimits): Bodies {
  let pendingBytes = 0
  const closing = Promise.withResolvers<'closing'>()
  async function readBody(request: Request, reserve: (nBytes: number) => number) {
    const pieces: Uint8Array[] = []
    const reader = request.body!.getReader()
    const late = Promise.withResolvers<'late'>()
    const timer = setTimeout(late.resolve, bodyMs, 'late')
    try {
      for (;;) {
        const piece = await Promise.race([reader.read(), late.promise, closing.promise])
        if (piece === 'closing') return jsonRpcRefusal(503, 'The server ends')
        if (piece === 'late') return jsonRpcRefusal(408, 'Request body took too long')
        if (piece.done) return Buffer.concat(pieces)
        if (reserve(piece.value.length) > bodyBytes) return jsonRpcRefusal(413, tooLarge(bodyBytes))
        if (pendingBytes > totalBytes) return jsonRpcRefusal(503, 'Too much to read now', retrySoon)
        pieces.push(piece.value)
      }
    } finally {
      clearTimeout(timer)
      // This promise may never settle, because the client decides when to send more.
      reader.cancel().catch(() => {})
    }
  }
  return {
    async read(request, answer) {
      if (request.body === null) return answer(request, new Uint8Array())
      if (Number(request.headers.get('content-length')) > bodyBytes) {
        return jsonRpcRefusal(413, tooLarge(bodyBytes))
      }
      let ownBytes = 0
      const reserve = (nBytes: number) => {
        pendingBytes += nBytes
        return (ownBytes += nBytes)
      }
      try {
        const body = await readBody(request, reserve)
        if (body instanceof Response) return body
        const { url, method, headers, signal } = request
        return await answer(new Request(url, { method, headers, signal, body }), body)
      } finally {
        pendingBytes -= ownBytes
      }
    },
    // Bodies that clients have already sent are read during the grace period.
    close: () => void setTimeout(closing.resolve, graceMs, 'closing'),
  }
}

const graceMs = 500

const retrySoon = { 'Retry-After': '5' }

function tooLarge(bodyBytes: number): string {
  return `Request body too large: over ${bodyBytes} bytes`
}
