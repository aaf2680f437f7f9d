/** A least-recently-used (LRU) cache. */
type Recent<V> = {
  /** Returns the cached value, or stores the result of `make` with an approximate size. */
  of(key: string, size: number, make: () => V): V
  drop(key: string): void
}

/**
 * Creates a cache for values with a total size of at most `most`. Evicts the least recently used
 * value first, and does not store a value larger than `most`.
 */
export function openLruCache<V>(most: number): Recent<V> {
  const entries = new Map<string, { value: V; size: number }>()
  let total = 0
  const drop = (key: string) => {
    total -= entries.get(key)?.size ?? 0
    entries.delete(key)
  }
  const keep = (key: string, value: V, size: number) => {
    // Maps iterate in insertion order, so deleting the key first moves it to the end.
    drop(key)
    entries.set(key, { value, size })
    total += size
    for (const oldest of entries.keys()) {
      if (total <= most) break
      drop(oldest)
    }
  }
  return {
    drop,
    of(key, size, make) {
      const last = entries.get(key)
      const value = last === undefined ? make() : last.value
      keep(key, value, last?.size ?? size)
      return value
    },
  }
}
