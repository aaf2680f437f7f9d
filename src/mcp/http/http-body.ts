import { jsonRpcRefusal } from './http-gate.ts'

export type BodyLimits = { bodyBytes: number; totalBytes: number; bodyMs: number }

type Bodies = {
  /**
   * Calls `answer` with the request and the bytes of its complete body. Returns 413 or 408 if the
   * body exceeds a limit, and 503 if too many bodies are being read.
   */
  read(
    request: Request,
    answer: (complete: Request, body: Uint8Array) => Promise<Response>,
  ): Promise<Response>
  /** Rejects, after a short grace period, bodies that are still incomplete. */
  close(): void
}

/**
 * Counts bytes as they arrive, so that a client which announces a large body without sending it
 * does not block others. A slow client has `bodyMs` milliseconds.
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
      // Not awaited: this settles only when the client sends more, which may never happen.
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
    // Bodies that clients have already sent are still read during the grace period.
    close: () => void setTimeout(closing.resolve, graceMs, 'closing'),
  }
}

const graceMs = 500

const retrySoon = { 'Retry-After': '5' }

function tooLarge(bodyBytes: number): string {
  return `Request body too large: over ${bodyBytes} bytes`
}
