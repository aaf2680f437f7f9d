import type { Token } from 'markdown-it'

/** What notes are called, in every dialect that pages are written in. */
const kinds = new Set([
  'note', 'tip', 'hint', 'info', 'important', 'warning', 'caution', 'danger', 'attention', 'error',
  'see also',
])

/** `safeHtml` lets these classes through. */
const [noteClass, titleClass] = ['note', 'note-title']

/**
 * Notes stand out: quotations of GitHub that begin with `[!NOTE]`, and paragraphs that begin with
 * `**Note:**` or are nothing but `**Note**`, which containers and directives have become.
 */
export function markNotes(tokens: readonly Token[]): void {
  for (const [i, token] of tokens.entries()) {
    const inline = tokens[i + (token.type === 'blockquote_open' ? 2 : 1)]
    if (inline?.type !== 'inline' || inline.children === null) continue
    if (token.type === 'blockquote_open') markAlert(token, inline.children)
    else if (token.type === 'paragraph_open') markParagraph(token, inline.children)
  }
}

function markAlert(quotation: Token, [first, second]: Token[]): void {
  const [, kind] = /^\[!([a-z]{3,9})\]\s*$/i.exec(first?.content ?? '') ?? []
  if (first?.type !== 'text' || kind === undefined || !kinds.has(kind.toLowerCase())) return
  quotation.attrSet('class', noteClass)
  first.type = 'html_inline'
  first.content = `<strong>${kind[0]!.toUpperCase()}${kind.slice(1).toLowerCase()}</strong>`
  if (second?.type === 'softbreak') second.type = 'hardbreak'
}

function markParagraph(paragraph: Token, children: readonly Token[]): void {
  const all = children.filter(({ type, content }) => type !== 'text' || content !== '')
  const [open, name, close, ...rest] = all
  const isStrong = open?.type === 'strong_open' && close?.type === 'strong_close'
  if (!isStrong || name?.type !== 'text') return
  const isKind = kinds.has(name.content.replace(/[:.!]$/, '').toLowerCase())
  if (isKind) paragraph.attrSet('class', rest.length === 0 ? titleClass : noteClass)
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
