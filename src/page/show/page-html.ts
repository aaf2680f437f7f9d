import MarkdownIt, { type MarkdownItOptions, type Token } from 'markdown-it'
import { terminalText, markCallouts, addFileName, highlight } from './code.ts'
import { addFootnoteMarks, addFootnotes } from './footnotes.ts'
import { markNotes, noteCssClass, leadingBoldText, titleClass } from './notes.ts'
import { openHtmlParts } from './parts.ts'
import { escapeHtml, hiddenElements, openSafeHtml } from './safe-html.ts'
import { findBoxes } from '../../document/box.ts'
import { wordSet } from '../../document/word-set.ts'
import type { Markup } from '../../document/headings.ts'

export type PageToShow = {
  text: string
  markup: Markup
  /** Heading ids with 1-based line numbers. */
  anchors?: readonly { line: number; anchor: string }[]
  /** The 1-based lines to mark as the search hit. */
  here?: { from: number; to: number } | null
}

export function renderPageHtml(page: PageToShow): string {
  return [...renderPagePieces(page)].join('')
}

/**
 * Renders a page as sanitized HTML in pieces. First finds all blocks, which is fast. Then parses
 * inline markup and highlights code one piece at a time, which is slow.
 */
export function* renderPagePieces(page: PageToShow): Generator<string> {
  const { text, markup, anchors = [], here = null } = page
  if (markup !== 'markdown') return yield `<pre tabindex="0">${escapeHtml(text)}</pre>`
  const ids = new Map(anchors.map(({ line, anchor }) => [line, anchor]))
  const [safe, parts] = [openSafeHtml(new Set(ids.values())), openHtmlParts()]
  const env = {}
  const parsed = withoutEmptyHeads(blocks.parse(text, env))
  const tokens = inBoxes(parsed, text, (title) => readInline([title], env))
  const [before, middle, after] = around(tokens, inside(text, here))
  const render = (some: readonly Token[]) => parts.add(safe.add(renderTokens(some, { ids, env })))
  if (middle.length > 0) {
    // The first piece contains the hit, so that readers see it immediately.
    const marked = (tag: string) => parts.add(safe.add(tag))
    yield `${render(before)}${marked('<div class="here">')}${render(middle)}${marked('</div>')}`
  }
  for (const some of pieces(middle.length > 0 ? after : before)) yield render(some)
  yield parts.add(safe.end()) + parts.end()
}

/** Sizes of pieces. The first fills about one window, and each later one is twice as long. */
const pieceChars = { first: 4_000, most: 64_000 }

/** Groups the tokens of whole blocks into pieces. */
function* pieces(tokens: readonly Token[]): Generator<Token[]> {
  let [start, chars, enough] = [0, 0, pieceChars.first]
  for (const [i, { level, nesting, content }] of tokens.entries()) {
    chars += content.length
    if (chars < enough || level > 0 || nesting > 0) continue
    yield tokens.slice(start, i + 1)
    ;[start, chars, enough] = [i + 1, 0, Math.min(pieceChars.most, 2 * enough)]
  }
  if (start < tokens.length) yield tokens.slice(start)
}

/** State of the page: heading ids by line, and `env` with link definitions. */
type PageState = { ids: ReadonlyMap<number, string>; env: Env }
type Env = Record<string, unknown>

function renderTokens(tokens: readonly Token[], { ids, env }: PageState): string {
  readInline(tokens, env)
  for (const [i, token] of tokens.entries()) {
    if (token.type === 'heading_open') nameHeading(token, tokens[i + 1]!, ids)
  }
  markNotes(tokens)
  return markdown.renderer.render([...tokens], markdown.options, env)
}

function readInline(tokens: readonly Token[], env: Env): void {
  const state = new markdown.core.State('', markdown, env)
  state.tokens = tokens.filter(({ type, children }) => type === 'inline' && children?.length === 0)
  markdown.core.process(state)
}

const options = { html: true, linkify: true, highlight }

/** Parses only blocks and leaves their inline content as text. */
const blocks = new MarkdownIt(options)
blocks.core.ruler.enableOnly(['normalize', 'block'])
addFootnotes(blocks)

/** Parses inline content. Keeps raw HTML, which `safeHtml` sanitizes later. */
const markdown = new MarkdownIt(options)
markdown.core.ruler.enableOnly(['inline', 'linkify', 'text_join'])
addFootnoteMarks(markdown)
markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false })
// The fast test comes first. On pages without URLs, most time would be spent on linkify's search
// for URL schemes.
const containsLink = markdown.linkify.test.bind(markdown.linkify)
markdown.linkify.test = (text) => /:\/\/|mailto:/i.test(text) && containsLink(text)
const normalizeLink = markdown.normalizeLink.bind(markdown)
markdown.normalizeLink = (address) => (isPlain.test(address) ? address : normalizeLink(address))
/** Matches URLs that normalization does not change. */
const isPlain = /^[\w;/?:@&=+$,.!~*'()#-]*$/
markdown.renderer.rules.html_inline = (tokens, i) => asMarkup(tokens[i]!.content)
markdown.renderer.rules.html_block = (tokens, i) => asMarkup(tokens[i]!.content)
markdown.renderer.rules.fence = (tokens, i, options) => code(tokens[i]!, options)
markdown.renderer.rules.code_block = (tokens, i, options) => code(tokens[i]!, options)

function code({ content, info }: Token, { highlight }: MarkdownItOptions): string {
  // An include that was not expanded.
  const [, name, file] = /^\{(include|literalinclude)\}[ \t]*(.*)$/.exec(info.trim()) ?? []
  if (file !== undefined) return `<p><code>${escapeHtml(`${name}: ${file}`)}</code></p>\n`
  const [, language = ''] = /^\{?\.?([\w+#-]+)/.exec(info.trim()) ?? []
  const html = highlight!(terminalText(content, language), language, '')
  return addFileName(info, `<pre><code class="hljs">${markCallouts(html)}</code></pre>\n`)
}

/** Sets the id of a heading. Removes an attribute list such as `{ #body }` from its text. */
function nameHeading(token: Token, title: Token, ids: ReadonlyMap<number, string>): void {
  const id = token.map == null ? undefined : ids.get(token.map[0] + 1)
  const last = title.children?.at(-1)
  if (last?.type === 'text') last.content = last.content.replace(/\s*\{\s*[#.:][^{}]*\}\s*$/, '')
  if (id !== undefined) token.attrSet('id', id)
}

/** Removes blank table heads, which Markdown requires even in a table without headings. */
function withoutEmptyHeads(tokens: Token[]): Token[] {
  const blankHeads = new Set<Token>()
  for (const [i, token] of tokens.entries()) {
    if (token.type !== 'thead_open') continue
    let end = i
    while (tokens[end]!.type !== 'thead_close') end++
    const head = tokens.slice(i, end + 1)
    if (head.every(({ content }) => content === '')) for (const it of head) blankHeads.add(it)
  }
  return blankHeads.size === 0 ? tokens : tokens.filter((token) => !blankHeads.has(token))
}

/** Returns `here` if the page contains its first line, otherwise null. */
function inside(text: string, here: PageToShow['here']): PageToShow['here'] {
  return here != null && here.from <= text.split('\n').length ? here : null
}

type Parts = [before: readonly Token[], on: readonly Token[], behind: readonly Token[]]

/** Splits blocks into those before, on and after `here`, which may start below a block. */
function around(tokens: readonly Token[], here: PageToShow['here']): Parts {
  if (here == null) return [tokens, [], []]
  const isBlock = (token: Token): token is Token & { map: [number, number] } =>
    token.level === 0 && token.map != null
  const on = tokens.findIndex(
    (it) => isBlock(it) && it.map[0] + 1 <= here.to && it.map[1] >= here.from,
  )
  const start = on >= 0 ? on : tokens.findLastIndex((it) => isBlock(it) && it.map[1] < here.from)
  if (start < 0) return [tokens, [], []]
  const next = tokens.findIndex((it, i) => i > start && isBlock(it) && it.map[0] >= here.to)
  const end = next < 0 ? tokens.length : next
  return [tokens.slice(0, start), tokens.slice(start, end), tokens.slice(end)]
}

/**
 * Escapes tags that are meant as text: unknown tags in prose, such as `Vec<T>` and `<Tabs>`, and
 * unclosed tags such as `<script>`, which would hide the rest of the page.
 */
function asMarkup(content: string): string {
  return content.replace(/<(\/?)([a-z][\w:-]*)/gi, (...[whole, slash, name, at]: Tag) => {
    const tag = name.toLowerCase()
    if (!isOfHtml.has(tag) && !hiddenElements.has(tag)) return `&lt;${slash}${name}`
    if (slash !== '' || !hiddenElements.has(tag)) return whole
    const isClosed = content.toLowerCase().includes(`</${tag}`, at)
    return isClosed ? whole : `&lt;${name}`
  })
}

type Tag = [whole: string, slash: string, name: string, at: number]

const isOfHtml = wordSet(`
  a abbr address area article aside b base bdi bdo big blockquote body br button caption center
  cite code col colgroup dd del details dfn dialog dir div dl dt em embed fieldset figcaption
  figure font footer form frame h1 h2 h3 h4 h5 h6 header hgroup hr html i image img input ins
  isindex kbd label legend li link main map mark menu meta nav nobr ol optgroup option p param
  picture pre progress q rp rt ruby s samp section small source span strike strong sub summary
  sup table tbody td tfoot th thead time tr track tt u ul var wbr
`)

type Open = { to: number; level: number; token: Token }

/**
 * Encloses the blocks of each box in `text` (`box.ts`) in a block token, and puts their tokens one
 * level deeper. A token's `map` is the line in `text` at which it starts.
 * @param read parses the inline content of a block, because the title of a box determines its kind
 */
function inBoxes(
  tokens: readonly Token[],
  text: string,
  read: (inline: Token) => void,
): readonly Token[] {
  const ends = new Map(findBoxes(text).map(({ from, to }) => [from, to]))
  if (ends.size === 0) return tokens
  const open: Open[] = []
  const out: Token[] = []
  const close = () => {
    const { level, token } = open.pop()!
    out.push(boxToken(token, { nesting: -1, level: level + open.length }))
  }
  for (const [i, token] of tokens.entries()) {
    while (open.length > 0 && isBehind(token, open.at(-1)!)) close()
    const { level, map } = token
    const to = token.type === 'paragraph_open' && map != null ? ends.get(map[0]) : undefined
    if (map != null && to !== undefined) {
      read(tokens[i + 1]!)
      out.push(
        boxToken(token, {
          nesting: 1,
          level: level + open.length,
          map: [map[0], to],
          attrs: [['class', classOf(tokens[i + 1]!)]],
        }),
      )
      open.push({ to, level, token })
      token.attrSet('class', titleClass)
      if (isTab(tokens[i + 1]!)) withoutColon(tokens[i + 1]!)
    }
    token.level = level + open.length
    out.push(token)
  }
  while (open.length > 0) close()
  return out
}

/** True if a token starts after a box, or closes a block around it. */
function isBehind({ level, nesting, map }: Token, box: Open): boolean {
  if (level !== box.level) return level < box.level
  return nesting >= 0 && map != null && map[0] >= box.to
}

function boxToken(like: Token, fields: Partial<Token>): Token {
  const token: Token = Object.create(Object.getPrototypeOf(like))
  const type = fields.nesting === 1 ? 'box_open' : 'box_close'
  return Object.assign(token, like, { attrs: null, map: null }, fields, { type, tag: 'div' })
}

function classOf(title: Token): string {
  return isTab(title) ? 'tab' : noteCssClass(leadingBoldText(title.children ?? []).name)
}

/** True if a title belongs to a tab (`Python:`) rather than a note (`**Note**`). */
function isTab({ children, content }: Token): boolean {
  return leadingBoldText(children ?? []).name === '' && content.trimEnd().endsWith(':')
}

function withoutColon({ children }: Token): void {
  const last = children?.at(-1)
  if (last?.type === 'text') last.content = last.content.trimEnd().replace(/:$/, '')
}
