import { Parser } from 'htmlparser2'

/**
 * Markup of strangers as markup of ours: it is parsed, and what is listed here is written anew,
 * with every text and value escaped. No script, style, form, picture, frame or handler is on the
 * list; whatever else a page holds leaves its text behind, or nothing.
 * @param anchors ids that headings may have, each once
 */
export function safeHtml(unsafe: string, anchors: ReadonlySet<string> = new Set()): string {
  const page = openSafeHtml(anchors)
  return page.add(unsafe) + page.end()
}

/** `safeHtml` piece by piece: what is given together is the whole. */
export type SafePage = {
  /** What is known to be shown by now. */
  add(unsafe: string): string
  /** The rest, and the end of whatever is open. */
  end(): string
}

export function openSafeHtml(anchors: ReadonlySet<string>): SafePage {
  const writer: Writer = { out: [], open: [], left: new Set(anchors), hidden: 0 }
  const parser = new Parser({
    onopentag: (name, attributes) => openTag(writer, name, attributes),
    ontext: (text) => void (writer.hidden === 0 && writer.out.push(escaped(text))),
    onclosetag: () => closeTag(writer),
  })
  const taken = () => writer.out.splice(0).join('')
  return {
    add: (unsafe) => (parser.write(unsafe), taken()),
    end: () => (parser.end(), taken()),
  }
}

/** For text and for values between double quotes. */
export function escaped(text: string): string {
  // Most text holds none, and to look costs less than to replace.
  if (!/[&<>"']/.test(text)) return text
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

/** Code in colours is nearly all `span`s: what they can have is looked at first, and alone. */
function attributesOf(writer: Writer, name: string, given: Attributes): string {
  const classes = classOf(given)
  const kept = classes === null ? '' : ` class="${classes}"`
  return name === 'span' ? kept : kept + ownAttributes(writer, name, given)
}

function ownAttributes({ left }: Writer, name: string, given: Attributes): string {
  const href = name === 'a' ? safeAddress(given.href ?? '') : null
  if (href !== null) return ` href="${escaped(href)}"`
  if (/^h[1-6]$/.test(name)) return left.delete(given.id ?? '') ? ` id="${escaped(given.id!)}"` : ''
  if (name === 'ol') return /^\d{1,9}$/.test(given.start ?? '') ? ` start="${given.start}"` : ''
  if (name === 'pre') return ' tabindex="0"'
  if (name !== 'td' && name !== 'th') return ''
  return ['colspan', 'rowspan'].map((span) =>
    (/^\d{1,2}$/.test(given[span] ?? '') ? ` ${span}="${given[span]}"` : '')).join('')
}

/** Of our own renderer alone; a table says by its style how a column is aligned. */
function classOf({ class: names, style }: Attributes): string | null {
  if (names === undefined && style === undefined) return null
  const classes = (names ?? '').split(/\s+/).filter((name) => isKnownClass.test(name))
  const [, side] = /^text-align:(left|center|right)$/.exec(style ?? '') ?? []
  const all = side === undefined ? classes : [...classes, side]
  return all.length === 0 ? null : all.join(' ')
}

const isKnownClass = /^(?:hljs(?:-[a-z_-]+)?|here|tab|callout|note(?:-title)?|warns)$/

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
