/** Calls `make` once and keeps its result; after a failure the next call tries again. */
export function once<T>(make: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | null = null
  return () => {
    result ??= make().catch((error) => {
      result = null
      throw error
    })
    return result
  }
}
