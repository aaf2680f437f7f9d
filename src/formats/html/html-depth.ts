import { wordSet } from '../../document/word-set.ts'
/**
 * Limits the nesting of HTML to `deepest` levels. Removes the tags of deeper elements and keeps
 * their text. Only broken pages are nested so deeply, and parsing and walking them takes longer for
 * each level.
 */
export function limitDepth(source: string): string {
  const scan: Scan = { source, open: [], places: new Map(), kept: '', at: 0 }
  const opening = /<(?:!--|[!?]|(\/?)([a-z][^\s/>]*))/gi
  for (let match = opening.exec(source); match; match = opening.exec(source)) {
    const { 0: start, 1: slash, 2: name, index } = match
    const from = opening.lastIndex
    const end =
      start === '<!--'
        ? after(source, { mark: '-->', from: from - 2 })
        : name === undefined || slash
          ? after(source, { mark: '>', from })
          : tagEnd(source, from)
    if (end < 0) break
    opening.lastIndex = end
    if (name === undefined) continue
    const isDropped = slash
      ? dropsCloser(scan, name.toLowerCase())
      : dropsOpener(scan, { name: name.toLowerCase(), isAlone: source[end - 2] === '/' })
    if (isDropped) {
      scan.kept += source.slice(scan.at, index)
      scan.at = end
    }
    if (!slash && raw.test(name)) opening.lastIndex = rawEnd(source, name, end)
  }
  return scan.kept + source.slice(scan.at)
}

/** Maximum nesting of elements. Real pages nest a few dozen elements. */
const deepest = 500

type Scan = {
  source: string
  /** Names of open elements, outermost first. Tags beyond `deepest` are removed. */
  open: string[]
  /** The indexes in `open` by name. */
  places: Map<string, number[]>
  kept: string
  at: number
}

/** Returns the offset after the next `mark`, or -1. */
function after(source: string, { mark, from }: { mark: string; from: number }): number {
  const at = source.indexOf(mark, from)
  return at < 0 ? -1 : at + mark.length
}

/** Returns the offset after a tag, or -1 if it is unclosed. Quoted attributes can contain `>`. */
function tagEnd(source: string, from: number): number {
  const mark = /=\s*(["'])|>/g
  mark.lastIndex = from
  for (let match = mark.exec(source); match; match = mark.exec(source)) {
    if (match[1] === undefined) return mark.lastIndex
    const close = source.indexOf(match[1], mark.lastIndex)
    if (close < 0) return -1
    mark.lastIndex = close + 1
  }
  return -1
}

const raw = /^(?:script|style|title|textarea|xmp)$/i

/** Returns the end of a raw text element, such as a script. An unclosed one ends with the text. */
function rawEnd(source: string, name: string, from: number): number {
  const closing = new RegExp(`</${name}(?=[\\s/>])`, 'gi')
  closing.lastIndex = from
  return closing.exec(source)?.index ?? source.length
}

function dropsOpener(scan: Scan, { name, isAlone }: { name: string; isAlone: boolean }): boolean {
  const implied = closes.get(name)
  while (implied?.has(scan.open.at(-1) ?? '')) pop(scan)
  const isDropped = scan.open.length >= deepest
  const isForeign = isAlone && ['svg', 'math'].some((it) => it === name || isOpen(scan, it))
  if (empty.has(name) || isForeign) return isDropped && !empty.has(name)
  const places = scan.places.get(name)
  if (places === undefined) scan.places.set(name, [scan.open.length])
  else places.push(scan.open.length)
  scan.open.push(name)
  return isDropped
}

function isOpen({ places }: Scan, name: string): boolean {
  return (places.get(name)?.length ?? 0) > 0
}

/**
 * Handles a closing tag. Closes its element and all open elements inside it. Returns true if the
 * tag must be removed. The parser handles closing tags without opening tags.
 */
function dropsCloser(scan: Scan, name: string): boolean {
  const place = scan.places.get(name)?.at(-1)
  if (place === undefined) return false
  while (scan.open.length > place) pop(scan)
  return place >= deepest
}

function pop(scan: Scan): void {
  scan.places.get(scan.open.pop()!)!.pop()
}

const empty = wordSet(`
  area base basefont br col command embed frame hr img input isindex keygen link meta param source
  track wbr
`)

/** The elements that an opening tag closes implicitly, by tag name, as in the parser. */
const closes = new Map<string, ReadonlySet<string>>()
for (const [names, closed] of [
  ['tr', 'tr th td'],
  ['th', 'th'],
  ['td', 'thead th td'],
  ['body', 'head link script'],
  ['li', 'li'],
  ['option', 'option'],
  ['optgroup', 'optgroup option'],
  ['dd dt', 'dd dt'],
  ['rt rp', 'rt rp'],
  ['tbody tfoot', 'thead tbody'],
  [
    'select input output button datalist textarea',
    'input option optgroup select button datalist textarea',
  ],
  [
    'p h1 h2 h3 h4 h5 h6 address article aside blockquote details div dl fieldset ' +
      'figcaption figure' +
      ' footer form header hr main nav ol pre section table ul',
    'p',
  ],
] as const) {
  for (const name of names.split(' ')) closes.set(name, new Set(closed.split(' ')))
}
