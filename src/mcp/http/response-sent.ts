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
