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

const head = /^\{\{([<%])\s*(\/?)\s*([A-Za-z_][\w./-]*)/
const tail = /\s*(\/?)\s*([>%])\}\}/y

/** An argument, whose value ends before the end of the shortcode and before the next shortcode. */
const argument = new RegExp(
  String.raw`\s*(?:([\w-]+)\s*=\s*)?(?:"((?:[^"\\]|\\.)*)"|${'`([^`]*)`'}` +
    String.raw`|((?:(?!\{\{|\/?\s*[>%]\}\})[^\s"${'`'}])+))`,
  'y',
)

/** Returns the shortcode at an offset, or null. */
export function shortcodeAt(text: string, from: number): Shortcode | null {
  const source = text.slice(from, from + lengthLimit)
  const [start, sign, slash, name = ''] = head.exec(source) ?? []
  if (start === undefined) return null
  const args = new Map<string, string>()
  let [at, nBare] = [start.length, 0]
  argument.lastIndex = at
  for (let match = argument.exec(source); match; match = argument.exec(source)) {
    const [, key, quoted, tick, bare = ''] = match
    args.set(key ?? String(nBare++), quoted?.replace(/\\(["\\])/g, '$1') ?? tick ?? bare)
    at = argument.lastIndex
  }
  tail.lastIndex = at
  const [end, closing, close] = tail.exec(source) ?? []
  if (end === undefined || (close === '>') !== (sign === '<')) return null
  const kind = slash ? 'close' : closing || name.endsWith('/') ? 'alone' : 'open'
  return { from, to: from + at + end.length, name: name.replace(/\/$/, ''), kind, args }
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
