import { wordSet } from '../../document/word-set.ts'
import { Parser } from 'htmlparser2'
import { unreadableError } from '../decode.ts'

/** An element of an XML document, without its namespace prefix. */
export type DocbookElement = {
  name: string
  attributes: Readonly<Record<string, string>>
  children: (DocbookElement | string)[]
}

/** Books nest a few dozen elements; the time of htmlparser2 grows with the depth. */
const deepest = 200

/**
 * Reads well-formed or broken XML into a tree, whose root has an empty name. Throws OgError naming
 * `path` if the elements are nested too deep.
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

/** The text of an element, with its line breaks. */
export function textContent(node: DocbookElement | string): string {
  if (!isElement(node)) return node
  return hiddenElements.has(node.name) ? '' : node.children.map(textContent).join('')
}

/** Elements without text to show: terms for an index, metadata, marks of callouts. */
export const hiddenElements = wordSet(`
  indexterm anchor co remark footnoteref refmeta info bookinfo chapterinfo sectioninfo sect1info
  refentryinfo articleinfo title titleabbrev subtitle refclass revhistory imageobject index toc
  include
`)
