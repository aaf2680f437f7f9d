import { fenceAfter, type Fence } from '../../document/fence.ts'
import { rewriteMarkdown } from '../../document/markdown-lines.ts'

/** Converts DocC's symbol links: ``` ``Store/send(_:)-4ub6q`` ``` → `` `send(_:)` ``. */
export function withSymbolNames(text: string): string {
  const prose = (line: string) =>
    line.replace(/(?<!`)``([^`\s]{1,500})``(?!`)/g, (_, link: string) => {
      const name = link.slice(link.search(/[^/]+(?:\([^()]*\))?[^/()]*$/))
      return `\`${name.replace(/-(?:[a-z\d]{4,6}|(?:swift|objc)\.[a-z.]+)$/, '')}\``
    })
  return rewriteMarkdown(text, { prose })
}

/** An open directive. */
type Open = {
  /** Indentation of its content in columns; null until the first line of content. */
  column: number | null
  isHidden: boolean
  /** The mark before the first line of a list item; '' after it. Null if it is not an item. */
  sign: string | null
  nItems: number
}

type Scan = { out: string[]; open: Open[]; fence: Fence | null }

/**
 * Converts DocC directives to Markdown: `@Section(title: "A") {}` becomes a heading with its
 * content, `@Step` an item of a numbered list, and `@Tab("A")` a label. Removes metadata and
 * comments. Keeps unknown directives without content.
 */
export function withoutDirectives(text: string): string {
  if (!/^[ \t]*@[A-Z]\w*[ \t]*[({]/m.test(text)) return text
  const scan: Scan = { out: [], open: [], fence: null }
  const lines = text.split('\n')
  for (let at = 0; at < lines.length; ) at = scanLine(scan, lines, at)
  return scan.out.join('\n')
}

function scanLine(scan: Scan, lines: readonly string[], at: number): number {
  const top = scan.open.at(-1)
  const line = lines[at]!
  const columns = line.length - line.trimStart().length
  if (top !== undefined && line.trim() !== '') top.column ??= columns
  const bare = line.slice(Math.min(columns, top?.column ?? 0))
  if (scan.fence === null && bare.trim() === '}' && scan.open.length > 0) {
    scan.open.pop()
    put(scan, '')
    return at + 1
  }
  const found = scan.fence === null ? directiveAt(lines, at) : null
  if (found !== null && openDirective(scan, found)) return found.next
  scan.fence = fenceAfter(bare, scan.fence)
  put(scan, bare)
  return at + 1
}

/** Writes a line of content, which can be the first line of a list item. */
function put({ out, open }: Scan, line: string): void {
  if (open.some(({ isHidden }) => isHidden)) return
  if (line.trim() === '') {
    out.push('')
    return
  }
  const items = open.filter(({ sign }) => sign !== null)
  const margin = items.map((item) => {
    const sign = item.sign!
    item.sign = ''
    return sign || '   '
  })
  out.push(margin.join('') + line)
}

type Directive = {
  name: string
  args: ReadonlyMap<string, string>
  hasContent: boolean
  /** The content of a directive that ends on its line, otherwise null. */
  inner: string | null
  next: number
}

/** Maximum number of lines for a directive's arguments. */
const argumentLines = 10

const directive = new RegExp(
  String.raw`^\s*@([A-Z]\w*)[ \t]*(?:\(((?:[^()"]|"(?:[^"\\]|\\.)*"|\([^()]*\))*)\))?[ \t]*` +
    String.raw`(?:(\{)(?:[ \t]*([^\n]*?)[ \t]*(\}))?)?[ \t]*$`,
)

/** Returns the directive at a line, or null if the line is text. */
function directiveAt(lines: readonly string[], at: number): Directive | null {
  if (!/^\s*@[A-Z]/.test(lines[at]!)) return null
  const isOpen = !lines[at]!.includes(')') && /^\s*@\w+[ \t]*\([^{}]*$/.test(lines[at]!)
  const length = isOpen
    ? lines.slice(at, at + argumentLines).findIndex((line) => line.includes(')')) + 1
    : 1
  const sourceText = lines.slice(at, at + Math.max(1, length)).join(' ')
  const [whole, name = '', source, brace, inner, end] =
    directive.exec(sourceText.slice(0, 2000)) ?? []
  if (whole === undefined || (source === undefined && brace === undefined)) return null
  const args = new Map<string, string>()
  for (const [, key = '', quoted, plain = ''] of (source ?? '').matchAll(
    /(?:(\w+):\s*)?(?:"((?:[^"\\]|\\.)*)"|([^\s,"][^,"]*))/g,
  ))
    args.set(key, (quoted ?? plain).replace(/\\(.)/g, '$1'))
  return {
    ...{ name, args, hasContent: brace !== undefined },
    inner: end === undefined ? null : (inner ?? ''),
    next: at + Math.max(1, length),
  }
}

const hidden = /^(?:Metadata|Comment|Options|XcodeRequirement|Redirected)$/
const headings = new Map([
  ['Intro', '#'],
  ['Volume', '##'],
  ['Chapter', '##'],
  ['Section', '##'],
  ['ContentAndMedia', '###'],
])

/** Writes a directive's heading or label and opens its content. Returns false if it is unknown. */
function openDirective(scan: Scan, { name, args, hasContent, inner }: Directive): boolean {
  const output = hidden.test(name) ? [] : shownLines(name, args)
  if (output === null && !hasContent) return false
  const words = [...args.values()].filter((value) => /\S\s+\S/.test(value))
  for (const line of output ?? words) put(scan, line)
  if (!hasContent) return true
  const isItem = /^(?:Step|Choice)$/.test(name)
  const number = isItem ? ((scan.open.at(-1) ?? { nItems: 0 }).nItems += 1) : 0
  const correct = args.get('isCorrect') === 'true' ? '(correct) ' : ''
  const isHidden = hidden.test(name)
  const sign = isItem ? `${number}. ${correct}` : null
  scan.open.push({ column: null, isHidden, sign, nItems: 0 })
  if (inner === null) return true
  put(scan, inner)
  scan.open.pop()
  return true
}

/** Returns the lines that show a directive's arguments, or null if there are none. */
function shownLines(name: string, args: ReadonlyMap<string, string>): string[] | null {
  const title = args.get('title') ?? args.get('name') ?? args.get('') ?? ''
  const mark = headings.get(name)
  if (mark !== undefined) return title === '' ? [] : ['', `${mark} ${title}`, '']
  if (name === 'Tab') return ['', `${title}:`, '']
  if (name === 'DeprecationSummary') return ['**Deprecated**', '']
  if (name === 'Image' || name === 'Video')
    return [`![${args.get('alt') ?? ''}](${args.get('source') ?? ''})`]
  if (name === 'TutorialReference') return [`- <${args.get('tutorial') ?? ''}>`]
  const destination = args.get('destination') ?? args.get('url') ?? args.get('file')
  const label = args.get('label') ?? (title || name)
  return destination === undefined ? null : [`[${label}](${destination})`, '']
}
