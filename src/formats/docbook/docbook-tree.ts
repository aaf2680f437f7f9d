import { Parser } from 'htmlparser2'
import type { GrowthLimit } from '../../document/growth.ts'
import { wordSet } from '../../document/word-set.ts'
import { unreadableError } from '../decode.ts'

/** An XML element without namespace prefix. */
export type DocbookElement = {
  name: string
  attributes: Readonly<Record<string, string>>
  children: (DocbookElement | string)[]
}

/** Books nest a few dozen elements. htmlparser2 needs more time for deeper nesting. */
const deepest = 200

/**
 * Parses XML, even if it is not well-formed, into a tree whose root has an empty name.
 * @throws OgError with `path` if the elements are nested too deeply
 */
export function parseDocbookTree(xml: string, path: string): DocbookElement {
  const root: DocbookElement = { name: '', attributes: {}, children: [] }
  const open = [root]
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        if (open.length > deepest) {
          throw unreadableError(path, `its elements are nested more than ${deepest} deep`)
        }
        const element = { name: name.replace(/^.*:/, ''), attributes, children: [] }
        open.at(-1)!.children.push(element)
        open.push(element)
      },
      ontext(text) {
        open.at(-1)!.children.push(text)
      },
      onclosetag() {
        if (open.length > 1) open.pop()
      },
    },
    { xmlMode: true },
  )
  parser.end(xml)
  return root
}

export function isElement(node: DocbookElement | string): node is DocbookElement {
  return typeof node !== 'string'
}

export function childElements({ children }: DocbookElement): DocbookElement[] {
  return children.filter(isElement)
}

export function findChild(element: DocbookElement, name: string): DocbookElement | undefined {
  return childElements(element).find((child) => child.name === name)
}

/** Returns the text in an element with its line breaks. */
export function textContent(node: DocbookElement | string): string {
  if (!isElement(node)) return node
  return hiddenElements.has(node.name) ? '' : node.children.map(textContent).join('')
}

/** Elements without visible text: index terms, metadata and callout marks. */
export const hiddenElements = wordSet(`
  indexterm anchor co remark footnoteref refmeta info bookinfo chapterinfo sectioninfo sect1info
  refentryinfo articleinfo title titleabbrev subtitle refclass revhistory imageobject index toc
  include
`)

/** Maximum nesting of entities. */
const deepestEntity = 8

/**
 * Replaces entities outside CDATA sections and comments. HTML entities become characters, and
 * unknown entities are removed. The parser itself replaces the five XML entities.
 */
export function expandEntities(
  xml: string,
  { entities, growth }: { entities: ReadonlyMap<string, string>; growth: GrowthLimit },
): string {
  const expand = (text: string, depth: number): string =>
    text.replace(/&([A-Za-z_][\w.:-]*);/g, (reference, name: string) => {
      if (ofXml.has(name)) return reference
      const value = entities.get(name)
      if (value === undefined) return htmlCharacter(name)
      if (depth >= deepestEntity || !growth.take(value.length)) return ''
      return expandMarkup(value, (part) => expand(part, depth + 1))
    })
  return expandMarkup(xml, (part) => expand(part, 0))
}

const ofXml = new Set(['amp', 'lt', 'gt', 'quot', 'apos'])

/** An unclosed comment or CDATA section extends to the end. */
const unexpanded = /(<!--[^]*?(?:-->|(?![^]))|<!\[CDATA\[[^]*?(?:\]\]>|(?![^])))/

/** Applies `expand` to text outside CDATA sections. Removes comments. */
function expandMarkup(xml: string, expand: (text: string) => string): string {
  const parts = xml
    .split(unexpanded)
    .map((part, at) => (at % 2 === 0 ? expand(part) : part.startsWith('<!--') ? '' : part))
  return parts.join('')
}

/** Returns the character of an HTML entity, or '' if it is unknown. */
function htmlCharacter(name: string): string {
  let text = ''
  const parser = new Parser({ ontext: (part) => (text += part) })
  parser.end(`&${name};`)
  return text.startsWith('&') && text.length > 1 ? '' : text
}
