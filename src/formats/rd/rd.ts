import {
  heading,
  emphasis,
  markdown,
  code,
  strong,
  link,
  inlineCode,
  paragraph,
} from '../../document/nodes.ts'
import { wordMap, wordSet } from '../../document/word-set.ts'
import { parseAttributes } from '../../document/attributes.ts'
import { notTextError } from '../decode.ts'
import type { DocumentBlock, DocumentBlocks, Inline } from '../../document/tree.ts'
import { writeMarkdown } from '../../document/write-markdown.ts'
import { parseRdTree, type RdMacro, type RdNode } from './rd-tree.ts'

type RdPage = { title: string; text: string }

/** Sections in the order of R's help. `section` stands for all sections with their own titles. */
const sections: readonly (readonly [string, string])[] = [
  ['description', 'Description'],
  ['usage', 'Usage'],
  ['arguments', 'Arguments'],
  ['format', 'Format'],
  ['details', 'Details'],
  ['value', 'Value'],
  ['section', ''],
  ['note', 'Note'],
  ['author', 'Author'],
  ['source', 'Source'],
  ['references', 'References'],
  ['seealso', 'See Also'],
  ['examples', 'Examples'],
]

/**
 * Converts an R help file to Markdown, with the sections in the order of R's help. The title ends
 * with the topic's name, as on pkgdown sites.
 * @throws OgError with `path` (`not-text`) if it is not a help file
 */
export function parseRd(text: string, path: string): RdPage {
  const tree = parseRdTree(text).filter(isMacro)
  const all = (name: string) => tree.filter((macro) => macro.name === name)
  const [name = '', title = ''] = ['name', 'title'].map((it) => oneLine(all(it)[0]))
  const blocks: DocumentBlock[] = []
  for (const [macro, title] of sections) {
    for (const [index, { args }] of all(macro).entries()) {
      const [first = [], second = []] = args
      const [words, content] = macro === 'section' ? [inline(first), second] : [[title], first]
      const text = codeText(content)
      const inner = isCode.has(macro)
        ? text.trim() === ''
          ? []
          : [code(text, 'r')]
        : blocksOf(content, { level: 3, list: macro })
      if (inner.length > 0) blocks.push(heading(2, words), ...inner)
      if (macro === 'usage' && index === 0) {
        blocks.push(...otherNames(all('alias').map(oneLine), { name, blocks }))
      }
    }
  }
  if (name === '' || title === '' || blocks.length === 0) {
    throw notTextError(path, 'not a help page of R')
  }
  return {
    title: title.startsWith(name) ? title : `${title} — ${name}`,
    text: `${writeMarkdown(blocks)}\n`,
  }
}

const isCode = new Set(['usage', 'examples'])

function isMacro(node: RdNode): node is RdMacro {
  return typeof node !== 'string'
}

function oneLine(macro: RdMacro | undefined): string {
  return codeText(macro?.args[0] ?? [])
    .replace(/\s+/g, ' ')
    .trim()
}

const mostNames = 20

/** Returns further names under which R finds the page. Omits names in its usage. */
function otherNames(
  aliases: readonly string[],
  { name, blocks }: { name: string; blocks: DocumentBlocks },
): DocumentBlock[] {
  const words = new Set(writeMarkdown(blocks).match(/[\w.]+/g))
  const others = aliases.filter((alias) => alias !== name && alias !== '' && !words.has(alias))
  if (others.length === 0) return []
  const names = others.slice(0, mostNames).flatMap((it) => [', ', inlineCode(it)])
  return [paragraph('Also ', ...names.slice(1), '.')]
}

function codeText(nodes: readonly RdNode[]): string {
  return nodes.map((node) => (isMacro(node) ? codeOf(node) : node)).join('')
}

function codeOf({ name, args }: RdMacro): string {
  // Reading a condition's arguments here too would double the work at each level.
  if (name === 'if' || name === 'ifelse') return codeText(branchOf({ name, args }))
  const [first = '', second = ''] = args.map(codeText)
  const text = codeTexts.get(name)
  if (text !== undefined) return text
  if (hiddenInCode.has(name)) return ''
  if (name === 'sspace') return ' '
  if (name === 'method' || name === 'S3method')
    return `## S3 method for class '${second}'\n${first}`
  if (name === 'S4method') return `## S4 method for signature '${second}'\n${first}`
  if (name === 'dontrun')
    return `## Not run:${first.startsWith('\n') ? '' : '\n'}${first.trimEnd()}\n## End(Not run)`
  if (name === 'href') return second
  return args.length === 0 ? `\\${name}` : first
}

const codeTexts = wordMap('dots:... ldots:... R:R LaTeX:LaTeX')
const hiddenInCode = wordSet('dontshow testonly out Sexpr')

/** Returns the branch of a condition for plain text, or else the branch for HTML. */
function branchOf({ name, args: [condition = [], content = [], other = []] }: RdMacro): RdNode[] {
  const formats = codeText(condition).split(',')
  const isText = formats.some((it) => /^\s*(?:text|example|TRUE)\s*$/.test(it))
  if (name === 'ifelse') return isText ? content : other
  return isText || formats.some((it) => it.trim() === 'html') ? content : []
}

type Place = {
  /** Level of a subsection's heading. */
  level: number
  /** The enclosing list macro. */
  list: string
}

const blockMacros = wordSet(
  'itemize enumerate describe tabular preformatted deqn subsection section item',
)

function blocksOf(nodes: readonly RdNode[], place: Place): DocumentBlock[] {
  const blocks: DocumentBlock[] = []
  // The items of the open list. Blocks are added to its last item, or to `blocks`.
  let items: DocumentBlock[][] = []
  let into = blocks
  let open: RdNode[] = []
  const flush = () => {
    into.push(...paragraphs(open))
    open = []
  }
  const endList = () => {
    if (items.length === 0) return
    blocks.push({ type: 'list', start: place.list === 'enumerate' ? 1 : null, items })
    items = []
    into = blocks
  }
  for (const node of nodes.flatMap(shownNodes)) {
    if (!isMacro(node) || !blockMacros.has(node.name)) {
      open.push(node)
      continue
    }
    flush()
    if (node.name === 'item' && node.args.length === 0) items.push((into = []))
    else if (node.name === 'item') items.push(namedItem(node, place))
    else {
      // A block ends a list of named items, but belongs to an item without a name.
      if (into === blocks) endList()
      into.push(...blockOf(node, place))
    }
  }
  flush()
  endList()
  return blocks
}

/** Converts a named item: its term, and the text after a colon. */
function namedItem({ args: [term = [], text = []] }: RdMacro, { level, list }: Place) {
  const name = list === 'describe' ? inline(term) : [inlineCode(codeText(term))]
  const [first, ...rest] = blocksOf(text, { level, list: '' })
  if (first === undefined) return [paragraph(...name)]
  if (first.type !== 'paragraph') return [paragraph(...name, ':'), first, ...rest]
  return [paragraph(...name, ': ', ...first.children), ...rest]
}

/** Returns the visible nodes of a condition, or any other node itself. */
function shownNodes(node: RdNode): RdNode[] {
  if (!isMacro(node) || !/^if(?:else)?$/.test(node.name)) return [node]
  return branchOf(node).flatMap(shownNodes)
}

function blockOf({ name, args }: RdMacro, { level }: Place): DocumentBlock[] {
  const [first = [], second = []] = args
  switch (name) {
    case 'itemize':
    case 'enumerate':
    case 'describe':
      return blocksOf(first, { level, list: name })
    case 'tabular':
      return [tableOf(second)]
    case 'preformatted':
      return [code(codeText(first), /[<]-|\(/.test(codeText(first)) ? 'r' : '')]
    case 'deqn':
      return [code(formulaOf(args).trim())]
    default:
      return [heading(level, inline(first)), ...blocksOf(second, { level: level + 1, list: '' })]
  }
}

/** Splits text at blank lines into paragraphs. */
function paragraphs(nodes: readonly RdNode[]): DocumentBlock[] {
  const blocks: DocumentBlock[] = []
  let words: Inline[] = []
  const end = () => {
    if (words.some((it) => typeof it !== 'string' || it.trim() !== '')) {
      blocks.push(paragraph(...words))
    }
    words = []
  }
  for (const node of inline(nodes)) {
    const [first = '', ...more] = typeof node === 'string' ? node.split(/\n[ \t]*\n/) : []
    words.push(typeof node === 'string' ? first : node)
    for (const part of more) {
      end()
      words.push(part)
    }
  }
  end()
  return blocks
}

const codeMacros = wordSet('code verb kbd samp command env option file pkg var')

/** Converts nodes inside a paragraph. */
function inline(nodes: readonly RdNode[]): Inline[] {
  return nodes.flatMap((node) => (isMacro(node) ? inlineOf(node) : [node]))
}

function inlineOf(macro: RdMacro): Inline[] {
  const { name, args } = macro
  const [first = [], second = []] = args
  if (codeMacros.has(name)) return [inlineCode(codeText(first))]
  if (name === 'eqn') return [inlineCode(formulaOf(args))]
  if (name === 'if' || name === 'ifelse') return inline(branchOf(macro))
  const write = Object.hasOwn(inlineMacros, name) ? inlineMacros[name] : undefined
  if (write !== undefined) return write(first, second)
  const isCode = args.length === 0 || name === 'out' || name === 'Sexpr'
  return isCode ? [codeOf(macro)] : inline(first)
}

const inlineMacros: Record<string, (first: RdNode[], second: RdNode[]) => Inline[]> = {
  emph: (first) => [emphasis(...inline(first))],
  dfn: (first) => [emphasis(...inline(first))],
  strong: (first) => [strong(...inline(first))],
  bold: (first) => [strong(...inline(first))],
  url: (first) => [markdown(`<${codeText(first).trim()}>`)],
  email: (first) => [markdown(codeText(first))],
  doi: (first) => [link(`https://doi.org/${codeText(first).trim()}`)],
  href: (first, second) => [link(codeText(first), inline(second))],
  sQuote: (first) => ['‘', ...inline(first), '’'],
  dQuote: (first) => ['“', ...inline(first), '”'],
  figure: (_, second) => [figureText(codeText(second))],
  cr: () => [{ type: 'break' }],
  tab: () => [' '],
}

const operators = wordMap(`
  le:<= leq:<= ge:>= geq:>= ldots:... dots:... cdots:... cdot:* times:* ne:!= neq:!=
`)

/** Returns a formula's plain text from its second argument, as R shows it in a terminal. */
function formulaOf([latex = [], plain = latex]: readonly RdNode[][]): string {
  return codeText(plain).replace(/\\([A-Za-z]+)/g, (_, name: string) => operators.get(name) ?? name)
}

/** Returns the description of a picture, whose options are `options: alt="A plot" width=100`. */
function figureText(options: string): string {
  if (!/^\s*options:/.test(options)) return options.trim()
  return parseAttributes(options).get('alt') ?? ''
}

/** Converts a table. `\cr` ends a row, and `\tab` ends a cell. */
function tableOf(nodes: readonly RdNode[]): DocumentBlock {
  const rows: Inline[][][] = [[]]
  let cell: RdNode[] = []
  const endCell = () => {
    const text = writeMarkdown(blocksOf(cell, { level: 6, list: '' }))
    rows.at(-1)!.push(text === '' ? [] : [markdown(text)])
    cell = []
  }
  for (const node of nodes) {
    const name = isMacro(node) ? node.name : ''
    if (name === 'tab' || name === 'cr') endCell()
    else cell.push(node)
    if (name === 'cr') rows.push([])
  }
  endCell()
  const fullRows = rows.filter((row) => row.some((nodes) => nodes.length > 0))
  const isHead = ([node]: readonly Inline[]) =>
    node === undefined ||
    (typeof node !== 'string' && 'value' in node && /^\*\*.*\*\*$/.test(node.value))
  return { type: 'table', rows: fullRows, hasHeader: fullRows[0]?.every(isHead) ?? false }
}
