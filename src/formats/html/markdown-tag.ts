import { decodeEntities } from '../../document/inline.ts'

export type HtmlTag = {
  name: string
  /** The source text of the attributes. */
  attributes: string
  isClosing: boolean
  isAlone: boolean
  /** The offset after the tag. */
  end: number
}

const inlineNames =
  'a|abbr|b|bdi|bdo|big|cite|code|del|dfn|em|font|i|ins|kbd|mark|nobr|s|samp|small|span|strike' +
  '|strong|sub|sup|tt|u|var|wbr'
const blockNames =
  'article|blockquote|br|center|col|colgroup|dd|details|div|dl|dt|figcaption|figure|h[1-6]|hr' +
  '|head|iframe|img|li|ol|p|picture|pre|script|section|style|summary|svg|table|tbody|td|tfoot|th' +
  '|thead|tr|ul|video'
/** Names that authors also use as placeholders. They are tags only if they have attributes. */
const rareNames =
  'address|aside|audio|button|caption|footer|header|input|label|main|nav|source|time'

const names = `${inlineNames}|${blockNames}|${rareNames}`
const start = new RegExp(`<(/?)(${names})(?=[\\s/>])`, 'iy')
const rest = /(?:[^<>"'{]|"[^"]*"|'[^']*'|\{(?:[^{}]|\{[^{}]*\})*\})*>/y
const isVoid = /^(?:br|col|hr|img|wbr)$/
const isRare = new RegExp(`^(?:${rareNames})$`)

/** A fast test for text that may contain an HTML tag or an entity. */
export const htmlSigns = new RegExp(`</?(?:${names})[\\s/>]|&(?:#\\w+|[a-z]+\\d*);`, 'i')

/** Matches a line that starts an HTML block: a block tag, or any tag on a separate line. */
export const htmlBlockStart = new RegExp(
  `^\\s*(?:</?(?:${blockNames}|${rareNames})(?=[\\s/>]|$)|</?(?:${inlineNames})(?: [^<>]*)?>\\s*$)`,
  'i',
)

/** Matches names of elements that contain only inline text. */
export const inlineElement = new RegExp(`^(?:${inlineNames}|summary|dt|h[1-6])$`)

/** Reads the tags in text from start to end. */
export class HtmlTags {
  readonly #source: string
  readonly #nOpen = new Map<string, number>()
  /** The offset of the next closing tag by name; Infinity if there is none. */
  readonly #closings = new Map<string, number>()
  #nBroken = 0

  constructor(source: string) {
    this.#source = source
  }

  /** Returns the tag at an offset; null for a placeholder or a name that is unknown in HTML. */
  tagAt(at: number): HtmlTag | null {
    start.lastIndex = at
    const [opening, slash, name = ''] = start.exec(this.#source) ?? []
    if (opening === undefined || this.#nBroken > 2000) return null
    const from = at + opening.length
    // The first tags are read in place, because copying the text for each tag would be slow.
    const isLimited = this.#nBroken > 100
    rest.lastIndex = isLimited ? 0 : from
    const tail = rest.exec(isLimited ? this.#source.slice(from, from + 500) : this.#source)?.[0]
    if (tail === undefined) {
      this.#nBroken++
      return null
    }
    const tag: HtmlTag = {
      name: name.toLowerCase(),
      attributes: tail.replace(/\s*\/?>$/, ''),
      isClosing: slash === '/',
      isAlone: tail.endsWith('/>'),
      end: from + tail.length,
    }
    // `<Code code={x} />` is a component.
    if (tag.isAlone && /^[A-Z].*[a-z]/.test(name) && !isVoid.test(tag.name)) return null
    if (this.#isPlaceholder(tag, at)) return null
    this.#count(tag)
    return tag
  }

  /** True if the tag is the type argument in `List<i>`, or a placeholder such as `<source>`. */
  #isPlaceholder({ name, attributes, isClosing, end }: HtmlTag, at: number): boolean {
    if (name.length > 1 && !isRare.test(name)) return false
    if (isClosing) return !this.#nOpen.get(name)
    if (name.length > 1) return attributes === ''
    const isAfterWord = /[\w.]/.test(this.#source[at - 1] ?? '')
    return isAfterWord && !this.#source.slice(end, end + 300).includes(`</${name}`)
  }

  #count({ name, isClosing, isAlone }: HtmlTag): void {
    const n = this.#nOpen.get(name) ?? 0
    if (!isAlone) this.#nOpen.set(name, Math.max(0, isClosing ? n - 1 : n + 1))
  }

  /** Returns the source between a tag and the next closing tag with its name, or null. */
  innerOf({ name, end }: HtmlTag): string | null {
    let at = this.#closings.get(name) ?? -1
    if (at < end) {
      const closing = new RegExp(`</${name}\\s*>`, 'gi')
      closing.lastIndex = end
      at = closing.exec(this.#source)?.index ?? Infinity
      this.#closings.set(name, at)
    }
    return at === Infinity ? null : this.#source.slice(end, at)
  }

  /** Like `innerOf`, but includes the end of the closing tag and marks the element as closed. */
  contentOf(tag: HtmlTag): { inner: string; end: number } | null {
    const inner = this.innerOf(tag)
    if (inner === null) return null
    this.#count({ ...tag, isClosing: true, isAlone: false })
    return { inner, end: this.#source.indexOf('>', tag.end + inner.length) + 1 }
  }
}

/** Returns the value of an attribute; '' if it is missing or an expression. */
export function attributeOf({ attributes }: HtmlTag, name: string): string {
  if (attributes === '') return ''
  const value = new RegExp(`(?:^|\\s)${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'{>]+))`, 'i')
  const [, double, single, bare] = value.exec(attributes) ?? []
  return decodeEntities((double ?? single ?? bare ?? '').trim())
}

export function textOfHtml(html: string): string {
  return decodeEntities(html.replace(/<\/?[a-z][^<>]*>/gi, ''))
}
