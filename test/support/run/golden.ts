/**
 * Replaces everything that differs between two runs of the same test: paths, addresses, dates, ids,
 * sizes and times. `places` maps a placeholder to the text that it replaces.
 */
export function withoutChance(value: unknown, places: Record<string, string> = {}): unknown {
  if (typeof value === 'string') return textWithoutChance(value, places)
  if (Array.isArray(value)) return value.map((item) => withoutChance(item, places))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      isChance(key, item) ? 'N' : withoutChance(item, places),
    ]),
  )
}

const chanceKeys = /bytes|size|seconds|_ms$|^ms$|pid|score|freed|cosine|^median$|^p95$/

/** `detail` is a sentence of `og doctor` about this machine. */
function isChance(key: string, value: unknown): boolean {
  return key === 'detail' || (typeof value === 'number' && chanceKeys.test(key))
}

function textWithoutChance(text: string, places: Record<string, string>): string {
  let result = text
  for (const [name, place] of Object.entries(places)) result = result.replaceAll(place, name)
  return result
    .replace(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?Z?/g, 'TIME')
    .replace(/\d{4}-\d\d-\d\d([_-]\d{4,6})?/g, 'DATE')
    .replace(/\b[0-9a-f]{8}-[0-9a-f-]{27}\b/g, 'UUID')
    .replace(/\b[0-9a-z]{8}-[0-9a-f]{4,16}\b/g, 'ID')
    .replace(/\b[0-9a-f]{7,64}\b/g, 'HEX')
    .replace(/RW[A-Za-z0-9+/]{54}|og_[\w-]{43}/g, 'KEY')
    .replace(/score=\d+\.\d+/g, 'score=N')
    .replace(/127\.0\.0\.1:\d+/g, 'HOST')
}
