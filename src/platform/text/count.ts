/** Formats a count as `1 page` or `2 pages`; `plural` is for irregular plurals. */
export function formatCount(count: number, noun: string, plural?: string): string {
  return `${count} ${pluralize(count, noun, plural)}`
}

/** Returns only the noun, for numbers that are formatted differently. */
export function pluralize(count: number, noun: string, plural = `${noun}s`): string {
  return count === 1 ? noun : plural
}
