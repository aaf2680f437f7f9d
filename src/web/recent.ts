/** A cache of the least-recently-used kind (LRU). */
type Recent<V> = {
  /** The cached value, or the one that `make` makes now; `size` is its approximate size. */
  of(key: string, size: number, make: () => V): V
  drop(key: string): void
}

/**
 * A cache for values of at most `most` in total size; the least recently used go first. A value
 * larger than `most` is not kept.
 */
export function recent<V>(most: number): Recent<V> {
  const kept = new Map<string, { value: V; size: number }>()
  let total = 0
  const drop = (key: string) => {
    total -= kept.get(key)?.size ?? 0
    kept.delete(key)
  }
  const keep = (key: string, value: V, size: number) => {
    // A map keeps the order of insertion: deleting first moves the key to the end.
    drop(key)
    kept.set(key, { value, size })
    total += size
    for (const oldest of kept.keys()) {
      if (total <= most) break
      drop(oldest)
    }
  }
  return {
    drop,
    of(key, size, make) {
      const last = kept.get(key)
      const value = last === undefined ? make() : last.value
      keep(key, value, last?.size ?? size)
      return value
    },
  }
}
