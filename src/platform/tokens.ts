/**
 * Number of UTF-8 bytes that count as one token. Tokenizers differ by model: English prose has 4.5
 * bytes per token and code 3.2. With this value, an answer is rarely longer than requested.
 */
export const bytesPerToken = 3

export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / bytesPerToken)
}

/**
 * Returns a prefix of `text` with at most `maxTokens`. Cuts after whole lines, or after whole words
 * if the lines would contain only headings. Returns an empty string if not even one word fits.
 */
export function cutToTokens(text: string, maxTokens: number): string {
  const units = lengthWithinTokens(text, maxTokens)
  if (units === text.length) return text
  const lines = text.slice(0, text.lastIndexOf('\n', units - 1) + 1)
  return hasText(lines) ? lines : cutToWords(text, units)
}

/** Returns the length in UTF-16 units of the longest prefix of `text` with at most `maxTokens`. */
export function lengthWithinTokens(text: string, maxTokens: number): number {
  const maxBytes = maxTokens * bytesPerToken
  // A UTF-16 unit takes at most three bytes.
  if (text.length * 3 <= maxBytes || Buffer.byteLength(text) <= maxBytes) return text.length
  return new TextEncoder().encodeInto(text, new Uint8Array(maxBytes)).read
}

/** Returns the whole words in the first `units` of the text, without a trailing Markdown mark. */
export function cutToWords(text: string, units: number): string {
  if (units >= text.length) return text
  let end = units
  while (end > 0 && isInWord(text, end)) end--
  return text
    .slice(0, end)
    .trimEnd()
    .replace(/(?:^|\n)[ \t]*(?:#{1,6}|[-*+>|]|\d{1,9}[.)])$/, '')
}

function isInWord(text: string, at: number): boolean {
  return (
    /^[^\s\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]{2}$/u.test(
      [...text.slice(Math.max(0, at - 2), at)].at(-1)! + [...text.slice(at, at + 2)][0]!,
    ) || /[\ud800-\udbff]/.test(text[at - 1]!)
  )
}

function hasText(lines: string): boolean {
  return /^(?![ \t]*#{1,6}(?:[ \t]|$))[^\n]*\S/m.test(lines)
}
