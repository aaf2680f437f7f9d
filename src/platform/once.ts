/** Calls `make` once and caches its result. If `make` fails, the next call tries again. */
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
