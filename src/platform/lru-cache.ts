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

/** Returns a function that caches the results of `make` as long as their keys are in use. */
export function cached<K extends WeakKey, T>(make: (key: K) => T): (key: K) => T {
  const results = new WeakMap<K, T>()
  return (key) => results.getOrInsertComputed(key, make)
}

/** Maximum number of words in a cache, and the length of the longest one. */
const mostWords = 20_000
const longestWord = 60

/** Returns a function that caches the results of `make` by word, about 200 bytes each. */
export function cachedByWord<T, Kind = void>(
  make: (word: string, kind: Kind) => T,
): (word: string, kind: Kind) => T {
  const results = new Map<string, T>()
  return (slice, kind) => {
    const before = results.get(slice)
    if (before !== undefined) return before
    if (slice.length > longestWord) return make(slice, kind)
    // Copied, because a slice would keep the whole text in memory.
    const word = Buffer.from(slice, 'utf16le').toString('utf16le')
    const result = make(word, kind)
    if (results.size === mostWords) results.clear()
    results.set(word, result)
    return result
  }
}
