/** The same answer; `onEnd` hears once that all of it was read, or nobody reads on. */
export function whenSent(answer: Response, onEnd: () => void): Response {
  const reader = answer.body?.getReader()
  if (reader === undefined) {
    onEnd()
    return answer
  }
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const piece = await reader.read().catch((error) => {
        onEnd()
        throw error
      })
      if (!piece.done) return controller.enqueue(piece.value)
      onEnd()
      controller.close()
    },
    cancel(reason) {
      onEnd()
      return reader.cancel(reason)
    },
  })
  return new Response(body, answer)
}
