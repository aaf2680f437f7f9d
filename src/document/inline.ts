/** Maximum number of characters of plain text. A longer "heading" is probably pasted content. */
const plainLimit = 300
/** Maximum number of characters of a line that the regular expressions read. */
const sourceLimit = 600

/** Removes emphasis, links, backticks and tags from a line of Markdown. */
export function plainMarkdown(source: string): string {
  return plain(source.slice(0, sourceLimit), markdownLiteral, (text) =>
    decodeEntities(
      text
        .replace(htmlTag, '')
        .replace(image, '$1')
        .replace(/\[\[(?=[A-Za-z\\])(?:[^[\]|]*\|)?([^[\]|]+)\]\]/g, '$1')
        .replace(link, '$1')
        .replace(/<((?:https?|mailto):[^<>\s]*)>/g, '$1')
        .replace(/(\*{1,3}|~~)(?=\S)([^*~]+?)(?<=\S)\1/g, '$2')
        .replace(/(?<![\w_])(_{1,3})(?=[^\s_])([^_]+)(?<=\S)\1(?![\w_])/g, '$2'),
    ),
  )
}

/** Removes roles, references and emphasis from a line of reStructuredText. */
export function plainRst(source: string): string {
  return plain(source.slice(0, sourceLimit), rstLiteral, (text) =>
    text
      .replace(/\\\s/g, '')
      .replace(/`~[^`<>]*\.([^`.<>]+)`/g, '`$1`')
      .replace(/(?::[A-Za-z][\w:.+-]{0,60}:)?`[~!]?([^`<]*?)(?:\s*<[^`<>]*>)?`_{0,2}/g, '$1')
      .replace(/(?<![\w*])(\*{1,2})(?=[^\s*])([^*]*)(?<=\S)\1(?![\w*])/g, '$2')
      .replace(/(?<!\w)\|(?=\S)([^|]*)(?<=\S)\|_{0,2}(?!\w)/g, '$1')
      .replace(/\[([\w#*]+)\]_(?!\w)/g, '')
      .replace(/(\w)_{1,2}(?=[\s.,;:!?)]|$)/g, '$1'),
  )
}

/** Escapes characters that Markdown would read as emphasis, code or a tag. */
export function escapeMarkdown(text: string): string {
  return text.replace(/[*`]|<(?=[A-Za-z/!])|\\$/g, '\\$&')
}

/** Returns the id of a heading as GitHub and GitLab generate it. */
export function forgeId(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}_ -]/gu, '')
    .trim()
    .replace(/ /g, '-')
}

/** Shortens text to one line of at most `limit` characters, with `…` after the last word. */
export function shorten(source: string, limit: number): string {
  const line = source
    .slice(0, 4 * limit)
    .replace(/\s+/g, ' ')
    .trim()
  if (line.length <= limit) return line
  const cut = line.slice(0, limit - 1)
  const space = cut.lastIndexOf(' ')
  return `${cut
    .slice(0, space > limit / 2 ? space : undefined)
    .toWellFormed()
    .trimEnd()}…`
}

// Code and escaped characters stay unchanged.
const markdownLiteral = /\\([!-/:-@[-`{-~])|(?<!`)(`+)(?!`)([^\n]*?)(?<!`)\2(?!`)/g
const rstLiteral = /\\(\S)|(``)(\S(?:[^\n]*?\S)??)``/g

/** An image, which can be a link's text. */
const image = /!\[([^[\]]*)\]\([^()]*\)/g
const link = /!?\[([^[\]]*)\](?:\([^()]*(?:\([^()]*\)[^()]*)?\)|\[[^[\]]*\])/g

const htmlTag = new RegExp(
  '</[A-Za-z][^<>]*>|<!--.*?-->|<[A-Za-z][\\w.-]*(?:\\s[^<>]*)?/>' +
    '|<[A-Za-z][\\w-]*\\s[^<>]*=[^<>]*>' +
    // Only known tags, because a bare <T> is probably a type parameter.
    '|<(?:a|abbr|b|big|br|code|del|div|em|font|i|img|ins|kbd|mark|p|s|small|span|strong)>' +
    '|<(?:sub|sup|u)>',
  'gi',
)

/** Entities that become a space. */
const spaces = new Set(['nbsp', 'ensp', 'emsp', 'thinsp'])
const entities = new Map(
  (
    'amp& lt< gt> quot" apos\' mdash— ndash– minus− hellip… vellip⋮ lsquo‘ rsquo’ ldquo“ ' +
    'rdquo” laquo« raquo» bull• middot· sect§ para¶ copy© reg® trade™ deg° plusmn± ' +
    'times× divide÷ microµ le≤ ge≥ ne≠ asymp≈ infin∞ larr← uarr↑ rarr→ darr↓ harr↔ ' +
    'check✓ cross✗ euro€ pound£ yen¥ vert| verbar| lbrace{ rbrace} lbrack[ rbrack] lpar( ' +
    'rpar) lowbar_ ast* num# colon: sol/ bsol\\ grave` dollar$ percnt% commat@ excl! ' +
    'quest? equals= plus+ szligß oslashø OslashØ aeligæ AEligÆ iexcl¡ iquest¿'
  )
    .split(' ')
    .map((word) => [word.slice(0, -1), word.slice(-1)] as const),
)

/** Accents in entities such as `eacute`, which consists of the letter and the accent's name. */
const accents = new Map(
  'grave\u0300 acute\u0301 circ\u0302 tilde\u0303 uml\u0308 ring\u030a cedil\u0327 caron\u030c'
    .split(' ')
    .map((word) => [word.slice(0, -1), word.slice(-1)] as const),
)

function accented(name: string): string | null {
  const accent = accents.get(name.slice(1))
  const letter = accent === undefined ? '' : `${name[0]}${accent}`.normalize('NFC')
  return letter.length === 1 ? letter : null
}

/** Replaces HTML entities with their characters. Keeps unknown entities. */
export function decodeEntities(text: string): string {
  if (!text.includes('&')) return text
  const entity = /&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,8}));/gi
  return text.replace(entity, (...match: string[]) => {
    const [whole, decimal, hex, name] = match as [string, string?, string?, string?]
    if (/^(?:shy|zwn?j)$/.test(name ?? '')) return ''
    if (name !== undefined)
      return spaces.has(name) ? ' ' : (entities.get(name) ?? accented(name) ?? whole)
    const code = decimal === undefined ? Number.parseInt(hex!, 16) : Number(decimal)
    // Replaces non-breaking spaces and removes zero-width characters.
    if (code === 0xa0) return ' '
    if (code === 0xad || code === 0xfe0f || code === 0xfeff || (code >= 0x200b && code <= 0x200d))
      return ''
    return code > 0x1f && code <= 0x10ffff ? String.fromCodePoint(code) : whole
  })
}

function plain(source: string, literal: RegExp, strip: (text: string) => string): string {
  if (!/[^\p{L}\p{N}\p{P} ]|[\\`*_[&|<:~]/u.test(source)) return shorten(source, plainLimit)
  const literals: string[] = []
  const withPlaceholders = source
    .replaceAll('\0', ' ')
    .replace(literal, (...match: string[]) => `\0${literals.push(match[1] ?? match[3]!) - 1}\0`)
  const bare = strip(withPlaceholders).replace(
    /\0(\d+)\0/g,
    (_, index) => literals[Number(index)] ?? '',
  )
  return shorten(bare, plainLimit).toWellFormed()
}
