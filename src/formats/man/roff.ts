/** A roff request or macro, such as `.SH "SEE ALSO"`. */
export type RoffRequest = { name: string; args: string[]; rest: string }

/** Parses a line as a request. Returns null if it is text. */
export function parseRequest(line: string): RoffRequest | null {
  const [, name = '', rest = ''] = /^[.'][ \t]*([^\s]*)[ \t]*(.*)$/.exec(line) ?? []
  if (!/^[.']/.test(line)) return null
  return { name, args: argumentsOf(rest), rest }
}

/** Splits arguments at spaces outside quotes. */
function argumentsOf(rest: string): string[] {
  const args: string[] = []
  const piece = /"((?:[^"]|"")*)"?|((?:\\.|[^\s"\\])(?:\\.|[^\s\\])*)/g
  for (const [, quoted, bare] of rest.slice(0, 4000).matchAll(piece)) {
    if (bare?.startsWith('\\"')) break
    args.push(quoted?.replaceAll('""', '"') ?? bare ?? '')
  }
  return args
}

/** Special characters by name. */
const characters = new Map(
  (
    'aq\' dq" lq“ rq” oq‘ cq’ em— en– hy- bu• co© rg® tm™ mu× +-± ->→ <-← <=≤ >=≥ !=≠ rs\\ ga` ' +
    "ha^ ti~ bv| ba| lB[ rB] lC{ rC} at@ sh# Do$ Eu€ de° sc§ ssß :aä :oö :uü 'eé `eè sq□ ci○ " +
    'ua↑ da↓ sl/ pl+ mi- eq= *** tf∴ no¬'
  )
    .split(' ')
    .map((word) => [word.slice(0, -1), word.slice(-1)] as const),
)

/** Matches escapes: fonts, characters, sizes, strings, drawing, comments, single letters. */
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
 * Converts a line of roff to Markdown, with marks for bold and italic text. `isCode` disables the
 * marks.
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
 * Encloses text in marks. The closing mark precedes trailing spaces. Omits marks around blank text.
 */
function closed(source: string, mark: string): string {
  const text = source.trimEnd()
  return text === '' ? source : mark + text + mark + source.slice(text.length)
}

/** Returns the text of a one-letter escape: a hyphen for `\-`, and '' for `\&` and `\c`. */
function escaped(letter: string): string {
  if (letter === 'e' || letter === '\\') return '\\'
  if (letter === ' ' || letter === '~' || letter === '0') return ' '
  return /[&%|^,/)cpudhvwozZ:]/.test(letter) ? '' : letter
}
