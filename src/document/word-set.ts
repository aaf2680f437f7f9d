/** Returns the words in a list, which spaces and line breaks separate. */
export function wordSet(list: string): ReadonlySet<string> {
  return new Set(list.trim().split(/\s+/))
}

/** Returns the pairs `key:value` in a list. */
export function wordMap(list: string): ReadonlyMap<string, string> {
  return new Map(Array.from(wordSet(list), (word) => word.split(':', 2) as [string, string]))
}
