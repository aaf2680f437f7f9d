import { closesFence, parseFence, type Fence } from '../../document/fence.ts'
import { parseJsxData } from './jsx-tag.ts'

/** Removes the imports and exports between paragraphs of MDX. */
export function removeImportsAndExports(text: string): string {
  const module: Module = { lines: text.split('\n'), measures: [] }
  const out: string[] = []
  let fence: Fence | null = null
  let nBroken = 0
  for (let at = 0; at < module.lines.length; ) {
    const line = module.lines[at]!
    const literal = fence || nBroken > 100 ? at : literalEnd(module.lines, at)
    if (literal > at) {
      out.push(...module.lines.slice(at, literal))
      at = literal
      continue
    }
    const end = fence || nBroken > 100 ? at : statementEnd(module, at)
    if (end === at) {
      if (line.startsWith('export ')) nBroken++
      fence = mdxFenceAfter(line, fence)
      out.push(line)
    }
    at = Math.max(end, at + 1)
  }
  return out.join('\n')
}

/**
 * Returns the line after a template literal that is the content or an attribute of a component.
 * Returns `at` if there is none.
 */
function literalEnd(lines: readonly string[], at: number): number {
  if (!/(?:^|[>=])\s*\{\s*`(?:[^`\\]|\\.)*$/.test(lines[at]!)) return at
  const last = Math.min(lines.length, at + statementLines.export)
  for (let to = at + 1; to < last; to++) {
    if (/^(?:[^`\\]|\\.)*`\s*\}/.test(lines[to]!)) return to + 1
  }
  return at
}

/** In MDX, indented text is never code, so a closing fence can have any indentation. */
function mdxFenceAfter(line: string, fence: Fence | null): Fence | null {
  if (fence === null) return parseFence(line)
  return closesFence({ ...fence, indent: Infinity }, line) ? null : fence
}

/** The lines of MDX text, with cached measures by line number. */
type Module = { lines: readonly string[]; measures: (Measure | undefined)[] }

/**
 * `depth` is the number of opening minus closing brackets in a line. The other two are true if its
 * statement continues on the next line, in a template literal or otherwise.
 */
type Measure = { depth: number; continues: boolean; opensTemplate: boolean }

/** Maximum number of lines in a statement. A longer one stays in the text. */
const statementLines = { import: 30, export: 500 }

const exportStart = new RegExp(
  '^export\\s+(?:default\\b|const\\b|let\\b|var\\b|function\\b|async\\b|class\\b|\\{|\\*' +
    '|type\\s+\\w+\\s*[<=]|interface\\s+\\w+\\s*[{<]|enum\\s+\\w+\\s*\\{)',
)

/** Returns the line after the statement that starts at a line, or the line itself. */
function statementEnd(module: Module, at: number): number {
  const { lines } = module
  const line = lines[at]!
  if (line.startsWith('import ')) return importEnd(lines, at)
  if (!exportStart.test(line)) return at
  const last = Math.min(lines.length, at + statementLines.export)
  let depth = 0
  let isInTemplate = false
  for (let to = at; to < last; to++) {
    const after: number = isInTemplate ? afterTemplate(lines[to]!) : 0
    isInTemplate = after < 0
    if (isInTemplate) continue
    const measure =
      after > 0
        ? measureOf(lines[to]!.slice(after))
        : (module.measures[to] ??= measureOf(lines[to]!))
    depth += measure.depth
    isInTemplate = measure.opensTemplate
    if (depth <= 0 && !measure.continues && !isInTemplate) return to + 1
  }
  return at
}

/** Returns the offset after a template literal that ends on the line, or -1 if it continues. */
function afterTemplate(line: string): number {
  const end = /^(?:[^`\\]|\\[^])*`/.exec(line)
  return end === null ? -1 : end[0].length
}

/**
 * Returns the line after an import, or `at` if there is none. An import can span lines between
 * braces, and break after `import` or `from`.
 */
function importEnd(lines: readonly string[], at: number): number {
  const last = Math.min(at + statementLines.import, lines.length)
  for (let to = at + 1; to <= last; to++) {
    const line = lines[to - 1]!
    if (/["']/.test(line) && isImport(lines.slice(at, to).join('\n'))) return to
    if (line.trim() === '' || (to === at + 1 && !isWrapped(line))) return at
  }
  return at
}

function isWrapped(line: string): boolean {
  return (
    line.lastIndexOf('{') > line.lastIndexOf('}') ||
    /(?:^|[\s;])(?:import|from)(?:\s+\w+)?\s*$/.test(line)
  )
}

/** Matches one or more `import 'x'` or `import A, { B } from "x";` in a line. */
function isImport(source: string): boolean {
  return source.split(/(?<=["'];)\s+(?=import\s)/).every(isOneImport)
}

function isOneImport(statement: string): boolean {
  const quote = statement.search(/["']/)
  if (!/^(["'])[^"'\n]+\1;?[ \t]*$/.test(statement.slice(quote))) return false
  const head = statement.slice('import'.length, quote)
  const beforeQuote = head.trimEnd()
  if (beforeQuote === '') return head !== ''
  if (beforeQuote.length === head.length || !beforeQuote.endsWith('from')) return false
  const names = beforeQuote.slice(0, -'from'.length)
  return names.length > 2 && /^\s[\w*{},$\s]*$/.test(names) && /\s$/.test(names)
}

/** Matches a comment, a regular expression, a bracket or a quote. */
const bracketOrLiteral = new RegExp(
  [
    /(?<![:\w/])\/\/.*/,
    /\/\*.{0,500}?\*\//,
    /(?<=[=(:,[!&|?] ?)\/(?![/*])(?:[^/\\\n[]|\\.|\[(?:[^\]\\]|\\.){0,200}\]){1,500}\//,
    /[{}[\]()"'`]/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'g',
)

function measureOf(line: string): Measure {
  let depth = 0
  const mark = new RegExp(bracketOrLiteral)
  for (let match = mark.exec(line); match; match = mark.exec(line)) {
    if (match[0].length > 1) continue
    if ('{[('.includes(match[0])) depth++
    else if ('}])'.includes(match[0])) depth--
    else {
      const end = stringEnd(line, match.index)
      if (end === 0 && match[0] === '`') return { depth, continues: true, opensTemplate: true }
      mark.lastIndex = Math.max(mark.lastIndex, end)
    }
  }
  return { depth, opensTemplate: false, continues: /[=,+|&?:]$/.test(line.trimEnd()) }
}

const strings: Record<string, RegExp> = {
  '"': /"[^"\\]*(?:\\[^][^"\\]*)*/y,
  "'": /'[^'\\]*(?:\\[^][^'\\]*)*/y,
  '`': /`[^`\\]*(?:\\[^][^`\\]*)*/y,
}

/**
 * Returns the offset after the string that starts at a quote, or 0 if it is unclosed. If all later
 * quotes are escaped, the string ends at the last one: `"C:\"`.
 */
function stringEnd(line: string, at: number): number {
  const quote = line[at]!
  const inside = strings[quote]!
  inside.lastIndex = at
  inside.test(line)
  if (line[inside.lastIndex] === quote) return inside.lastIndex + 1
  const last = line.lastIndexOf(quote)
  return last > at ? last + 1 : 0
}

const exportedText =
  /^export const (\w+)\s*=\s*(`(?:[^`\\]|\\[^]){0,20000}`|"[^"\n]*"|'[^'\n]*')[ \t]*;?[ \t]*$/gm

/** Returns the exported string literals of an MDX file: ``export const code = `…` ``. */
export function findExportedTexts(source: string): Map<string, string> {
  const texts = new Map<string, string>()
  for (const [, name, literal] of source.matchAll(exportedText)) {
    const read = parseJsxData(literal!)
    if ('text' in read) texts.set(name!, read.text)
  }
  return texts
}

/** Finds an exported value: `export const title = "…"`, or a field of `meta = { … }`. */
export function findExportedValue(source: string, name: string): string | null {
  const text = source.slice(0, 20_000)
  const plain = new RegExp(`^export const ${name}\\s*=\\s*(["'\`])([^\\n]*?)\\1`, 'm').exec(text)
  const object = /^export const (?:meta|metadata|frontmatter)\s*=\s*\{[^]{0,2000}?^\}/im.exec(text)
  const field = new RegExp(`\\b${name}["']?:\\s*(["'\`])([^\\n]*?)\\1`).exec(object?.[0] ?? '')
  return (plain ?? field)?.[2]?.trim() || null
}
