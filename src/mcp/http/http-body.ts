import { refusal } from './http-gate.ts'

export type BodyLimits = {
  /** One body. */
  bodyBytes: number
  /** All bodies that are being read or answered, together. */
  totalBytes: number
  /** From the head of a request to the end of its body. */
  bodyMs: number
}

/** Reads the bodies of requests, so that all of them together have a limit. */
export type Bodies = {
  /**
   * What `answer` says to the request with its whole body, whose bytes it gets besides; 413, 408,
   * and 503 where there is no room for it now.
   */
  read(
    request: Request,
    answer: (whole: Request, body: Uint8Array) => Promise<Response>,
  ): Promise<Response>
  /** Nobody waits much longer for what has not come. */
  close(): void
}

/**
 * Bytes count as they come: a client that announces much and sends nothing keeps nobody out, and a
 * slow one has `bodyMs`.
 */
export function openBodies({ bodyBytes, totalBytes, bodyMs }: BodyLimits): Bodies {
  let heldBytes = 0
  const closing = Promise.withResolvers<'closing'>()
  async function whole(request: Request, hold: (nBytes: number) => number) {
    const pieces: Uint8Array[] = []
    const reader = request.body!.getReader()
    const late = Promise.withResolvers<'late'>()
    const timer = setTimeout(late.resolve, bodyMs, 'late')
    try {
      for (;;) {
        const piece = await Promise.race([reader.read(), late.promise, closing.promise])
        if (piece === 'closing') return refusal(503, 'The server ends')
        if (piece === 'late') return refusal(408, 'Request body took too long')
        if (piece.done) return Buffer.concat(pieces)
        if (hold(piece.value.length) > bodyBytes) return refusal(413, tooLarge(bodyBytes))
        if (heldBytes > totalBytes) return refusal(503, 'Too much to read now', retrySoon)
        pieces.push(piece.value)
      }
    } finally {
      clearTimeout(timer)
      // Not awaited: of a client that sends no more, nothing comes.
      reader.cancel().catch(() => {})
    }
  }
  return {
    async read(request, answer) {
      if (request.body === null) return answer(request, new Uint8Array())
      if (Number(request.headers.get('content-length')) > bodyBytes) {
        return refusal(413, tooLarge(bodyBytes))
      }
      let ownBytes = 0
      const hold = (nBytes: number) => {
        heldBytes += nBytes
        return (ownBytes += nBytes)
      }
      try {
        const body = await whole(request, hold)
        if (body instanceof Response) return body
        const { url, method, headers, signal } = request
        return await answer(new Request(url, { method, headers, signal, body }), body)
      } finally {
        heldBytes -= ownBytes
      }
    },
    // What has been sent by now is still read.
    close: () => void setTimeout(closing.resolve, graceMs, 'closing'),
  }
}

const graceMs = 500

const retrySoon = { 'Retry-After': '5' }

function tooLarge(bodyBytes: number): string {
  return `Request body too large: over ${bodyBytes} bytes`
}
