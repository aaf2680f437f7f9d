import { emptyDocstring, type Docstring } from '../docstring/docstring.ts'
import { javadocHtmlToMarkdown } from './html-markdown.ts'
import type { Annotation, GrammarRules } from './read-tree.ts'

export const csharpRules: GrammarRules = {
  comment: readComment,
  leftOut: new Set(['attribute_list']),
  hasOverloads: true,
}

function readComment(text: string): Annotation | null {
  if (text.startsWith('[')) {
    const [, notice = ''] = /^\[\s*Obsolete(?:\s*\(\s*@?"([^"\n]{0,500}))?/.exec(text) ?? [null]
    const isObsolete = /\bObsolete\b/.test(text)
    return isObsolete ? { of: 'previous', doc: { ...emptyDocstring(), deprecated: notice } } : null
  }
  if (!/^\/(?:\/\/|\*\*)(?![/*])/.test(text)) return null
  return { of: 'next', doc: parseXmlComment(text) }
}

/** Parses `///` lines, or a block that starts with `/**`. */
export function parseXmlComment(comment: string): Docstring {
  const doc = emptyDocstring()
  const xml = comment.replace(/^\/\*\*|\*\/$/g, '').replace(/^[ \t]*(?:\/\/\/|\*(?!\/)) ?/gm, '')
  const texts: string[] = []
  for (const { tag, attributes, body } of sectionsOf(xml)) {
    const name = plainReference(/(?:name|cref)\s*=\s*"([^"]*)"/.exec(attributes)?.[1] ?? '')
    const text = xmlToMarkdown(body)
    const item = { name, type: '', text: text.replace(/\s*\n\s*/g, ' ') }
    if (tag === 'param' || tag === 'typeparam') doc.parameters.push(item)
    else if (tag === 'exception') doc.raises.push(item)
    else if (tag === 'returns' || tag === 'value') doc.returns.push({ name: '', type: '', text })
    else if (tag === 'seealso') texts.push(name === '' ? text : `See \`${name}\`.`)
    else if (tag === 'example') texts.push(`**Example**\n\n${text}`)
    else if (/^(?:summary|remarks)$/.test(tag) && text !== '') texts.push(text)
  }
  doc.text = texts.join('\n\n')
  return doc
}

type Section = { tag: string; attributes: string; body: string }

/** Yields the outermost elements of a comment. Skips an element without an end tag. */
function* sectionsOf(xml: string): Generator<Section> {
  const open = /<(\w{1,20})\b([^<>]{0,500}?)(\/?)>/g
  const unclosed = new Set<string>()
  for (let match = open.exec(xml); match !== null; match = open.exec(xml)) {
    const [, tag = '', attributes = '', slash] = match
    const from = open.lastIndex
    const end = slash === '' && !unclosed.has(tag) ? xml.indexOf(`</${tag}>`, from) : -1
    if (slash === '' && end < 0) unclosed.add(tag)
    else yield { tag, attributes, body: slash === '' ? xml.slice(from, end) : '' }
    if (end >= 0) open.lastIndex = end
  }
}

/** Returns `Lamp.On` for `M:Acme.Lamp.On(System.Int32)`, and `List<T>` for `List{T}`. */
function plainReference(reference: string): string {
  const isFull = /^[A-Z]:/.test(reference)
  const path = reference
    .replace(/^[!A-Z]:/, '')
    .replace(/\{/g, '<')
    .replace(/\}/g, '>')
  return isFull ? path.replace(/\(.*$/, '').split('.').slice(-2).join('.') : path
}

/** Converts XML to the HTML of Javadoc, and the HTML to Markdown. */
function xmlToMarkdown(xml: string): string {
  const html = xml
    .replace(/<(\/?)code\b[^>]{0,200}>/g, '<$1pre>')
    .replace(reference, (_, attributes: string, text = '') => {
      const address = /\bhref\s*=\s*"([^"]*)"/.exec(attributes)?.[1]
      if (address !== undefined) return `<a href="${address}">${text || address}</a>`
      const name = /(?:cref|name|langword)\s*=\s*"([^"]*)"/.exec(attributes)?.[1] ?? ''
      return text || `<code>${escapeXml(plainReference(name))}</code>`
    })
    .replace(/<(\/?)(?:\w+)\b[^>]{0,200}>/g, (tag, slash: string) => {
      const element = elements[/\w+/.exec(tag)![0]]
      return element === undefined ? tag : `<${slash}${element}>`
    })
  return javadocHtmlToMarkdown(html, (_, body) => body, 'csharp')
}

const reference =
  /<(?:see|paramref|typeparamref)\b([^>]{0,500}?)(?:\/>|>([^<]{0,500})<\/\w{1,20}>)/g

/** The HTML element for each XML element. */
const elements: Readonly<Record<string, string>> = {
  c: 'code',
  para: 'p',
  list: 'ul',
  item: 'li',
  listheader: 'li',
  term: 'b',
}

function escapeXml(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;')
}
