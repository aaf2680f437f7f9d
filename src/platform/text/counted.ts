/** `1 page`, `2 pages`; `plural` where that is not the noun with an s. */
export function counted(count: number, noun: string, plural?: string): string {
  return `${count} ${nounFor(count, noun, plural)}`
}

/** The noun alone, for a number that is written otherwise. */
export function nounFor(count: number, noun: string, plural = `${noun}s`): string {
  return count === 1 ? noun : plural
}
