import { isNoteName } from '../../document/note-names.ts'
import { appendLines } from '../../document/block-lines.ts'
import { isCodeLine, type CodeScan } from '../markdown/comment.ts'
import { fenceCode, withoutFences } from '../../document/fence.ts'

/**
 * Converts the directives of reStructuredText that Nim allows in Markdown: admonitions and code
 * become their Markdown form; roles, contents and comments are removed.
 */
export function withoutRstDirectives(text: string): string {
  if (!sign.test(text) || !sign.test(withoutFences(text))) return text
  const lines = text.replace(header, '$1\n$2').split('\n')
  const out: string[] = []
  const code: CodeScan = { fence: null, isInItem: false }
  for (let at = 0; at < lines.length; ) {
    const line = lines[at]!
    const [, indent, name, argument = ''] = explicit.exec(line) ?? []
    if (isCodeLine(line, code) || indent === undefined) {
      out.push(line)
      at++
      continue
    }
    const end = bodyEnd(lines, at, indent.length)
    const shown = directiveLines(name, argument, lines.slice(at + 1, end))
    if (shown === null) appendLines(out, lines.slice(at, end))
    else for (const one of shown) out.push(one === '' ? '' : indent + one)
    at = end
  }
  return out.join('\n')
}

const sign = /^[ \t]*\.\. (?:default-role|include|contents|importdoc|role)::/m
/** The title between two lines, and the fields below it, such as `:Author: name`. */
const header = new RegExp(
  String.raw`^(?:={3,}[ \t]*\n)?([^\n]{1,200}\n={3,})[ \t]*\n` +
    String.raw`((?:[ \t]*\n){0,3})(?::[A-Z][\w ]{0,30}:[^\n]{0,300}\n){0,9}`,
)
const explicit = /^( {0,12})\.\.(?: (?:([A-Za-z][\w-]*)::)?[ \t]*(.*))?$/

/** The line after the body, whose lines are indented more than the directive. */
function bodyEnd(lines: readonly string[], at: number, columns: number): number {
  let end = at + 1
  for (let to = end; to < lines.length; to++) {
    const line = lines[to]!
    if (line.trim() === '') continue
    if (line.length - line.trimStart().length <= columns) break
    end = to + 1
  }
  return end
}

const dropped = /^(?:default-role|role|contents|importdoc)$/i

/** The lines that replace a directive or a comment; null if it stays as written. */
function directiveLines(
  name: string | undefined,
  argument: string,
  body: readonly string[],
): string[] | null {
  if (name === undefined) {
    const isTarget = /^_[^\n]+:\s*$/.test(argument)
    return !isTarget && /^(?:_|\||\[)/.test(argument) ? null : []
  }
  if (dropped.test(name)) return []
  const inner = unindented(body)
  if (name === 'code-block') return ['', ...codeOf(inner, argument).split('\n'), '']
  if (!isNoteName(name)) return null
  const content = [argument, ...inner].map((line) => (line === '' ? '' : `    ${line}`))
  return [`!!! ${name.toLowerCase()}`, ...content, '']
}

/** Code below the options of its directive, such as `:test:`, as a fence. */
function codeOf(lines: readonly string[], language: string): string {
  const start = lines.findIndex((line) => !/^:[\w-]+:/.test(line))
  return fenceCode(lines.slice(Math.max(0, start)).join('\n'), language)
}

function unindented(lines: readonly string[]): string[] {
  const widths = lines.flatMap((line) =>
    line.trim() === '' ? [] : [line.length - line.trimStart().length],
  )
  const margin = widths.reduce((least, width) => Math.min(least, width), Infinity)
  return Number.isFinite(margin) ? lines.map((line) => line.slice(margin)) : [...lines]
}
