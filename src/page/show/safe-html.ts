import { wordSet } from '../../document/word-set.ts'
import { Parser } from 'htmlparser2'

/**
 * Sanitizes untrusted HTML: parses it and writes only the listed elements and attributes, with all
 * text and values escaped. Scripts, styles, forms, pictures, frames and event handlers are not
 * listed. Drops all other elements or replaces them with their text.
 * @param anchors allowed heading ids; each is used once
 */
export function safeHtml(unsafe: string, anchors: ReadonlySet<string> = new Set()): string {
  const page = openSafeHtml(anchors)
  return page.add(unsafe) + page.end()
}

/** `safeHtml` for a page that arrives in pieces. */
type SafePage = {
  /** Adds a piece. Returns the safe HTML that is complete. */
  add(unsafe: string): string
  /** Ends the page. Returns the remaining HTML and the closing tags of open elements. */
  end(): string
}

export function openSafeHtml(anchors: ReadonlySet<string>): SafePage {
  const writer: Writer = { out: [], open: [], unusedAnchors: new Set(anchors), hidden: 0 }
  const parser = new Parser({
    onopentag: (name, attributes) => openTag(writer, name, attributes),
    ontext: (text) => void (writer.hidden === 0 && writer.out.push(escapeHtml(text))),
    onclosetag: () => closeTag(writer),
  })
  const flush = () => writer.out.splice(0).join('')
  return { add: (unsafe) => (parser.write(unsafe), flush()), end: () => (parser.end(), flush()) }
}

/** Escapes text for HTML content and quoted attribute values. */
export const escapeHtml = Bun.escapeHTML

type Writer = {
  out: string[]
  /** Output names of open source elements; null for an omitted element. */
  open: (string | null)[]
  unusedAnchors: Set<string>
  /** Number of open elements with hidden content. */
  hidden: number
}

type Attributes = Readonly<Record<string, string>>

const visibleTags = wordSet(`
  p br hr h1 h2 h3 h4 h5 h6 ul ol li dl dt dd blockquote pre code kbd samp var em strong b i u s del
  ins mark small sub sup abbr q cite table thead tbody tfoot tr th td caption a details summary span
  div
`)

const empty = new Set(['br', 'hr'])

/** Elements whose content is not part of the page's text. */
export const hiddenElements = wordSet(`
  script style template noscript iframe object embed svg math title textarea select head xmp noembed
  noframes plaintext audio video canvas frameset
`)

/** Maximum nesting of elements in the output. Browsers allow 512. */
const deepest = 100

function openTag(writer: Writer, name: string, attributes: Attributes): void {
  const isHiding = hiddenElements.has(name)
  if (isHiding) writer.hidden++
  const isShown =
    writer.hidden === 0 &&
    visibleTags.has(name) &&
    writer.open.length < deepest &&
    !(name === 'a' && writer.open.includes('a'))
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

/** Returns the alternative text of a picture, because pictures are not stored. */
function picture({ alt = '' }: Attributes): string {
  return alt.trim() === '' ? '' : `<span class="picture">${escapeHtml(alt.trim())}</span>`
}

/** Returns an element's attributes. Has a fast path for `span`s of highlighted code. */
function attributesOf(writer: Writer, name: string, attributes: Attributes): string {
  const classes = classOf(attributes)
  const classAttribute = classes === null ? '' : ` class="${classes}"`
  return name === 'span' ? classAttribute : classAttribute + ownAttributes(writer, name, attributes)
}

function ownAttributes(
  { unusedAnchors: left }: Writer,
  name: string,
  attributes: Attributes,
): string {
  const href = name === 'a' ? safeAddress(attributes.href ?? '') : null
  if (href !== null) return ` href="${escapeHtml(href)}"`
  if (/^h[1-6]$/.test(name))
    return left.delete(attributes.id ?? '') ? ` id="${escapeHtml(attributes.id!)}"` : ''
  if (name === 'ol')
    return /^\d{1,9}$/.test(attributes.start ?? '') ? ` start="${attributes.start}"` : ''
  if (name === 'pre') return ' tabindex="0"'
  if (name !== 'td' && name !== 'th') return ''
  return ['colspan', 'rowspan']
    .map((span) =>
      /^\d{1,2}$/.test(attributes[span] ?? '') ? ` ${span}="${attributes[span]}"` : '',
    )
    .join('')
}

/** Returns the allowed classes: our own classes, and the alignment from a table cell's style. */
function classOf({ class: names, style }: Attributes): string | null {
  if (names === undefined && style === undefined) return null
  const classes = (names ?? '').split(/\s+/).filter((name) => isKnownClass.test(name))
  const [, side] = /^text-align:(left|center|right)$/.exec(style ?? '') ?? []
  const all = side === undefined ? classes : [...classes, side]
  return all.length === 0 ? null : all.join(' ')
}

const isKnownClass = /^(?:hljs(?:-[a-z_-]+)?|here|tab|callout|note(?:-title)?|warns)$/

/**
 * Returns a link's URL if it is safe, otherwise null. Safe URLs are http, https, mailto, fragments
 * and relative URLs. First removes control characters and blanks, because browsers ignore them.
 */
function safeAddress(href: string): string | null {
  const address = href.replace(/[\u0000-\u0020\u007f-\u00a0\u2028\u2029\ufeff]+/g, '')
  const [, scheme] = /^([^/?#]*?):/.exec(address) ?? []
  if (scheme === undefined) return address === '' || /^[/\\]{2}/.test(address) ? null : address
  return /^(?:https?|mailto)$/i.test(scheme) ? address : null
}
