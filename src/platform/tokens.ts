/**
 * Bytes of UTF-8 that are counted as one token. Models' tokenizers differ; English prose has 4.5
 * bytes a token and code 3.2, so an answer is seldom longer than was asked for.
 */
export const bytesPerToken = 3

/** An estimate; see `bytesPerToken`. */
export function tokensOf(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / bytesPerToken)
}
