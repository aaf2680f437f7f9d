export type EmbeddingServer = AsyncDisposable & {
  /** Settings with which the executable uses this server for embeddings. */
  env: Record<string, string>
  /** All texts of requests, in order. */
  texts: string[]
  /** Delays responses from now on. The returned function releases them and ends the delay. */
  hold(): () => void
  /** From now on another model answers under the same name. */
  changeModel(): void
}

/**
 * A server on this machine with OpenAI's interface. Its embeddings count letters in eight
 * dimensions.
 */
export function serveEmbeddings(): EmbeddingServer {
  const texts: string[] = []
  let gate: Promise<void> = Promise.resolve()
  let sign = 1
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      const { input } = (await request.json()) as { input: string[] }
      texts.push(...input)
      await gate
      const answers = input.map((text, index) => ({
        index,
        embedding: letterCounts(text).map((count) => sign * count),
      }))
      return Response.json({ data: answers })
    },
  })
  return {
    env: {
      OG_EMBEDDINGS__EMBEDDING_BACKEND: 'openai',
      OG_EMBEDDINGS__EMBEDDING_MODEL: 'letters',
      OG_EMBEDDINGS__EMBEDDING_DIMENSIONS: '8',
      OG_EMBEDDINGS__BASE_URL: `http://127.0.0.1:${server.port}/v1`,
    },
    texts,
    hold() {
      const { promise, resolve } = Promise.withResolvers<void>()
      gate = promise
      return resolve
    },
    changeModel: () => void (sign = -1),
    [Symbol.asyncDispose]: () => server.stop(true),
  }
}

function letterCounts(text: string): number[] {
  const counts = [1, 0, 0, 0, 0, 0, 0, 0]
  for (const unit of text) counts[unit.charCodeAt(0) % 8]!++
  return counts
}
