/** Splits a list at white space. */
export function wordSet(list: string): ReadonlySet<string> {
  return new Set(list.trim().split(/\s+/))
}

/** Parses a list of `key:value` pairs. */
export function wordMap(list: string): ReadonlyMap<string, string> {
  return new Map(Array.from(wordSet(list), (word) => word.split(':', 2) as [string, string]))
}
