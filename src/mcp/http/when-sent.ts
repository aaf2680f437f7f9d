/** The same answer; `onEnd` hears once that all of it was read, it failed, or nobody reads on. */
export function whenSent(answer: Response, onEnd: (failure: Error | null) => void): Response {
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
      if (isCancelled) return // Which ended the read, too.
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
