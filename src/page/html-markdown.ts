import TurndownService from 'turndown'
import type { HtmlElement } from './article.ts'
import { fenced } from './fence.ts'

/**
 * An element as Markdown: ATX headings, fences with their language, tables with pipes,
 * admonitions as quotes that open with their title. Relative links stay relative.
 */
export function htmlMarkdown(element: HtmlElement): string {
  for (const table of element.querySelectorAll('table')) flattenTable(table)
  for (const code of element.querySelectorAll('pre')) flattenCode(code)
  const markdown = converter().turndown(element as unknown as TurndownService.Node)
  return `${markdown.replace(/[ \t]+$/gm, '').replace(/\n{3,}/g, '\n\n').trim()}\n`
}

type Rule = { filter: string; replacement: (content: string, element: HtmlElement) => string }

/** The first rule whose selector matches wins. */
const rules: Rule[] = [
  { filter: 'pre', replacement: (_, pre) => `\n\n${listing(pre)}\n\n` },
  { filter: 'h1, h2, h3, h4, h5, h6', replacement: heading },
  { filter: 'td, th', replacement: (content) => ` ${cell(content)} |` },
  { filter: 'tr',
    replacement: (content, row) => `\n|${content}${isFirstRow(row) ? border(row) : ''}` },
  { filter: 'thead, tbody, tfoot, colgroup', replacement: (content) => content },
  { filter: 'table', replacement: (content) => `\n\n${content.trim()}\n\n` },
  { filter: '.admonition-title, .custom-block-title, .starlight-aside__title, summary, dt',
    replacement: (content) => content.trim() === '' ? '' : `\n\n${strong(content.trim())}\n\n` },
  { filter: '.admonition, .custom-block, .theme-admonition, .starlight-aside, .callout',
    replacement: (content) => `\n\n${quoted(content.trim())}\n\n` },
  { filter: 'dt.sig', replacement: (_, signature) => `\n\n${code(signature)}\n\n` },
  { filter: 'li', replacement: listItem },
  { filter: 'input[type=checkbox]',
    replacement: (_, box) => box.getAttribute('checked') === null ? '[ ]' : '[x]' },
  { filter: 'img', replacement: (_, image) => imageText(image) },
  { filter: 'mark, label, abbr, a[role^=doc-]', replacement: (content) => content },
]

function converter(): TurndownService {
  const service = new TurndownService({
    headingStyle: 'atx', emDelimiter: '*', hr: '---',
  })
  for (const { filter, replacement } of rules) {
    service.addRule(filter, {
      filter: (element) => (element as unknown as HtmlElement).matches(filter),
      replacement: (content, element) => replacement(content, element as unknown as HtmlElement),
    })
  }
  service.escape = escaped
  return service
}

const blockOpening = /^(\s*)(?=#{1,6}\s|`{3}|~{3}|<(?:!--|pre|script|style|h[1-6])|[-=]{2,}\s*$)/i

/** Turndown escapes `snake\_case`, which breaks searching; only what opens a block is escaped. */
function escaped(text: string): string {
  return text.replace(blockOpening, '$1\\')
}

function code(element: HtmlElement): string {
  const source = (element.textContent ?? '').replace(/\s+/g, ' ').trim()
  return source.includes('`') ? source : `\`${source}\``
}

function listItem(content: string, item: HtmlElement): string {
  const items = item.parentNode?.nodeName === 'OL' ? [...item.parentNode.children] : []
  const first = Number(item.parentNode?.getAttribute('start') ?? 1) || 1
  const marker = items.length > 0 ? `${first + items.indexOf(item)}. ` : '- '
  const lines = content.trim().replace(/\n(?=[^\n])/g, `\n${' '.repeat(marker.length)}`)
  return `${marker}${lines}\n`
}

function heading(content: string, element: HtmlElement): string {
  const title = content.replace(/\[([^[\]]*)\]\(#[^)]*\)/g, '$1').replace(/\s+/g, ' ').trim()
  return title === '' ? '' : `\n\n${'#'.repeat(Number(element.nodeName[1]))} ${title}\n\n`
}

function strong(title: string): string {
  return /\*\*|\n/.test(title) ? title : `**${title}**`
}

function quoted(content: string): string {
  return content.replace(/\n{3,}/g, '\n\n').replace(/^/gm, '> ').replace(/^> $/gm, '>')
}

function imageText(image: HtmlElement): string {
  const alt = (image.getAttribute('alt') ?? '').replace(/\s+/g, ' ').trim()
  const source = image.getAttribute('src') ?? ''
  if (source === '' || source.startsWith('data:')) return alt
  return `![${alt}](${source.replaceAll(' ', '%20')})`
}

function cell(content: string): string {
  return content.trim().replace(/(?<!\\)\|/g, '\\|').replace(/\s*\n\s*/g, '<br>')
}

function isFirstRow(row: HtmlElement): boolean {
  return row.closest('table')?.querySelector('tr') === row
}

function border(row: HtmlElement): string {
  return `\n|${' --- |'.repeat([...row.querySelectorAll('td, th')].length)}`
}

/** Tables that only place things, code and its line numbers or whole blocks, become blocks. */
function flattenTable(table: HtmlElement): void {
  if (!table.querySelector('pre, table, h1, h2, h3')) return
  for (const part of [...table.querySelectorAll('thead, tbody, tfoot, tr, td, th')]) asBlock(part)
  asBlock(table)
}

function asBlock(element: HtmlElement): void {
  const block = element.ownerDocument.createElement('div')
  while (element.firstChild) block.insertBefore(element.firstChild, null)
  element.replaceWith(block)
}

const languageAttribute = 'data-og-language'

/** Highlighters break code into elements; what they show as lines must become lines. */
function flattenCode(code: HtmlElement): void {
  for (const line of code.querySelectorAll('br')) line.replaceWith('\n')
  const lines = [...code.querySelectorAll('.line, .token-line, [data-line]')]
  const source = code.textContent ?? ''
  const isOneLine = lines.length > 1 && !source.trim().includes('\n')
  code.setAttribute(languageAttribute, languageOf(code))
  code.textContent = isOneLine ? lines.map((line) => line.textContent ?? '').join('\n') : source
}

function listing(pre: HtmlElement): string {
  return fenced(pre.textContent ?? '', pre.getAttribute(languageAttribute) ?? '')
}

const languageClass =
  /(?:^|\s)(?:language-|lang-|highlight-source-|highlight-|brush:\s*)([\w+#.-]{1,30})(?=\s|$|;)/

/** The language stands on the code, on its `pre`, or on one of the boxes around. */
function languageOf(code: HtmlElement): string {
  const inner = code.querySelector('code')
  const boxes = [inner, code, code.parentNode, code.parentNode?.parentNode]
  for (const box of boxes) {
    const named = box?.getAttribute?.('data-language') ?? box?.getAttribute?.('data-lang')
    const language = named ?? languageClass.exec(box?.getAttribute?.('class') ?? '')?.[1]
    if (language && !/^(?:default|none|text|plaintext|notranslate|no-?highlight)$/.test(language)) {
      return /^[\w+#.-]{1,30}$/.test(language) ? language.toLowerCase() : ''
    }
  }
  return ''
}
