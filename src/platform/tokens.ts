/**
 * Bytes of UTF-8 that are counted as one token. Models' tokenizers differ; English prose has 4.5
 * bytes a token and code 3.2, so an answer is seldom longer than was asked for.
 */
export const bytesPerToken = 3

/** An estimate; see `bytesPerToken`. */
export function tokensOf(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / bytesPerToken)
}

/** The longest beginning of `text` that has at most so many tokens, cut at a line where it can. */
export function cutToTokens(text: string, maxTokens: number): string {
  const maxBytes = maxTokens * bytesPerToken
  // A UTF-16 unit is at most three bytes.
  if (text.length * 3 <= maxBytes || Buffer.byteLength(text) <= maxBytes) return text
  const units = new TextEncoder().encodeInto(text, new Uint8Array(maxBytes)).read
  const lineEnd = text.lastIndexOf('\n', units - 1) + 1
  return text.slice(0, lineEnd > 0 ? lineEnd : units)
}
