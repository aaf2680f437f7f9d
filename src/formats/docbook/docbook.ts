import { heading, markdown, code, strong, paragraph } from '../../document/nodes.ts'
import { wordSet } from '../../document/word-set.ts'
import { toTitle } from '../../document/block-lines.ts'
import { notTextError } from '../decode.ts'
import type { GrowthLimit } from '../../document/growth.ts'
import type { DocumentBlock, Inline, Inlines } from '../../document/tree.ts'
import { writeInline, writeMarkdown } from '../../document/write-markdown.ts'
import {
  expandEntities,
  childElements,
  findChild,
  hiddenElements,
  isElement,
  parseDocbookTree,
  textContent,
  type DocbookElement,
} from './docbook-tree.ts'
import { docbookInline, type DocbookTitles } from './docbook-inline.ts'
import { docbookSignature, signatureElements } from './docbook-signature.ts'
import { parseEntityDeclarations } from './entity-declarations.ts'

type DocbookPage = { title: string | null; language: string | null; text: string }

const sections = wordSet(`
  set book part reference chapter preface appendix article glossary bibliography dedication section
  sect1 sect2 sect3 sect4 sect5 simplesect refentry refsect1 refsect2 refsect3 refsection
  refsynopsisdiv qandadiv classref exceptionref
`)

/**
 * Converts a DocBook document, or a chapter or section in its own file, to Markdown. Sections
 * become headings, and synopses become code. `variables` contains entities from the site.
 * @throws OgError with `path` if the file is not DocBook
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
  const titles = new Map<string, Inlines>()
  for (const root of roots) collectTitles(root, titles)
  const blocks = roots.flatMap((root) => sectionBlocks(root, { level: 1, titles }))
  return {
    title: writeInline(titleOf(first, titles)) || null,
    language: first.attributes['xml:lang'] ?? first.attributes.lang ?? null,
    text: `${writeMarkdown(blocks)}\n`,
  }
}

type DocbookFile = {
  path: string
  variables?: ReadonlyMap<string, string> | undefined
  growth: GrowthLimit
}

type Place = {
  /** The level of the current section's heading. */
  level: number
  titles: DocbookTitles
}

const idOf = ({ attributes }: DocbookElement) => attributes['xml:id'] ?? attributes.id

function collectTitles(element: DocbookElement, titles: Map<string, Inlines>): void {
  const id = idOf(element)
  const title = id === undefined ? [] : titleOf(element, titles)
  if (id !== undefined && title.length > 0) titles.set(id, title)
  for (const child of childElements(element)) collectTitles(child, titles)
}

/** Returns the title of an element. For a manual page, it consists of the described names. */
function titleOf(element: DocbookElement, titles: DocbookTitles): Inline[] {
  const metadata = childElements(element).find(({ name }) => /info$/.test(name))
  const own = findChild(element, 'title') ?? (metadata && findChild(metadata, 'title'))
  if (own) return docbookInline(own, titles)
  if (element.name === 'varlistentry') return termsOf(element, titles)
  return namesOf(findChild(element, 'refnamediv'), { name: /^refname$/, titles })
}

/** Returns the titles of an element that starts no section as a paragraph. */
function titleBlocks(element: DocbookElement, { titles }: Place): DocumentBlock[] {
  const title = titleOf(element, titles)
  return title.length === 0 ? [] : [paragraph(strong(...title))]
}

function namesOf(
  element: DocbookElement | undefined,
  { name, titles }: { name: RegExp; titles: DocbookTitles },
): Inline[] {
  const matches = element ? childElements(element).filter((child) => name.test(child.name)) : []
  return matches.flatMap((child, at) => [
    ...(at > 0 ? [', '] : []),
    ...docbookInline(child, titles),
  ])
}

function sectionBlocks(section: DocbookElement, { level, titles }: Place): DocumentBlock[] {
  const title = titleOf(section, titles)
  if (title.length === 0 && section.name === 'refsynopsisdiv') title.push('Synopsis')
  return [heading(level, title), ...blocksOf(section, { level: level + 1, titles })]
}

/** Converts the content of an element to blocks. Text between blocks becomes a paragraph. */
function blocksOf(element: DocbookElement, place: Place): DocumentBlock[] {
  const blocks: DocumentBlock[] = []
  let run: (DocbookElement | string)[] = []
  const endRun = () => {
    const words = docbookInline({ children: run }, place.titles)
    if (words.some((word) => typeof word !== 'string' || word.trim() !== '')) {
      blocks.push(paragraph(...words))
    }
    run = []
  }
  for (const node of element.children) {
    if (isElement(node) && hiddenElements.has(node.name)) continue
    const inner = isElement(node) ? elementBlocks(node, place) : null
    if (inner === null) run.push(node)
    else {
      endRun()
      blocks.push(...inner)
    }
  }
  endRun()
  return blocks
}

/** Converts an element to blocks. Returns null for an inline element. */
function elementBlocks(element: DocbookElement, place: Place): DocumentBlock[] | null {
  const { name, attributes } = element
  if (sections.has(name)) return sectionBlocks(element, place)
  if (signatureElements.has(name)) return [code(docbookSignature(element))]
  if (name === 'footnote' || (name === 'simplelist' && attributes.type === 'inline')) return null
  const read = blockReaders.get(name)
  if (read) return read(element, place)
  if (isInTextOnly(element)) return null
  return [...titleBlocks(element, place), ...blocksOf(element, place)]
}

/** True if an unknown element is inline, because it contains no blocks. */
function isInTextOnly(element: DocbookElement): boolean {
  return !childElements(element).some(
    (child) =>
      blockReaders.has(child.name) ||
      signatureElements.has(child.name) ||
      sections.has(child.name) ||
      !isInTextOnly(child),
  )
}

type BlockReader = (element: DocbookElement, place: Place) => DocumentBlock[]

const listing: BlockReader = (element) => {
  const { language, role = '' } = element.attributes
  const name = language ?? (/^[a-z+#-]{1,12}$/i.test(role) ? role : '')
  return [code(textContent(element).replace(/^[ \t]+(?=\n)/, ''), name.toLowerCase())]
}

const admonition: BlockReader = (element, place) => {
  const title = titleOf(element, place.titles)
  const label = title.length > 0 ? title : [toTitle(element.name)]
  return [{ type: 'box', title: [strong(...label)], children: blocksOf(element, place) }]
}

const list =
  (start: number | null, name: RegExp): BlockReader =>
  (element, place) => {
    const children = childElements(element).filter((child) => name.test(child.name))
    const items = children.map((child) => blocksOf(child, place))
    return [...titleBlocks(element, place), { type: 'list', start, items }]
  }

const bullets = list(null, /^(?:listitem|member|callout)$/)
const steps = list(1, /^(?:listitem|step|callout)$/)

/** Converts terms and explanations. An entry with an id can be a target, so it has a heading. */
const terms: BlockReader = (element, place) =>
  childElements(element).flatMap((entry): DocumentBlock[] => {
    if (!/^(?:varlistentry|glossentry|glossdiv)$/.test(entry.name)) return []
    if (entry.name === 'glossdiv') return terms(entry, place)
    const { level } = place
    const term = termsOf(entry, place.titles)
    const below = childElements(entry).filter(({ name }) => /^(?:listitem|glossdef)$/.test(name))
    const hasId = idOf(entry) !== undefined
    const inner = below.flatMap((item) =>
      blocksOf(item, hasId ? { ...place, level: level + 1 } : place),
    )
    if (hasId) return [heading(level, term), ...inner]
    const [first, ...rest] = inner
    const item =
      first?.type === 'paragraph'
        ? [paragraph(...term, ': ', ...first.children), ...rest]
        : [paragraph(...term, ':'), ...inner]
    return [{ type: 'list', start: null, items: [item] }]
  })

const termsOf = (entry: DocbookElement, titles: DocbookTitles) =>
  namesOf(entry, { name: /^(?:gloss)?term$/, titles })

const table: BlockReader = (element, place) => {
  const groups = childElements(element).filter(({ name }) => name === 'tgroup')
  const tables = (groups.length > 0 ? groups : [element]).map((group): DocumentBlock => {
    const head = rowsOf(group, /^thead$/)
    const body = rowsOf(group, /^(?:tbody|tfoot)$/)
    const rows = head.length + body.length > 0 ? [...head, ...body] : directRows(group)
    const cells = rows.map((row) =>
      childElements(row)
        .filter(({ name }) => /^(?:entry|entrytbl|td|th)$/.test(name))
        .map((cell) => [markdown(writeMarkdown(blocksOf(cell, { ...place, level: 6 })))]),
    )
    return { type: 'table', rows: cells, hasHeader: head.length > 0 }
  })
  return [...titleBlocks(element, place), ...tables]
}

function rowsOf(group: DocbookElement, part: RegExp): DocbookElement[] {
  return childElements(group)
    .filter(({ name }) => part.test(name))
    .flatMap(directRows)
}

function directRows(part: DocbookElement): DocbookElement[] {
  return childElements(part).filter(({ name }) => name === 'row' || name === 'tr')
}

const blockReaders: ReadonlyMap<string, BlockReader> = new Map(
  Object.entries<BlockReader>({
    para: blocksOf,
    simpara: blocksOf,
    listitem: blocksOf,
    answer: blocksOf,
    question: (element, place) => {
      const [first, ...rest] = blocksOf(element, place)
      if (first?.type !== 'paragraph') return first ? [first, ...rest] : []
      return [paragraph(strong(...first.children)), ...rest]
    },
    programlisting: listing,
    screen: listing,
    synopsis: listing,
    literallayout: listing,
    funcsynopsisinfo: listing,
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
    blockquote: (element, place) => [{ type: 'blockquote', children: blocksOf(element, place) }],
    bridgehead: (element, { titles }) => [paragraph(strong(...docbookInline(element, titles)))],
    refnamediv: (element, { titles }) => [
      paragraph(...namesOf(element, { name: /^refpurpose$/, titles })),
    ],
  }),
)
