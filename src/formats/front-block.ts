/** The lines between two marks at the start of the text, and the offset after the second mark. */
type FrontBlock = { mark: string; source: string; end: number }

/** Limits the input of the YAML parser. Real front matter is much smaller. */
const blockLimit = 65_536

/**
 * Finds the block between two front matter marks, or a JSON object on separate lines. The block can
 * also be prose between horizontal rules.
 */
export function findFrontBlock(text: string): FrontBlock | null {
  const json = /^\{[ \t]*(?:\n[ \t]*"[^]{0,65536}?\n|"[^\n]*)\}[ \t]*(?:\n|$)/.exec(text)?.[0]
  if (json !== undefined) return { mark: '{', source: json, end: json.length }
  const opening = /^(---|\+\+\+)[ \t]*(json|toml|yaml)?[ \t]*\n(?![ \t]*\n)/.exec(text)
  if (!opening) return null
  const mark = opening[2] === 'toml' ? '+++' : opening[1]!
  const start = opening[0].length
  const closing = opening[1] === '---' ? /^(?:---|\.\.\.)[ \t]*(?:\n|$)/m : /^\+\+\+[ \t]*(?:\n|$)/m
  const rest = text.slice(start, start + blockLimit)
  const match = closing.exec(rest)
  if (!match) return null
  return { mark, source: rest.slice(0, match.index), end: start + match.index + match[0].length }
}

/** Removes the block between the first two marks. */
export function withoutFrontBlock(text: string): string {
  return text.slice(findFrontBlock(text)?.end ?? 0)
}
