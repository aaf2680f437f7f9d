import type { Token } from 'markdown-it'

/** What notes are called, in every dialect that pages are written in. */
const kinds = new Set([
  'note', 'tip', 'hint', 'info', 'important', 'warning', 'caution', 'danger', 'attention', 'error',
  'see also',
])

/** `safeHtml` lets these classes through. */
export const titleClass = 'note-title'
const noteClass = 'note'

/** Of these it is said in another colour that somebody may come to harm. */
const warnings = new Set(['warning', 'caution', 'danger', 'attention', 'error'])

/**
 * Notes stand out: quotations that begin with `[!NOTE]`, as GitHub has them, or with `**Note**`, as
 * sites are read; and paragraphs that begin with `**Note:**` or are nothing but `**Note**`.
 */
export function markNotes(tokens: readonly Token[]): void {
  for (const [i, token] of tokens.entries()) {
    const isQuotation = token.type === 'blockquote_open'
    // A box may begin the quotation.
    const boxes = isQuotation && tokens[i + 1]?.type === 'box_open' ? 1 : 0
    const inline = tokens[i + (isQuotation ? 2 + boxes : 1)]
    if (inline?.type !== 'inline' || inline.children === null) continue
    if (isQuotation) markQuotation(token, inline.children)
    else if (token.type === 'paragraph_open') markParagraph(token, inline.children)
  }
}

function markQuotation(quotation: Token, children: Token[]): void {
  const { name, isAlone } = strongStart(children)
  if (isAlone && isKind(name)) quotation.attrSet('class', classOfNote(name))
  else markAlert(quotation, children)
}

function markAlert(quotation: Token, [first, second]: Token[]): void {
  const [, kind] = /^\[!([a-z]{3,9})\]\s*$/i.exec(first?.content ?? '') ?? []
  if (first?.type !== 'text' || kind === undefined || !kinds.has(kind.toLowerCase())) return
  quotation.attrSet('class', classOfNote(kind))
  first.type = 'html_inline'
  first.content = `<strong>${kind[0]!.toUpperCase()}${kind.slice(1).toLowerCase()}</strong>`
  if (second?.type === 'softbreak') second.type = 'hardbreak'
}

function markParagraph(paragraph: Token, children: readonly Token[]): void {
  // The title of a box is nothing else.
  if (paragraph.attrGet('class') !== null) return
  const { name, isAlone } = strongStart(children)
  if (isKind(name)) paragraph.attrSet('class', isAlone ? titleClass : classOfNote(name))
}

/** The words in bold that a paragraph begins with, and whether it holds no others. */
export function strongStart(children: readonly Token[]): { name: string; isAlone: boolean } {
  const all = children.filter(({ type, content }) => type !== 'text' || content !== '')
  const [open, name, close, ...rest] = all
  const isStrong = open?.type === 'strong_open' && close?.type === 'strong_close'
  const words = isStrong && name?.type === 'text' ? name.content : ''
  return { name: words.replace(/[:.!]$/, '').toLowerCase(), isAlone: rest.length === 0 }
}

function isKind(name: string): boolean {
  return kinds.has(name)
}

export function classOfNote(kind: string): string {
  return warnings.has(kind.toLowerCase()) ? `${noteClass} warns` : noteClass
}

/**
 * Tabs and notes of components on lines of their own, in pages that no parser of MDX has read:
 * their names are shown.
 */
export function withoutComponents(content: string): string {
  return content.replace(component, (tag: string, slash: string, name: string) => {
    if (slash !== '') return ''
    const [, label] = /\s(?:label|title)=\{?["']([^"']*)["']/.exec(tag) ?? []
    const shown = label ?? (kinds.has(name.toLowerCase()) ? name : '')
    return shown === '' ? '' : `<p class="${titleClass}"><strong>${shown}</strong></p>`
  })
}

/** Capitals: in HTML there are none of these names. */
const component = /<(\/?)(TabItem|Tabs|Tab|CodeGroup|Note|Tip|Info|Warning|Caution)\b[^<>]*>/g
