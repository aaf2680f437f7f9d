import { indentColumns } from '../../document/block-lines.ts'
import type { GrowthLimit } from '../../document/growth.ts'

/**
 * The lines from `from` to `to` (exclusive) of the whole text, each without its first `cut`
 * characters. Avoids a copy of the lines for each nested directive.
 */
export type RstPart = { lines: readonly string[]; from: number; to: number; cut: number }

/** The names of directives that stay as written: code, pictures and other markup. */
export const keptNames =
  'code-block|doctest|raw|math|image|graphviz|mermaid|plantuml|productionlist|unicode|date' +
  '|query-param-ref|annotations|click|image-sg|thumbnail|video|youtube'

export function lineOf({ lines, cut }: RstPart, at: number): string {
  const line = lines[at] ?? ''
  return cut === 0 ? line : line.slice(cut)
}

export function linesOf(part: RstPart): string[] {
  const { lines, from, to, cut } = part
  return cut === 0 ? lines.slice(from, to) : lines.slice(from, to).map((line) => line.slice(cut))
}

/** The end of the lines that are indented more than line `at`, without trailing blank lines. */
export function bodyEnd(part: RstPart, at: number): number {
  const column = indentColumns(lineOf(part, at))
  let end = at + 1
  for (let to = end; to < part.to; to++) {
    const columns = indentColumns(lineOf(part, to))
    if (columns !== Infinity && columns <= column) break
    if (columns !== Infinity) end = to + 1
  }
  return end
}

/** A part without the indentation shared by all its lines; empty if all lines are blank. */
export function dedent(part: RstPart): RstPart {
  let least = Infinity
  for (let at = part.from; at < part.to; at++) {
    const line = lineOf(part, at)
    const text = line.trimStart()
    if (text !== '') least = Math.min(least, line.length - text.length)
  }
  return least === Infinity ? { ...part, to: part.from } : { ...part, cut: part.cut + least }
}

/** The replacements for `|name|` on a page, and its growth limit. */
export type Substitutions = { names: ReadonlyMap<string, string>; growth: GrowthLimit }

const replacement = /^\s*\.\. \|([^|]+)\| (replace|image|unicode)::[ \t]*(.*)$/s

/** Whether a line defines a substitution. */
export function isSubstitution(line: string): boolean {
  return replacement.test(line)
}

/** The substitutions that a text defines, by name. */
export function replacements(part: RstPart): Map<string, string> {
  const byName = new Map<string, string>()
  for (let at = part.from; at < part.to; ) {
    const [, name, kind, words = ''] = replacement.exec(lineOf(part, at)) ?? []
    // The indented lines are text, even if they look like another definition.
    const end = name === undefined ? at + 1 : bodyEnd(part, at)
    if (name !== undefined) {
      const more = linesOf({ ...part, from: at + 1, to: end }).map((other) => other.trim())
      byName.set(
        name,
        kind === 'image'
          ? altOf(more)
          : kind === 'unicode'
            ? characters(words)
            : [words.trim(), ...more].join(' ').trim(),
      )
    }
    at = end
  }
  return byName
}

/** The alternative text of an image substitution; '' if it has none. */
function altOf(options: readonly string[]): string {
  const alt = options.find((line) => line.startsWith(':alt:'))
  return alt?.slice(':alt:'.length).trim() ?? ''
}

/** The text of a `unicode` substitution, `0xA9 U+2014 text`; two dots begin a comment. */
function characters(words: string): string {
  return words
    .replace(/\s+\.\.(?:\s.*)?$/, '')
    .split(/\s+/)
    .map((word) => {
      const [, code] = /^(?:0x|x|\\x|U\+?|u|\\u)([\da-f]{1,6})$/i.exec(word) ?? []
      const point = Number.parseInt(code ?? '', 16)
      return point > 0x1f && point <= 0x10ffff ? String.fromCodePoint(point) : word
    })
    .join('')
}

/** Replaces `|name|` in lines. A replacement may contain another one, but only one level deep. */
export function withNames(lines: string[], { names, growth }: Substitutions): string[] {
  if (names.size === 0) return lines
  const once = (text: string) =>
    text.replace(substitution, (whole, name: string) => {
      const value = names.get(name)
      return value !== undefined && growth.take(value.length) ? value : whole
    })
  return lines.map((line) => (isRow(line) ? line : once(once(line))))
}

const substitution = /(?<![\w|])\|([^|\s](?:[^|\n]*[^|\s])?)\|_{0,2}(?!\w)/g

/** Whether a line is a row of a table: `| a | b |`. */
function isRow(line: string): boolean {
  const row = line.trim()
  if (!row.startsWith('|') || !row.endsWith('|')) return false
  const between = row.indexOf(' | ', 1)
  return between >= 0 && between + 3 < row.length
}
