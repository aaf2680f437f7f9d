/** A Hugo shortcode: `{{< name key="value" >}}`. */
export type Shortcode = {
  from: number
  to: number
  name: string
  kind: 'open' | 'close' | 'alone'
  /** Arguments by name, or by index from `0`. */
  args: ReadonlyMap<string, string>
}

const opening = /\{\{(?:<|%)/g

/**
 * Returns all shortcodes in text order. Ignores escaped shortcodes, which contain a comment mark
 * and are examples.
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

/** Longer shortcodes are text. */
const lengthLimit = 4000

const head = /\{\{[<%]\s*(\/?)\s*([A-Za-z_][\w./-]*)/y

/** Returns the shortcode at an offset, or null. */
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
  // The next shortcode starts here, so this one is unclosed.
  if (value.includes('{{')) return null
  return value === '' ? null : { key, value, length: prefix.length + value.length }
}

/** Maps the index of each opening shortcode to that of its closing shortcode. */
export function pairShortcodes(shortcodes: readonly Shortcode[]): Map<number, number> {
  const open = new Map<string, number[]>()
  const pairs = new Map<number, number>()
  for (const [index, { name, kind }] of shortcodes.entries()) {
    if (kind === 'open') {
      open.getOrInsert(name, []).push(index)
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
