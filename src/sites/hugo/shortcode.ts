/** A Hugo shortcode as written: `{{< name key="value" >}}`. */
export type Shortcode = {
  from: number
  to: number
  name: string
  kind: 'open' | 'close' | 'alone'
  /** Named arguments by name, others by their index, from `0`. */
  args: ReadonlyMap<string, string>
}

const opening = /\{\{(?:<|%)/g

/**
 * Returns the shortcodes in the text, in text order. A shortcode with a comment mark inside its
 * delimiters is escaped: it is an example, and is not returned.
 */
export function findShortcodes(text: string): Shortcode[] {
  const shortcodes: Shortcode[] = []
  const marks = new RegExp(opening)
  for (let match = marks.exec(text); match; match = marks.exec(text)) {
    const one = shortcodeAt(text, match.index)
    if (one === null) continue
    shortcodes.push(one)
    marks.lastIndex = one.to
  }
  return shortcodes
}

/** Maximum length of a shortcode, in characters; a longer one is text. */
const lengthLimit = 4000

const head = /\{\{[<%]\s*(\/?)\s*([A-Za-z_][\w./-]*)/y

/** The shortcode at an offset; null if there is none. */
export function shortcodeAt(text: string, from: number): Shortcode | null {
  const start = new RegExp(head)
  start.lastIndex = from
  const [whole, slash, name = ''] = start.exec(text) ?? []
  if (whole === undefined) return null
  const close = text[from + 2] === '<' ? '>}}' : '%}}'
  const args = new Map<string, string>()
  const last = Math.min(text.length, from + lengthLimit)
  let [at, nBare] = [start.lastIndex, 0]
  let isAlone = name.endsWith('/')
  while (at < last) {
    if (/\s/.test(text[at]!)) at++
    else if (text.startsWith(close, at)) {
      const kind = slash ? 'close' : isAlone ? 'alone' : 'open'
      return { from, to: at + close.length, name: name.replace(/\/$/, ''), kind, args }
    } else if (
      text[at] === '/' &&
      text
        .slice(at + 1, at + 20)
        .trimStart()
        .startsWith(close)
    ) {
      isAlone = true
      at++
    } else {
      const argument = argumentAt(text.slice(at, last), close)
      if (argument === null) return null
      args.set(argument.key || String(nBare++), argument.value)
      at += argument.length
    }
  }
  return null
}

function argumentAt(
  text: string,
  close: string,
): { key: string; value: string; length: number } | null {
  const [prefix = '', key = ''] = /^([\w-]+)\s*=\s*/.exec(text) ?? []
  const rest = text.slice(prefix.length)
  const quote = rest[0] ?? ''
  if (quote === '"' || quote === '`') {
    const [whole, value = ''] =
      (quote === '"' ? /^"((?:[^"\\]|\\.)*)"/ : /^`([^`]*)`/).exec(rest) ?? []
    if (whole === undefined) return null
    return { key, value: value.replace(/\\(["\\])/g, '$1'), length: prefix.length + whole.length }
  }
  const [word = ''] = /^[^\s"`]+/.exec(rest) ?? []
  const end = word.indexOf(close)
  const value = (end < 0 ? word : word.slice(0, end)).replace(/\/$/, '')
  // A second shortcode begins here, so this one is not closed.
  if (value.includes('{{')) return null
  return value === '' ? null : { key, value, length: prefix.length + value.length }
}

/** The index of the closing shortcode for each opening shortcode that has one. */
export function pairShortcodes(shortcodes: readonly Shortcode[]): Map<number, number> {
  const open = new Map<string, number[]>()
  const pairs = new Map<number, number>()
  for (const [index, { name, kind }] of shortcodes.entries()) {
    if (kind === 'open') {
      const list = open.get(name)
      if (list === undefined) open.set(name, [index])
      else list.push(index)
    } else if (kind === 'close') {
      const from = open.get(name)?.pop()
      if (from !== undefined) pairs.set(from, index)
    }
  }
  return pairs
}

/** Removes the comment marks of escaped shortcodes, as Hugo does. */
export function unescapeShortcodes(text: string): string {
  if (!text.includes('/*')) return text
  return text.replace(/\{\{([<%])\/\*((?:(?!\*\/)[^]){0,4000}?)\*\/([>%])\}\}/g, '{{$1$2$3}}')
}
