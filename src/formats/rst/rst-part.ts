import { indentColumns } from '../../document/block-lines.ts'

/**
 * Returns the end of the lines after line `at` that are indented more than `column`, by default the
 * indentation of that line, without trailing blank lines.
 */
export function bodyEnd(
  lines: readonly string[],
  at: number,
  column = indentColumns(lines[at]!),
): number {
  let end = at + 1
  for (let to = end; to < lines.length; to++) {
    const columns = indentColumns(lines[to]!)
    if (columns !== Infinity && columns <= column) break
    if (columns !== Infinity) end = to + 1
  }
  return end
}

const replacement = /^\s*\.\. \|([^|]+)\| (replace|image|unicode)::[ \t]*(.*)$/s
const target = /^\s*\.\. _(?:`([^`]{1,300})`|((?:\\.|[^\\:`]|:(?=\S)){1,300})):[ \t]+(\S+)[ \t]*$/

/** The definitions on a page: the text of each `|name|`, and the URL of each link `name_`. */
export type RstDefinitions = {
  names: ReadonlyMap<string, string>
  targets: ReadonlyMap<string, string>
}

export function definitionsIn(lines: readonly string[]): RstDefinitions {
  const names = new Map<string, string>()
  const targets = new Map<string, string>()
  for (let at = 0; at < lines.length; ) {
    const line = lines[at]!
    const [, name, kind, words = ''] = replacement.exec(line) ?? []
    // Indented lines are text, even if they look like another definition.
    const end = name === undefined ? at + 1 : bodyEnd(lines, at)
    if (name !== undefined) {
      const more = lines.slice(at + 1, end).map((other) => other.trim())
      names.set(
        name,
        kind === 'image'
          ? altOf(more)
          : kind === 'unicode'
            ? characters(words)
            : [words.trim(), ...more].join(' ').trim(),
      )
    } else if (line.includes('.. _')) {
      const [, quoted, plain, url] = target.exec(line) ?? []
      if (url !== undefined) targets.set(targetKey(quoted ?? plain!), url)
    }
    at = end
  }
  return { names, targets }
}

/** Returns the key of a link target: its name in lower case with single spaces. */
export function targetKey(name: string): string {
  return name.toLowerCase().replace(/\\/g, '').replace(/\s+/g, ' ').trim()
}

/** Returns an image substitution's alternative text, or ''. */
function altOf(options: readonly string[]): string {
  const alt = options.find((line) => line.startsWith(':alt:'))
  return alt?.slice(':alt:'.length).trim() ?? ''
}

/** Returns the text of a `unicode` substitution: `0xA9 U+2014 text`. Two dots start a comment. */
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
