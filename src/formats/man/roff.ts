/** A line of roff that is a request or macro: `.SH "SEE ALSO"`. */
export type RoffRequest = { name: string; args: string[]; rest: string }

/** Parses a line as a request; null if it is text. */
export function parseRequest(line: string): RoffRequest | null {
  const [, name = '', rest = ''] = /^[.'][ \t]*([^\s]*)[ \t]*(.*)$/.exec(line) ?? []
  if (!/^[.']/.test(line)) return null
  return { name, args: argumentsOf(rest), rest }
}

/** Returns a request's arguments, split at spaces outside quotes. */
function argumentsOf(rest: string): string[] {
  const args: string[] = []
  const piece = /"((?:[^"]|"")*)"?|((?:\\.|[^\s"\\])(?:\\.|[^\s\\])*)/g
  for (const [, quoted, bare] of rest.slice(0, 4000).matchAll(piece)) {
    if (bare?.startsWith('\\"')) break
    args.push(quoted?.replaceAll('""', '"') ?? bare ?? '')
  }
  return args
}

/** Special characters: the name, then the character. */
const characters = new Map(
  (
    'aq\' dq" lq“ rq” oq‘ cq’ em— en– hy- bu• co© rg® tm™ mu× +-± ->→ <-← <=≤ >=≥ !=≠ rs\\ ga` ' +
    "ha^ ti~ bv| ba| lB[ rB] lC{ rC} at@ sh# Do$ Eu€ de° sc§ ssß :aä :oö :uü 'eé `eè sq□ ci○ " +
    'ua↑ da↓ sl/ pl+ mi- eq= *** tf∴ no¬'
  )
    .split(' ')
    .map((word) => [word.slice(0, -1), word.slice(-1)] as const),
)

/** Escapes: fonts, special characters, sizes, strings, drawing, comments, single letters. */
const escapes = new RegExp(
  [
    String.raw`\\(?:f(?:\[([^[\]]*)\]|\((..)|(.))`,
    String.raw`\((..)|\[([^[\]]*)\]`,
    String.raw`s(?:[-+]?\d|\([-+]?\d\d|\[[^[\]]*\])|\*(?:\[[^[\]]*\]|\(..|.)`,
    String.raw`[hvwDLlxobRSZN]'[^']*'|["#].*|([^]))`,
  ].join('|'),
  'g',
)

/**
 * Converts a line of roff to Markdown, with bold and italic as marks and escapes as characters.
 * With `isCode`, writes no marks.
 */
export function roffToMarkdown(line: string, isCode = false): string {
  let current = ''
  let before = ''
  let open = ''
  const setFont = (font: string) => {
    const mark = isCode
      ? ''
      : /^(?:B|3|CB|BI|4)$/.test(font)
        ? '**'
        : /^(?:I|2|CI)$/.test(font)
          ? '*'
          : ''
    if (mark === open) return
    before += closed(current, open)
    current = ''
    open = mark
  }
  const escape = new RegExp(escapes)
  let at = 0
  for (let match = escape.exec(line); match; match = escape.exec(line)) {
    const [whole, long, pair, letter, special, bracketed, other] = match
    current += line.slice(at, match.index)
    at = match.index + whole.length
    const font = long ?? pair ?? letter
    if (font !== undefined) setFont(font)
    else if (special !== undefined || bracketed !== undefined) {
      const name = special ?? bracketed!
      const [, hex] = /^u([\dA-F]{4,5})$/.exec(name) ?? []
      current +=
        hex === undefined ? (characters.get(name) ?? '') : String.fromCodePoint(parseInt(hex, 16))
    } else if (other !== undefined) current += escaped(other)
  }
  return before + closed(current + line.slice(at), open)
}

/**
 * Returns the text in a font between its marks. The closing mark precedes trailing spaces; marks
 * without text between them are left out.
 */
function closed(source: string, mark: string): string {
  const text = source.trimEnd()
  return text === '' ? source : mark + text + mark + source.slice(text.length)
}

/** Returns the text of a one-letter escape: `\-` is a hyphen, `\&` and `\c` are nothing. */
function escaped(letter: string): string {
  if (letter === 'e' || letter === '\\') return '\\'
  if (letter === ' ' || letter === '~' || letter === '0') return ' '
  return /[&%|^,/)cpudhvwozZ:]/.test(letter) ? '' : letter
}
