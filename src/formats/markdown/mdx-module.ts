import { lineEnd } from '../../document/seek.ts'
import { closesFence, parseFence, type Fence } from '../../document/fence.ts'
import { parseJsxData } from './jsx-tag.ts'
import { openScript, scriptMarks, stringEnd, type Script } from './script.ts'

/** Removes the imports and exports between paragraphs of MDX. */
export function removeImportsAndExports(text: string): string {
  const script = openScript(text, 0)
  const out: string[] = []
  let fence: Fence | null = null
  let nBroken = 0
  for (let at = 0; at <= text.length; ) {
    const end = lineEnd(text, at)
    const isCode = fence !== null || nBroken > 100
    const literal = isCode ? at : literalEnd(script, at)
    const next = isCode || literal > at ? literal : statementEnd(script, at)
    if (literal > at) out.push(text.slice(at, literal - 1))
    else if (next === at) {
      const line = text.slice(at, end)
      if (line.startsWith('export ')) nBroken++
      fence = mdxFenceAfter(line, fence)
      out.push(line)
    }
    at = next > at ? next : end + 1
  }
  return out.join('\n')
}

/**
 * Returns the start of the line after a template literal that is the content or an attribute of a
 * component. Returns `at` if there is none.
 */
function literalEnd(script: Script, at: number): number {
  const { source } = script
  const [before] = /(?:^|[>=])\s*\{\s*`/.exec(source.slice(at, lineEnd(source, at))) ?? []
  if (before === undefined) return at
  script.at = source.indexOf(before, at) + before.length - 1
  const close = stringEnd(script)
  const isLong = close > lineEnd(source, at) && close - at < mostCharacters
  return isLong && /^`\s*\}/.test(source.slice(close, close + 20)) ? lineEnd(source, close) + 1 : at
}

/** In MDX, indented text is never code, so a closing fence can have any indentation. */
function mdxFenceAfter(line: string, fence: Fence | null): Fence | null {
  if (fence === null) return parseFence(line)
  return closesFence({ ...fence, indent: Infinity }, line) ? null : fence
}

/** Maximum number of lines in a statement. A longer one stays in the text. */
const statementLines = { import: 30, export: 500 }
const mostCharacters = 200_000

const exportStart = new RegExp(
  '^export\\s+(?:default\\b|const\\b|let\\b|var\\b|function\\b|async\\b|class\\b|\\{|\\*' +
    '|type\\s+\\w+\\s*[<=]|interface\\s+\\w+\\s*[{<]|enum\\s+\\w+\\s*\\{)',
)

/** Returns the start of the line after the statement at an offset, or the offset itself. */
function statementEnd({ source, unclosed }: Script, start: number): number {
  const line = source.slice(start, lineEnd(source, start))
  if (line.startsWith('import ')) return importEnd(source, start)
  if (!exportStart.test(line)) return start
  let [depth, nLines, lineStart] = [0, 0, start]
  for (const { sign, at } of scriptMarks({ source, at: start, unclosed })) {
    if ('{[('.includes(sign)) depth++
    else if ('}])'.includes(sign)) depth--
    else if (sign === '\n') {
      if (depth <= 0 && !/[=,+|&?:]$/.test(source.slice(lineStart, at).trimEnd())) return at + 1
      if (++nLines === statementLines.export || at - start > mostCharacters) break
      lineStart = at + 1
    }
  }
  return start
}

/**
 * Returns the start of the line after an import, or `start` if there is none. An import can span
 * lines between braces, and break after `import` or `from`.
 */
function importEnd(text: string, start: number): number {
  for (let [at, n] = [start, 0]; at < text.length && n < statementLines.import; n++) {
    const end = lineEnd(text, at)
    const line = text.slice(at, end)
    if (/["']/.test(line) && isImport(text.slice(start, end))) return end + 1
    if (line.trim() === '' || (n === 0 && !isWrapped(line))) return start
    at = end + 1
  }
  return start
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
