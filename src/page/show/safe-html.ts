import { Parser } from 'htmlparser2'

/**
 * Markup of strangers as markup of ours: it is parsed, and what is listed here is written anew,
 * with every text and value escaped. No script, style, form, picture, frame or handler is on the
 * list; whatever else a page holds leaves its text behind, or nothing.
 * @param anchors ids that headings may have, each once
 */
export function safeHtml(unsafe: string, anchors: ReadonlySet<string> = new Set()): string {
  const writer: Writer = { out: [], open: [], left: new Set(anchors), hidden: 0 }
  const parser = new Parser({
    onopentag: (name, attributes) => openTag(writer, name, attributes),
    ontext: (text) => void (writer.hidden === 0 && writer.out.push(escaped(text))),
    onclosetag: () => closeTag(writer),
  })
  parser.end(unsafe)
  return writer.out.join('')
}

/** For text and for values between double quotes. */
export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character]!)
}

const entities: Readonly<Record<string, string>> =
  { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

type Writer = {
  out: string[]
  /** What is open in the source, and how each one ends here; null: it is left out. */
  open: (string | null)[]
  left: Set<string>
  /** How many of the open ones hide what is in them. */
  hidden: number
}

type Attributes = Readonly<Record<string, string>>

const shown = new Set([
  'p', 'br', 'hr', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'ul', 'ol', 'li', 'dl', 'dt', 'dd',
  'blockquote', 'pre', 'code', 'kbd', 'samp', 'var', 'em', 'strong', 'b', 'i', 'u', 's', 'del',
  'ins', 'mark', 'small', 'sub', 'sup', 'abbr', 'q', 'cite', 'table', 'thead', 'tbody', 'tfoot',
  'tr', 'th', 'td', 'caption', 'a', 'details', 'summary', 'span', 'div',
])

const empty = new Set(['br', 'hr'])

/** Elements that hide what is in them: nothing there is meant to be read as text of the page. */
export const hiding: ReadonlySet<string> = new Set([
  'script', 'style', 'template', 'noscript', 'iframe', 'object', 'embed', 'svg', 'math', 'title',
  'textarea', 'select', 'head', 'xmp', 'noembed', 'noframes', 'plaintext', 'audio', 'video',
  'canvas', 'frameset',
])

/** Browsers stop at 512, and nobody reads what is deeper. */
const deepest = 100

function openTag(writer: Writer, name: string, attributes: Attributes): void {
  const isHiding = hiding.has(name)
  if (isHiding) writer.hidden++
  const isShown = writer.hidden === 0 && shown.has(name) && writer.open.length < deepest
    && !(name === 'a' && writer.open.includes('a'))
  writer.open.push(isHiding ? hidingMark : isShown ? name : null)
  if (isShown) writer.out.push(`<${name}${attributesOf(writer, name, attributes)}>`)
  else if (name === 'img' && writer.hidden === 0) writer.out.push(picture(attributes))
}

const hidingMark = '!'

function closeTag(writer: Writer): void {
  const name = writer.open.pop() ?? null
  if (name === hidingMark) writer.hidden--
  else if (name !== null && !empty.has(name)) writer.out.push(`</${name}>`)
}

/** Pictures are not stored, and none is fetched. */
function picture({ alt = '' }: Attributes): string {
  return alt.trim() === '' ? '' : `<span class="picture">${escaped(alt.trim())}</span>`
}

function attributesOf({ left }: Writer, name: string, given: Attributes): string {
  const kept: [string, string | null][] = [
    ['class', classOf(given)],
    ['href', name === 'a' ? safeAddress(given.href ?? '') : null],
    ['id', /^h[1-6]$/.test(name) && left.delete(given.id ?? '') ? given.id! : null],
    ['start', name === 'ol' && /^\d{1,9}$/.test(given.start ?? '') ? given.start! : null],
    ...['colspan', 'rowspan'].map((span): [string, string | null] =>
      [span, /^t[dh]$/.test(name) && /^\d{1,2}$/.test(given[span] ?? '') ? given[span]! : null]),
    ['tabindex', name === 'pre' ? '0' : null],
  ]
  return kept.flatMap(([key, value]) =>
    value === null ? [] : [` ${key}="${escaped(value)}"`]).join('')
}

/** Of our own renderer alone; a table says by its style how a column is aligned. */
function classOf({ class: names = '', style = '' }: Attributes): string | null {
  const known = names.split(/\s+/).filter((name) => /^(?:hljs(?:-[a-z_-]+)?|here)$/.test(name))
  const [, side] = /^text-align:(left|center|right)$/.exec(style) ?? []
  const all = [...known, ...(side === undefined ? [] : [side])]
  return all.length === 0 ? null : all.join(' ')
}

/**
 * An address that a link may lead to: of the web, of mail, a place on the page, or relative to it.
 * Control characters and blanks, which browsers skip, hide no scheme.
 */
function safeAddress(typed: string): string | null {
  const address = typed.replace(/[\u0000-\u0020\u007f-\u00a0\u2028\u2029\ufeff]+/g, '')
  const [, scheme] = /^([^/?#]*?):/.exec(address) ?? []
  if (scheme === undefined) return address === '' || /^[/\\]{2}/.test(address) ? null : address
  return /^(?:https?|mailto)$/i.test(scheme) ? address : null
}
