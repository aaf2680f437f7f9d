import { notTextError } from '../decode.ts'
import { fenceCode } from '../../document/fence.ts'
import type { GrowthLimit } from '../../document/growth.ts'
import { expandEntities } from './docbook-entities.ts'
import { docbookInline, type DocbookTitles } from './docbook-inline.ts'
import { docbookSignature, signatureElements } from './docbook-signature.ts'
import { docbookTable } from './docbook-table.ts'
import { parseEntityDeclarations } from './entity-declarations.ts'
import {
  childElements,
  findChild,
  hiddenElements,
  isElement,
  parseDocbookTree,
  textContent,
  type DocbookElement,
} from './docbook-tree.ts'

type DocbookPage = { title: string | null; language: string | null; text: string }

const sections = new Set(
  (
    'set book part reference chapter preface appendix article glossary bibliography dedication ' +
    'section sect1 sect2 sect3 sect4 sect5 simplesect refentry refsect1 refsect2 refsect3 ' +
    'refsection refsynopsisdiv qandadiv classref exceptionref'
  ).split(' '),
)

/**
 * Converts a DocBook document, or a chapter or section in its own file, to Markdown: sections
 * become headings, synopses become code. `variables` are entities that the site declares. Throws
 * OgError naming `path` if the file is not DocBook.
 */
export function parseDocbook(
  xml: string,
  { path, variables = new Map(), growth }: DocbookFile,
): DocbookPage {
  const own = xml.includes('<!ENTITY') ? parseEntityDeclarations(xml) : []
  const entities = new Map([...variables, ...own])
  const roots = childElements(parseDocbookTree(expandEntities(xml, { entities, growth }), path))
  const [first] = roots
  if (first === undefined || !sections.has(first.name)) {
    throw notTextError(path, 'XML that is not a DocBook document')
  }
  const titles = new Map<string, string>()
  for (const root of roots) collectTitles(root, titles)
  const blocks = roots.flatMap((root) => sectionBlocks(root, { level: 1, titles }))
  return {
    title: titleOf(first, titles) || null,
    language: first.attributes['xml:lang'] ?? first.attributes.lang ?? null,
    text: `${blocks.join('\n\n')}\n`,
  }
}

type DocbookFile = {
  path: string
  variables?: ReadonlyMap<string, string> | undefined
  growth: GrowthLimit
}

type Place = {
  /** The level of the heading that a section gets here. */
  level: number
  titles: DocbookTitles
}

const idOf = ({ attributes }: DocbookElement) => attributes['xml:id'] ?? attributes.id

function collectTitles(element: DocbookElement, titles: Map<string, string>): void {
  const id = idOf(element)
  const title = id === undefined ? '' : titleOf(element, titles)
  if (id !== undefined && title !== '') titles.set(id, title)
  for (const child of childElements(element)) collectTitles(child, titles)
}

/** The title of an element; for a page of a manual, the names that it describes. */
function titleOf(element: DocbookElement, titles: DocbookTitles): string {
  const own = findChild(element, 'title')
  if (own) return docbookInline(own, titles)
  const metadata = childElements(element).find(({ name }) => /info$/.test(name))
  const inMetadata = metadata && findChild(metadata, 'title')
  if (inMetadata) return docbookInline(inMetadata, titles)
  if (element.name === 'varlistentry') return termsOf(element, titles)
  const names = childElements(findChild(element, 'refnamediv') ?? noElement)
  return names
    .filter(({ name }) => name === 'refname')
    .map((name) => docbookInline(name, titles))
    .join(', ')
}

const noElement: DocbookElement = { name: '', attributes: {}, children: [] }

function sectionBlocks(section: DocbookElement, { level, titles }: Place): string[] {
  const title = titleOf(section, titles) || (section.name === 'refsynopsisdiv' ? 'Synopsis' : '')
  const heading = title === '' ? [] : [`${'#'.repeat(Math.min(6, level))} ${title}`]
  return [...heading, ...blocksOf(section, { level: level + 1, titles })]
}

/** The blocks of Markdown for the content of an element. Text between blocks is a paragraph. */
function blocksOf(element: DocbookElement, place: Place): string[] {
  const blocks: string[] = []
  let run: (DocbookElement | string)[] = []
  const endRun = () => {
    const text = docbookInline({ ...noElement, children: run }, place.titles)
    if (text !== '') blocks.push(text)
    run = []
  }
  for (const node of element.children) {
    if (isElement(node) && hiddenElements.has(node.name)) continue
    const found = isElement(node) ? elementBlocks(node, place) : null
    if (found === null) run.push(node)
    else {
      endRun()
      blocks.push(...found)
    }
  }
  endRun()
  return blocks
}

/** The blocks of an element; null if it is part of a paragraph. */
function elementBlocks(element: DocbookElement, place: Place): string[] | null {
  const { name, attributes } = element
  const { titles } = place
  if (sections.has(name)) return sectionBlocks(element, place)
  if (signatureElements.has(name)) return present(fenceCode(docbookSignature(element), ''))
  if (name === 'footnote' || (name === 'simplelist' && attributes.type === 'inline')) return null
  const write = blockWriters.get(name)
  if (write) return write(element, place)
  if (isInTextOnly(element)) return null
  const title = titleOf(element, titles)
  return [...(title === '' ? [] : [`**${title}**`]), ...blocksOf(element, place)]
}

/** Whether an unknown element is part of a paragraph: it contains no blocks. */
function isInTextOnly(element: DocbookElement): boolean {
  return !childElements(element).some(
    (child) =>
      blockWriters.has(child.name) ||
      signatureElements.has(child.name) ||
      sections.has(child.name) ||
      !isInTextOnly(child),
  )
}

type BlockWriter = (element: DocbookElement, place: Place) => string[]

const code: BlockWriter = (element) => {
  const { language, role = '' } = element.attributes
  const name = language ?? (/^[a-z+#-]{1,12}$/i.test(role) ? role : '')
  return present(fenceCode(textContent(element).replace(/^[ \t]+(?=\n)/, ''), name.toLowerCase()))
}

const paragraphs: BlockWriter = (element, place) => blocksOf(element, place)

const admonition: BlockWriter = (element, place) => {
  const { name } = element
  const label = titleOf(element, place.titles) || name[0]!.toUpperCase() + name.slice(1)
  return [quoted([`**${label}**`, ...blocksOf(element, place)])]
}

const items =
  (mark: (at: number) => string, name: RegExp): BlockWriter =>
  (element, place) => {
    const list = childElements(element).filter((child) => name.test(child.name))
    const title = titleOf(element, place.titles)
    const shown = list.map((item, at) => listItem(mark(at), blocksOf(item, place)))
    return [...(title === '' ? [] : [`**${title}**`]), ...present(shown.join('\n'))]
  }

const bullets = items(() => '- ', /^(?:listitem|member|callout)$/)
const steps = items((at) => `${at + 1}. `, /^(?:listitem|step|callout)$/)

/** Terms and their explanations. An entry with an id is a target of links and gets a heading. */
const terms: BlockWriter = (element, place) =>
  childElements(element).flatMap((entry) => {
    if (!/^(?:varlistentry|glossentry|glossdiv)$/.test(entry.name)) return []
    if (entry.name === 'glossdiv') return terms(entry, place)
    const { level } = place
    const term = termsOf(entry, place.titles)
    const below = childElements(entry).filter(({ name }) => /^(?:listitem|glossdef)$/.test(name))
    if (idOf(entry) === undefined) {
      const [first = '', ...rest] = below.flatMap((item) => blocksOf(item, place))
      const isProse = /^[^#>|\-\d~`]|^`[^`]/.test(first)
      return [
        listItem('- ', isProse ? [`${term}: ${first}`, ...rest] : [`${term}:`, first, ...rest]),
      ]
    }
    const inner = below.flatMap((item) => blocksOf(item, { ...place, level: level + 1 }))
    return [`${'#'.repeat(Math.min(6, level))} ${term}`, ...inner]
  })

function termsOf(entry: DocbookElement, titles: DocbookTitles): string {
  return childElements(entry)
    .filter(({ name }) => name === 'term' || name === 'glossterm')
    .map((term) => docbookInline(term, titles))
    .join(', ')
}

const table: BlockWriter = (element, { titles }) => {
  const title = titleOf(element, titles)
  return [
    ...(title === '' ? [] : [`**${title}**`]),
    ...docbookTable(element, (cell) => blocksOf(cell, { level: 6, titles }).join(' ')),
  ]
}

const blockWriters: ReadonlyMap<string, BlockWriter> = new Map(
  Object.entries<BlockWriter>({
    para: paragraphs,
    simpara: paragraphs,
    listitem: paragraphs,
    answer: paragraphs,
    question: (element, place) => {
      const [first = '', ...rest] = blocksOf(element, place)
      return [`**${first}**`, ...rest]
    },
    programlisting: code,
    screen: code,
    synopsis: code,
    literallayout: code,
    funcsynopsisinfo: code,
    itemizedlist: bullets,
    simplelist: bullets,
    calloutlist: steps,
    orderedlist: steps,
    procedure: steps,
    substeps: steps,
    variablelist: terms,
    glosslist: terms,
    table,
    informaltable: table,
    note: admonition,
    tip: admonition,
    warning: admonition,
    caution: admonition,
    important: admonition,
    blockquote: (element, place) => [quoted(blocksOf(element, place))],
    bridgehead: (element, { titles }) => [`**${docbookInline(element, titles)}**`],
    refnamediv: (element, { titles }) => {
      const purpose = findChild(element, 'refpurpose')
      return purpose ? present(docbookInline(purpose, titles)) : []
    },
  }),
)

function present(block: string): string[] {
  return block === '' ? [] : [block]
}

function quoted(blocks: readonly string[]): string {
  return blocks
    .join('\n\n')
    .split('\n')
    .map((line) => (line === '' ? '>' : `> ${line}`))
    .join('\n')
}

function listItem(mark: string, blocks: readonly string[]): string {
  const indent = ' '.repeat(mark.length)
  const [first = '', ...rest] = blocks.join('\n\n').split('\n')
  return [`${mark}${first}`, ...rest.map((line) => (line === '' ? '' : indent + line))].join('\n')
}
