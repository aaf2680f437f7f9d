/** `1 page`, `2 pages`; pass `plural` for irregular plurals. */
export function formatCount(count: number, noun: string, plural?: string): string {
  return `${count} ${pluralize(count, noun, plural)}`
}

/** The noun alone, for numbers that are formatted differently. */
export function pluralize(count: number, noun: string, plural = `${noun}s`): string {
  return count === 1 ? noun : plural
}
