import { notTextError } from '../decode.ts'
import { escapeMarkdown } from '../../document/inline.ts'
import { codeSpan, fenceCode } from '../../document/fence.ts'
import { parseRdTree, type RdMacro, type RdNode } from './rd-tree.ts'

/** A help file of R converted to Markdown. */
type RdPage = { title: string; text: string }

/** The sections in the order in which R shows them; `section` stands for all with own titles. */
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
 * Converts a help file of R to Markdown, with the sections in the order of R's help. The title ends
 * with the name of the topic, as on sites of pkgdown. Throws OgError naming `path` (`not-text`) if
 * it is not a help file.
 */
export function parseRd(text: string, path: string): RdPage {
  const tree = parseRdTree(text).filter(isMacro)
  const all = (name: string) => tree.filter((macro) => macro.name === name)
  const [name = '', title = ''] = ['name', 'title'].map((it) => oneLine(all(it)[0]))
  const blocks: string[] = []
  for (const [macro, heading] of sections) {
    for (const [index, { args }] of all(macro).entries()) {
      const [first = [], second = []] = args
      const [words, content] = macro === 'section' ? [inline(first), second] : [heading, first]
      const shown = isCode.has(macro)
        ? [fenceCode(codeText(content), 'r')]
        : blocksOf(content, { level: 3, list: macro })
      const filled = shown.filter((block) => block !== '')
      if (filled.length > 0) blocks.push(`## ${words.trim()}`, ...filled)
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
    text: `${blocks.join('\n\n')}\n`,
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

/** The names under which R finds the page, without those that the usage shows. */
function otherNames(
  aliases: readonly string[],
  { name, blocks }: { name: string; blocks: readonly string[] },
): string[] {
  const words = new Set(blocks.join(' ').match(/[\w.]+/g))
  const others = aliases.filter((alias) => alias !== name && alias !== '' && !words.has(alias))
  return others.length === 0 ? [] : [`Also ${others.slice(0, mostNames).map(codeSpan).join(', ')}.`]
}

/** The text of code, without markup. */
function codeText(nodes: readonly RdNode[]): string {
  return nodes.map((node) => (isMacro(node) ? codeOf(node) : node)).join('')
}

function codeOf({ name, args }: RdMacro): string {
  // Reading the arguments here as well would double the work for each nested condition.
  if (name === 'if' || name === 'ifelse') return codeText(branchOf({ name, args }))
  const [first = '', second = ''] = args.map(codeText)
  switch (name) {
    case 'dots':
    case 'ldots':
      return '...'
    case 'R':
    case 'LaTeX':
      return name
    case 'sspace':
      return ' '
    case 'method':
    case 'S3method':
      return `## S3 method for class '${second}'\n${first}`
    case 'S4method':
      return `## S4 method for signature '${second}'\n${first}`
    case 'dontrun':
      return `## Not run:${first.startsWith('\n') ? '' : '\n'}${first.trimEnd()}\n## End(Not run)`
    case 'dontshow':
    case 'testonly':
    case 'out':
    case 'Sexpr':
      return ''
    case 'href':
      return second
    default:
      return args.length === 0 ? `\\${name}` : first
  }
}

/** The branch of a condition for plain text; pages without such a branch show the one for HTML. */
function branchOf({ name, args: [condition = [], shown = [], other = []] }: RdMacro): RdNode[] {
  const formats = codeText(condition).split(',')
  const isText = formats.some((it) => /^\s*(?:text|example|TRUE)\s*$/.test(it))
  if (name === 'ifelse') return isText ? shown : other
  return isText || formats.some((it) => it.trim() === 'html') ? shown : []
}

type Place = {
  /** The level of the heading of a subsection. */
  level: number
  /** The macro whose items are converted. */
  list: string
}

const blockMacros = new Set(
  'itemize enumerate describe tabular preformatted deqn subsection section item'.split(' '),
)

/** Converts text with lists, tables and code to blocks of Markdown. */
function blocksOf(nodes: readonly RdNode[], place: Place): string[] {
  const blocks: string[] = []
  let open: RdNode[] = []
  let nItems = 0
  const flush = () => {
    blocks.push(...paragraphs(inline(open)))
    open = []
  }
  /** Where the blocks of the open item begin; an item of a list without names has no argument. */
  let itemAt = -1
  const endItem = () => {
    flush()
    if (itemAt < 0) return
    blocks.push(listItem(blocks.splice(itemAt), place.list === 'enumerate' ? `${nItems}.` : '-'))
    itemAt = -1
  }
  for (const node of nodes.flatMap(shownNodes)) {
    if (!isMacro(node) || !blockMacros.has(node.name)) open.push(node)
    else if (node.name === 'item' && node.args.length === 0) {
      endItem()
      nItems++
      itemAt = blocks.length
    } else {
      flush()
      blocks.push(...blockOf(node, place))
    }
  }
  endItem()
  return joinItems(blocks)
}

/** The nodes that a condition shows; other nodes are shown themselves. */
function shownNodes(node: RdNode): RdNode[] {
  if (!isMacro(node) || !/^if(?:else)?$/.test(node.name)) return [node]
  return branchOf(node).flatMap(shownNodes)
}

function blockOf({ name, args }: RdMacro, { level, list }: Place): string[] {
  const [first = [], second = []] = args
  switch (name) {
    case 'itemize':
    case 'enumerate':
    case 'describe':
      return [blocksOf(first, { level, list: name }).join('\n\n')]
    case 'item': {
      const term = list === 'describe' ? inline(first).trim() : codeSpan(codeText(first))
      const [text = '', ...more] = blocksOf(second, { level, list: '' })
      return [listItem([`${term}${text === '' ? '' : `: ${text}`}`, ...more], '-')]
    }
    case 'tabular':
      return tableOf(second)
    case 'preformatted':
      return [fenceCode(codeText(first), /[<]-|\(/.test(codeText(first)) ? 'r' : '')]
    case 'deqn':
      return [fenceCode(formulaOf(args).trim(), '')]
    default: {
      const heading = `${'#'.repeat(Math.min(level, 6))} ${inline(first).trim()}`
      return [heading, ...blocksOf(second, { level: level + 1, list: '' })]
    }
  }
}

/** Writes blocks as one item of a list. */
function listItem(blocks: readonly string[], mark: string): string {
  const before = ' '.repeat(mark.length + 1)
  const text = blocks.join('\n\n').replace(/\n(?=[^\n])/g, `\n${before}`)
  return `${mark} ${text}`.trimEnd()
}

/** Joins short items of a list, which follow each other without a blank line. */
function joinItems(blocks: readonly string[]): string[] {
  const joined: string[] = []
  const isItem = (block: string | undefined) => /^(?:-|\d+\.) /.test(block ?? '')
  let run: string[] = []
  const end = () => {
    if (run.length > 0) joined.push(run.join(run.some((it) => it.includes('\n\n')) ? '\n\n' : '\n'))
    run = []
  }
  for (const block of blocks.filter((it) => it !== '')) {
    if (!isItem(block)) {
      end()
      joined.push(block)
    } else run.push(block)
  }
  end()
  return joined
}

/** Splits text at blank lines; its lines lose their indentation, which would mark code. */
function paragraphs(text: string): string[] {
  return text.split(/\n[ \t]*\n/).flatMap((paragraph) => {
    const lines = paragraph
      .trim()
      .split('\n')
      .map((line) => line.trim())
    const shown = lines.join('\n').replace(/\n(?=[-+>#] |\d+[.)] )/g, ' ')
    return shown === '' ? [] : [shown.replace(/^(?=[-+>#]+ )/, '\\')]
  })
}

const marks: Readonly<Record<string, string>> = { emph: '*', dfn: '*', strong: '**', bold: '**' }

const codeMacros = new Set('code verb kbd samp command env option file pkg var'.split(' '))

/** Converts text within a paragraph to Markdown. */
function inline(nodes: readonly RdNode[]): string {
  return nodes.map((node) => (isMacro(node) ? inlineOf(node) : escapeMarkdown(node))).join('')
}

function inlineOf(macro: RdMacro): string {
  const { name, args } = macro
  const [first = [], second = []] = args
  const mark = marks[name]
  if (mark !== undefined) {
    const text = inline(first).trim()
    return text === '' ? '' : mark + text + mark
  }
  if (codeMacros.has(name)) return codeSpan(codeText(first))
  switch (name) {
    case 'eqn':
      return codeSpan(formulaOf(args))
    case 'url':
      return `<${codeText(first).trim()}>`
    case 'email':
      return codeText(first)
    case 'doi':
      return `<https://doi.org/${codeText(first).trim()}>`
    case 'href':
      return linkTo(codeText(first), inline(second))
    case 'sQuote':
      return `‘${inline(first)}’`
    case 'dQuote':
      return `“${inline(first)}”`
    case 'figure':
      return figureText(codeText(second))
    case 'cr':
      return '  \n'
    case 'tab':
      return ' '
    case 'ifelse':
    case 'if':
      return inline(branchOf(macro))
    default:
      return args.length === 0 || name === 'out' || name === 'Sexpr'
        ? escapeMarkdown(codeOf(macro))
        : inline(first)
  }
}

const operators: Readonly<Record<string, string>> = {
  le: '<=',
  leq: '<=',
  ge: '>=',
  geq: '>=',
  ldots: '...',
  dots: '...',
  cdots: '...',
  cdot: '*',
  times: '*',
  ne: '!=',
  neq: '!=',
}

/** The formula in plain text, which the second argument contains, as R shows it in a terminal. */
function formulaOf([latex = [], plain = latex]: readonly RdNode[][]): string {
  return codeText(plain).replace(/\\([A-Za-z]+)/g, (_, name: string) => operators[name] ?? name)
}

function linkTo(url: string, text: string): string {
  const target = url.trim().replace(/[\s<>()]/g, encodeURIComponent)
  return text.trim() === '' ? target : `[${text.trim()}](${target})`
}

/** The description of a picture; its options are `options: alt="A plot" width=100`. */
function figureText(options: string): string {
  if (!/^\s*options:/.test(options)) return escapeMarkdown(options.trim())
  return escapeMarkdown(/\balt=(?:'([^']*)'|"([^"]*)")/.exec(options)?.slice(1).join('') ?? '')
}

/** Writes the rows of a table, which `\cr` ends, with cells, which `\tab` ends. */
function tableOf(nodes: readonly RdNode[]): string[] {
  const rows: string[][] = [[]]
  let cell: RdNode[] = []
  const endCell = () => {
    const text = blocksOf(cell, { level: 6, list: '' }).join(' ')
    rows.at(-1)!.push(text.replace(/\s+/g, ' ').replaceAll('|', '\\|').trim())
    cell = []
  }
  for (const node of nodes) {
    const name = isMacro(node) ? node.name : ''
    if (name === 'tab' || name === 'cr') endCell()
    else cell.push(node)
    if (name === 'cr') rows.push([])
  }
  endCell()
  const filled = rows.filter((row) => row.some((text) => text !== ''))
  const width = filled.reduce((most, row) => Math.max(most, row.length), 0)
  if (width === 0 || width * filled.length > mostCells) return filled.map((row) => row.join(' '))
  const line = (row: readonly string[]) =>
    `| ${Array.from({ length: width }, (_, at) => row[at] ?? '').join(' | ')} |`
  const isHead = (row: readonly string[]) => row.every((text) => /^(?:\*\*.*\*\*)?$/.test(text))
  const [head, body] = isHead(filled[0]!) ? [filled[0]!, filled.slice(1)] : [[], filled]
  return [[line(head), `|${' --- |'.repeat(width)}`, ...body.map(line)].join('\n')]
}

/** Rows are padded to the longest one, so a short text could produce many cells. */
const mostCells = 20_000
