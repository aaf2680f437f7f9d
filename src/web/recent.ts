/** Values that were asked for lately. */
export type Recent<V> = {
  /** As it was kept, or made now; `size` is about what it takes. */
  of(key: string, size: number, make: () => V): V
  drop(key: string): void
}

/**
 * Keeps values of so much size in all; those that nobody has asked for longest go first. What is
 * larger than all that is not kept.
 */
export function recent<V>(most: number): Recent<V> {
  const kept = new Map<string, { value: V; size: number }>()
  let total = 0
  const drop = (key: string) => {
    total -= kept.get(key)?.size ?? 0
    kept.delete(key)
  }
  const keep = (key: string, value: V, size: number) => {
    // The order of a map is that in which its keys came.
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
