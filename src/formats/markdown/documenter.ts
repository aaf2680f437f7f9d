import type { AutodocsOptions, JuliaDocs, JuliaDocstring } from '../../api/julia/find-julia.ts'
import { appendLines } from '../../document/block-lines.ts'
import { type Fence, closesFence, parseFence } from '../../document/fence.ts'
import { rewriteMarkdown } from '../../document/markdown-lines.ts'
import type { GrowthLimit } from '../../document/growth.ts'
import { notIncluded } from '../../document/not-found.ts'
import type { ApiLookup } from '../parsed-text.ts'

/** A Documenter.jl block. If `isWhole` is false, `shown` contains only its opening line. */
type DocumenterBlock = { output: string[]; next: number; isWhole: boolean }

/**
 * Converts a Documenter.jl fence, such as `@docs`. Removes hidden blocks, lists object names one
 * per line, and marks examples as Julia code. Returns null for other fences.
 */
export function documenterFence(
  lines: readonly string[],
  at: number,
  fence: Fence,
): DocumenterBlock | null {
  const [, marks = '', kind = ''] =
    /^(\s*(?:`{3,}|~{3,}))(@[a-z]+|jldoctest)(?![\w-])/.exec(lines[at] ?? '') ?? []
  if (
    !/^(?:@(?:docs|autodocs|meta|setup|index|contents|raw|eval|example|repl)|jldoctest)$/.test(kind)
  )
    return null
  let next = at + 1
  while (next < lines.length && !closesFence(fence, lines[next] ?? '')) next++
  if (/^(?:@example|@repl|jldoctest)$/.test(kind)) {
    const isHidden = (it: string) => kind !== 'jldoctest' && isHiddenLine(it)
    const isVisible = lines.slice(at + 1, next).some((it) => it.trim() !== '' && !isHidden(it))
    if (isVisible) return { output: [`${marks}julia`], next: at + 1, isWhole: false }
  }
  const names = lines.slice(at + 1, next).filter((line) => kind === '@docs' && line.trim() !== '')
  const output = names.map((name) => `- \`${name.trim()}\` ${notIncluded}`)
  return { output, next: next + 1, isWhole: true }
}

/** True if Documenter.jl runs a line of an example without showing it. */
export function isHiddenLine(line: string): boolean {
  return line.includes('hide') && /#[ \t]*hide[ \t]*$/.test(line)
}

/** Converts `[text](@ref name)` and `# [Title](@id name)` to their text. */
export function withoutDocumenterLinks(line: string): string {
  const text = line.includes('`') ? line.replace(codeLink, '$1').replace(exdocName, '`$1$2`') : line
  if (!text.includes('](@')) return text
  return text.replace(
    /\[((?:[^[\]]|\[[^[\]]{0,80}\]){1,300})\]\(@(?:ref|id)(?: [^()\n]{1,300})?\)/g,
    '$1',
  )
}

/** ExDoc's link to a function or type: `` [words](`c:X.f/2`) ``. */
const codeLink = /\[([^[\]\n]{1,300})\]\(`(?:[cemt]:)?[\w.!?/]{1,200}`\)/g
/** ExDoc's callback, type, macro or module with its kind: `` `c:X.f/2` ``. */
const exdocName = new RegExp(
  String.raw`\`(?:[cemt]:((?:[A-Z][\w.]{0,200}\.)?[a-z_]\w{0,100}[?!]?\/\d{1,2})` +
    String.raw`|m:([A-Z][\w.]{0,200})(?:#[\w-]+)?)\``,
  'g',
)

type Placing = { lookup: ApiLookup | undefined; growth: GrowthLimit }

/**
 * Replaces Documenter.jl's `@docs` and `@autodocs` blocks with docstrings. Names without a
 * docstring stay in a separate block.
 */
export function withDocstrings(text: string, { lookup, growth }: Placing): string {
  if (lookup === undefined || !block.test(text)) return text
  const docs = lookup.julia()
  if (!docs) return text
  const lines = text.split('\n')
  const out: string[] = []
  let fence: Fence | null = null
  let level = 1
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]!
    if (fence !== null) {
      if (closesFence(fence, line)) fence = null
      out.push(line)
      continue
    }
    level = /^(#{1,6})[ \t]/.exec(line)?.[1]?.length ?? level
    const [, indent = '', kind] = opening.exec(line) ?? []
    fence = parseFence(line.slice(indent.length))
    if (fence === null || kind === undefined || growth.refusal() !== null) {
      out.push(line)
      continue
    }
    let end = at + 1
    while (end < lines.length && !closesFence(fence, lines[end]!.slice(indent.length))) end++
    const inner = lines.slice(at + 1, end)
    const output =
      kind === 'docs'
        ? namedText(inner, docs, { level: level + 1, limit: growth.left() })
        : autodocsText(inner, docs, level + 1)
    const length = output.reduce((sum, one) => sum + one.length + indent.length + 1, 0)
    const isShort = growth.take(length)
    appendLines(
      out,
      isShort ? output.map((one) => (one === '' ? '' : indent + one)) : lines.slice(at, end + 1),
    )
    at = end
    fence = null
  }
  return out.join('\n')
}

const opening = /^([ \t]*)(?:`{3,}|~{3,})@((?:auto)?docs)(?![\w-])/
const block = new RegExp(opening.source, 'm')

/** Stops when the text exceeds the limit. */
function namedText(
  names: readonly string[],
  docs: JuliaDocs,
  { level, limit }: { level: number; limit: number },
): string[] {
  const out: string[] = []
  let left = limit
  for (const name of names) {
    if (name.trim() === '') continue
    const found = docs.named(name)
    if (found.length === 0) out.push('```@docs', name.trim(), '```', '')
    else appendLines(out, docstringLines(found, level))
    left -= found.reduce((sum, { text }) => sum + text.length, 0)
    if (left < 0) break
  }
  return out
}

function autodocsText(options: readonly string[], docs: JuliaDocs, level: number): string[] {
  const found = docs.autodocs(autodocsOptions(options.join('\n')))
  const byName = Map.groupBy(found, ({ qualifiedName }) => qualifiedName)
  return [...byName.values()].flatMap((it) => docstringLines(it, level))
}

/** Returns an object's docstrings below its name. */
function docstringLines(found: readonly JuliaDocstring[], level: number): string[] {
  const depth = Math.min(level, 6)
  const [first] = found
  const out = [`${'#'.repeat(depth)} \`${first!.qualifiedName}\``, '']
  for (const { text } of found) appendLines(out, [...withLowerHeadings(text, depth), ''])
  return out
}

/** Lowers the headings of a docstring below `level`. */
function withLowerHeadings(text: string, level: number): string[] {
  const prose = (line: string) =>
    line.replace(/^#{1,6}(?=[ \t])/, ({ length }) => '#'.repeat(Math.min(6, level + length)))
  return rewriteMarkdown(text, { prose }).split('\n')
}

function autodocsOptions(sourceText: string): AutodocsOptions {
  const list = (name: string) =>
    new RegExp(`^\\s*${name}\\s*=\\s*\\[([^\\]]{0,5000})\\]`, 'm').exec(sourceText)?.[1]
  const isOff = (name: string) => new RegExp(`^\\s*${name}\\s*=\\s*false\\b`, 'm').test(sourceText)
  const pages = list('Pages')?.replaceAll(
    /joinpath\(([^()]{0,300})\)/g,
    (_, parts: string) => `"${stringsIn(parts).join('/')}"`,
  )
  return {
    modules: [...(list('Modules') ?? '').matchAll(/[\w.]+/g)].map(([name]) => name),
    pages: pages === undefined ? null : stringsIn(pages),
    order:
      list('Order') === undefined
        ? null
        : [...list('Order')!.matchAll(/:(\w+)/g)].map(([, it]) => it!),
    hasPublic: !isOff('Public'),
    hasPrivate: !isOff('Private'),
  }
}

function stringsIn(text: string): string[] {
  return [...text.matchAll(/"([^"\n]{1,300})"/g)].map(([, it]) => it!)
}
