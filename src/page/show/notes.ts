import type { Token } from 'markdown-it'
import { wordSet } from '../../document/word-set.ts'
import { escapeHtml } from './safe-html.ts'

/** The kinds of notes in all formats. */
const kinds = new Set([
  ...wordSet('note tip hint info important warning caution danger attention error'),
  'see also',
])

/** The class of a note's title. `safeHtml` allows it. */
export const titleClass = 'note-title'
const noteClass = 'note'

/** Kinds of notes with the colour of warnings. */
const warnings = new Set(['warning', 'caution', 'danger', 'attention', 'error'])

/**
 * Sets the class of each note. A note is a quote that starts with `[!NOTE]`, as on GitHub, or with
 * `**Note**`, as our parsers write it. It can also be a paragraph that starts with `**Note:**` or
 * consists of `**Note**`.
 */
export function markNotes(tokens: readonly Token[]): void {
  for (const [i, token] of tokens.entries()) {
    const isQuotation = token.type === 'blockquote_open'
    // The first block of the quote can be a box.
    const boxes = isQuotation && tokens[i + 1]?.type === 'box_open' ? 1 : 0
    const inline = tokens[i + (isQuotation ? 2 + boxes : 1)]
    if (inline?.type !== 'inline' || inline.children === null) continue
    if (isQuotation) markQuotation(token, inline.children)
    else if (token.type === 'paragraph_open') markParagraph(token, inline.children)
  }
}

function markQuotation(quotation: Token, children: Token[]): void {
  const { name, isAlone } = leadingBoldText(children)
  if (isAlone && isKind(name)) quotation.attrSet('class', noteCssClass(name))
  else markAlert(quotation, children)
}

/** Marks `[!NOTE]` with an optional title, as in VitePress and Obsidian. */
function markAlert(quotation: Token, children: Token[]): void {
  const [first] = children
  const [, kind = '', title = ''] =
    /^\[!([a-z]{3,9})\][+-]?[ \t]*(.*)$/i.exec(first?.content ?? '') ?? []
  if (first?.type !== 'text' || !kinds.has(kind.toLowerCase())) return
  const end = children.findIndex(({ type }) => type === 'softbreak' || type === 'hardbreak')
  // Markup in the title is in later tokens.
  const isTitled = title !== '' || (end < 0 ? children.length : end) > 1
  const words = isTitled ? title : `${kind[0]!.toUpperCase()}${kind.slice(1).toLowerCase()}`
  quotation.attrSet('class', noteCssClass(kind))
  first.type = 'html_inline'
  first.content = `<strong>${escapeHtml(words)}`
  const last = end < 0 ? asMarkup(first) : children[end]!
  last.type = 'html_inline'
  last.content = end < 0 ? '</strong>' : '</strong><br>\n'
  if (end < 0) children.push(last)
}

function asMarkup(like: Token): Token {
  return Object.assign(Object.create(Object.getPrototypeOf(like)) as Token, like)
}

function markParagraph(paragraph: Token, children: readonly Token[]): void {
  // A paragraph with a class is a box title.
  if (paragraph.attrGet('class') !== null) return
  const { name, isAlone } = leadingBoldText(children)
  if (isKind(name)) paragraph.attrSet('class', isAlone ? titleClass : noteCssClass(name))
}

/** Returns the bold text at the start of a paragraph, and whether it is the whole paragraph. */
export function leadingBoldText(children: readonly Token[]): { name: string; isAlone: boolean } {
  const all = children.filter(({ type, content }) => type !== 'text' || content !== '')
  const [open, name, close, ...rest] = all
  const isStrong = open?.type === 'strong_open' && close?.type === 'strong_close'
  const words = isStrong && name?.type === 'text' ? name.content : ''
  return { name: words.replace(/[:.!]$/, '').toLowerCase(), isAlone: rest.length === 0 }
}

function isKind(name: string): boolean {
  return kinds.has(name)
}

export function noteCssClass(kind: string): string {
  return warnings.has(kind.toLowerCase()) ? `${noteClass} warns` : noteClass
}
