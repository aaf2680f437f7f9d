/** JavaScript source text with a position. */
export type Script = {
  source: string
  at: number
  /**
   * The start and end of the last unclosed string by quote. Further quotes in this range are
   * unclosed too.
   */
  unclosed: Record<string, [start: number, end: number]>
}

export function openScript(source: string, at: number): Script {
  return { source, at, unclosed: {} }
}

/** Matches strings without the closing quote. Only template strings can contain line breaks. */
export const strings: Readonly<Record<string, RegExp>> = {
  '"': /"[^"\\\n]*(?:\\.[^"\\\n]*)*/y,
  "'": /'[^'\\\n]*(?:\\.[^'\\\n]*)*/y,
  '`': /`[^`\\]*(?:\\[^][^`\\]*)*/y,
}

/** Returns the offset of the closing quote, or the current offset if the string is unclosed. */
export function stringEnd({ source, at, unclosed }: Script): number {
  const mark = source[at]!
  const [from, to] = unclosed[mark] ?? [0, 0]
  if (at >= from && at < to) return at
  const inside = strings[mark]!
  inside.lastIndex = at
  inside.test(source)
  if (source[inside.lastIndex] === mark) return inside.lastIndex
  unclosed[mark] = [at, inside.lastIndex]
  return at
}

/** Matches a comment, a regular expression or a mark. */
const token = new RegExp(
  [
    /(?<![:\w/])\/\/.*/,
    /\/\*[^]{0,2000}?\*\//,
    /(?<=[=(:,[!&|?] ?)\/(?![/*])(?:[^/\\\n[]|\\.|\[(?:[^\]\\]|\\.){0,200}\]){1,500}\//,
    /[{}[\](),\n"'`]/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'g',
)

/**
 * Yields brackets, commas and line ends outside strings, comments and regular expressions. The end
 * of the source is a line end.
 */
export function* scriptMarks(script: Script): Generator<{ sign: string; at: number }> {
  const marks = new RegExp(token)
  marks.lastIndex = script.at
  for (let match = marks.exec(script.source); match; match = marks.exec(script.source)) {
    const [sign] = match
    script.at = match.index
    if (strings[sign] !== undefined) marks.lastIndex = stringEnd(script) + 1
    else if (sign.length === 1) yield { sign, at: match.index }
  }
  yield { sign: '\n', at: script.source.length }
}
