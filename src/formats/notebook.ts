import { withoutHtml } from './markdown/markdown-html.ts'
import { trimCharacters, trimEndCharacters } from '../platform/text/trim.ts'
import { messageOf } from '../platform/error.ts'
import { notTextError, normalizeText, unreadableError } from './decode.ts'
import { parseFrontMatter, type FrontMatter } from './front-matter.ts'
import { fenceCode } from '../document/fence.ts'
import { withoutComments } from './markdown/comment.ts'
import { toPlainMarkdown } from './markdown/markdown-text.ts'

/**
 * Converts a Jupyter notebook (nbformat 3 or 4) to Markdown. Text cells are converted with
 * `toPlainMarkdown`, code cells become fences in the kernel's language, text outputs become `text`
 * fences, and HTML tables become Markdown tables. Pictures become placeholders. Other HTML and
 * widgets are omitted. Quarto and Jupyter Book write front matter into the first raw cell.
 * @throws OgError with `path` if the source is not a notebook, or has no text (`not-text`)
 */
export function parseNotebook(source: string, path: string): FrontMatter {
  const notebook = parseJson(source, path)
  const cells = cellsOf(notebook)
  if (!cells) throw unreadableError(path, 'a notebook without cells')
  const metadata = record(notebook.metadata)
  const language = languageOf(metadata)
  const texts = cells
    .map((cell) => cellText(record(cell), language))
    .filter((text) => text.trim() !== '')
  if (texts.length === 0) throw notTextError(path, 'a notebook without text')
  const title = typeof metadata.title === 'string' ? metadata.title.trim() : ''
  const front = parseFrontMatter(normalizeText(`${texts.join('\n\n')}\n`))
  return { ...front, title: title || front.title }
}

type Fields = Record<string, unknown>

/** Maximum number of characters of an output, enough for a typical result. */
const outputLimit = 2000

function parseJson(source: string, path: string): Fields {
  try {
    return record(JSON.parse(source))
  } catch (cause) {
    throw unreadableError(path, `a notebook that is not JSON (${messageOf(cause)})`)
  }
}

function record(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Fields)
    : {}
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

/** Returns the cells of a notebook, which are in worksheets in nbformat 3, or null. */
function cellsOf(notebook: Fields): unknown[] | null {
  if (Array.isArray(notebook.cells)) return notebook.cells
  if (!Array.isArray(notebook.worksheets)) return null
  return notebook.worksheets.flatMap((sheet) => list(record(sheet).cells))
}

function languageOf(metadata: Fields): string {
  const kernel = record(metadata.kernelspec)
  return (
    languageName(kernel.language) ??
    languageName(record(metadata.language_info).name) ??
    kernelLanguage(kernel.name) ??
    'python'
  )
}

/** Returns the language of a kernel by its name: `ir`, `julia-1.9`, `xcpp17`. */
function kernelLanguage(name: unknown): string | null {
  if (typeof name !== 'string') return null
  return kernels.find(([pattern]) => pattern.test(name))?.[1] ?? null
}

const kernels: [RegExp, string][] = [
  [/^ir$/, 'r'],
  [/^julia/, 'julia'],
  [/^x(?:eus-)?c(?:pp|ling)/, 'cpp'],
  [/^(?:bash|calysto_bash)/, 'bash'],
  [/^(?:ijavascript|deno|tslab|jslab|javascript)/, 'javascript'],
  [/^(?:scala|almond)/, 'scala'],
  [/^(?:go|gophernotes)/, 'go'],
  [/^(?:rust|evcxr)/, 'rust'],
  [/^kotlin/, 'kotlin'],
  [/^\.net-csharp/, 'csharp'],
  [/^\.net-fsharp/, 'fsharp'],
  [/^\.net-powershell/, 'powershell'],
  [/^(?:java|rapaio|ijava)/, 'java'],
  [/^octave/, 'octave'],
  [/^(?:iruby|ruby)/, 'ruby'],
  [/^(?:xsql|sql)/, 'sql'],
  [/^sagemath/, 'python'],
]

/** Returns a cell's language from its metadata or a magic such as `%%bash`, or null. */
function cellLanguage(cell: Fields, source: string): string | null {
  const metadata = record(cell.metadata)
  const candidates = [
    cell.language,
    record(metadata.vscode).languageId,
    record(metadata.dotnet_interactive).language,
    record(metadata.polyglot_notebook).kernelName,
  ]
  const magic = /^%%(bash|sh|html|javascript|js|latex|perl|ruby|R|sql|cython)\b/.exec(source)
  const declared = candidates.map(languageName).find((name) => name !== null)
  return declared ?? magic?.[1]?.toLowerCase() ?? null
}

function languageName(name: unknown): string | null {
  return typeof name === 'string' && /^[\w+#.-]{1,30}$/.test(name) ? name.toLowerCase() : null
}

/** Returns the text of a field, which is a string or a list of lines with line breaks. */
function joinLines(value: unknown): string {
  if (typeof value === 'string') return value
  return list(value)
    .filter((line) => typeof line === 'string')
    .join('')
}

function cellText(cell: Fields, language: string): string {
  const source = joinLines(cell.source ?? cell.input)
  if (cell.cell_type === 'heading') return `${'#'.repeat(headingLevel(cell.level))} ${source}`
  if (cell.cell_type !== 'code')
    return trimCharacters(toPlainMarkdown(withoutComments(source)), '\n')
  const own = cellLanguage(cell, source) ?? language
  const outputs = list(cell.outputs).map((output) => outputBlock(record(output)))
  return [fenceCode(source, own), ...outputs].filter((block) => block !== '').join('\n\n')
}

function headingLevel(level: unknown): number {
  return typeof level === 'number' && level >= 1 && level <= 6 ? Math.floor(level) : 1
}

const pictureType = /^(?:image\/|(?:png|jpeg|svg)$)/
/** The placeholder for pictures, which are not stored. */
const aPicture = '*Output: a picture*'

function outputBlock(output: Fields): string {
  // nbformat 3 has fields such as `html` and `png`; nbformat 4 has a bundle by media type.
  const bundle = { ...output, ...record(output.data) }
  if (/^(?:display_data|execute_result|pyout)$/.test(String(output.output_type))) {
    if (Object.keys(bundle).some((type) => pictureType.test(type))) return aPicture
    const html = joinLines(bundle['text/html'] ?? bundle.html).slice(0, htmlLimit)
    const tables = html.match(/<table\b[^]*?(?:<\/table>|$)/gi) ?? []
    const content = withoutHtml(tables.join('\n\n')).trim()
    const end = content.indexOf('\n', outputLimit)
    if (content !== '') return end < 0 ? content : `${content.slice(0, end)}\n…`
  }
  return fenceCode(outputText(bundle), 'text')
}

/** Maximum number of characters of an HTML output. Shorter limits apply to its tables. */
const htmlLimit = 200_000

function outputText(output: Fields): string {
  if (output.output_type === 'stream') return cutOutput(joinLines(output.text))
  if (output.output_type === 'error' || output.output_type === 'pyerr') {
    return cutOutput([joinLines(output.ename), joinLines(output.evalue)].filter(Boolean).join(': '))
  }
  if (Object.keys(output).some((type) => /widget/.test(type))) return ''
  const text = cutOutput(joinLines(output['text/plain'] ?? output.text))
  // Python's placeholder for an object that only a browser can display.
  return /^<IPython\.(?:core|lib)\.display\.\w+ (?:object|at 0x).*>$/.test(text) ? '' : text
}

function cutOutput(output: string): string {
  const text = trimCharacters(shownLines(output).trimEnd(), '\n')
  // Base64 data is useless, whatever its declared type.
  if (/[A-Za-z0-9+/=]{200}/.test(text.slice(0, outputLimit))) return ''
  return text.length <= outputLimit ? text : `${text.slice(0, outputLimit)}…`
}

/** Returns an output without colour codes, with progress bars in their final state. */
function shownLines(output: string): string {
  const plain = output.slice(0, 50 * outputLimit).replace(/\u001b\[[\d;?]*[A-Za-z]/g, '')
  return plain.split('\n').map(lastState).join('\n')
}

/** Returns the visible part of a line with carriage returns, such as a progress bar. */
function lastState(line: string): string {
  const text = trimEndCharacters(line, '\r')
  return text.slice(text.lastIndexOf('\r') + 1)
}
