import { closesFence, parseFence } from '../../document/fence.ts'
import { trimEndCharacters } from '../../platform/text/trim.ts'
import type { Include, IncludeFinder } from './include-file.ts'
import { type IncludePart, renderText, renderCode } from './include-part.ts'
import { mdxInclude } from './include-mdx.ts'
import { directiveOf } from '../markdown/myst.ts'
import { rstInclude, includePartFromOptions } from './include-rst.ts'

/** Finds the Markdown includes of MkDocs and its extensions, VitePress, MyST and Sphinx. */
export const markdownInclude: IncludeFinder = (lines, at) => {
  const source = lines[at.line] ?? ''
  const part = mdxInclude(lines, at)
  if (part !== null) return part
  if (at.fence === null && source.includes('@Code(')) return doccCode(source, at.line)
  if (!/\{[*!]|-8<-|<<<|@include|include::|include\}/.test(source)) return null
  const one =
    snippet(source) ??
    snippetBlock(lines, at.line) ??
    brace(source, { isCode: at.fence !== null, isText: isTextIn(at) }) ??
    (at.fence
      ? null
      : (variant(source) ?? vitepress(source) ?? bareInclude(source) ?? mystFence(lines, at.line)))
  if (one) return { from: at.line, to: at.line + 1, ...markedUp(one, at) }
  // In any other fence, a directive is an example.
  return at.fence === null || at.opening?.includes('{eval-rst}') ? rstInclude(lines, at) : null
}

type At = Parameters<IncludeFinder>[1]

/** Allows nested includes only in Markdown and plain text. */
function markedUp(include: PartialInclude, { formatOf }: At): PartialInclude {
  const format = formatOf(include.target)
  const isMarkup = format === 'markdown' || format === 'mdx' || format === 'text'
  return include.isMarkup && !isMarkup ? { ...include, isMarkup } : include
}

/** Returns a test for files that are included as text rather than code. */
function isTextIn({ formatOf }: At): (target: string) => boolean {
  return (target) => ['markdown', 'mdx', 'text', 'html'].includes(formatOf(target) ?? '')
}

type PartialInclude = Partial<Include> & Pick<Include, 'target' | 'render' | 'isMarkup'>

/** Finds `{* ../../docs_src/app.py ln[1:3] hl[2] *}`. */
function variant(source: string): PartialInclude | null {
  const [, indent = '', target, options = ''] =
    /^(\s*)\{\*\s*(\S+)((?:\s+\w+\[[^\]]*\])*)\s*\*\}\s*$/.exec(source) ?? []
  if (target === undefined) return null
  const lineRange = /\bln\[([^\]]*)\]/.exec(options)?.[1]
  return code(target, { indent, part: lineRange === undefined ? {} : { lines: lineRange } })
}

/** Finds `{! file !}` and `{!> file !}`, with `[ln:1-3]`. Inside a fence, adds no second fence. */
function brace(
  source: string,
  { isCode, isText }: { isCode: boolean; isText: (target: string) => boolean },
): PartialInclude | null {
  const [, indent = '', target, lineRange] = braced.exec(source) ?? []
  if (target === undefined) return null
  // Ignores columns (`FROM.COL`) and includes whole lines.
  const part = lineRange === undefined ? {} : { lines: lineRange.replace(/\.\d+/g, '') }
  return (isCode || isText(target) ? plain : code)(target, { indent, part })
}

const braced = /^(\s*)\{![>+-]?\s*([^\s!|[\]]+)\s*(?:\[ln:([^\]]*)\]\s*)?(?:\|[^!]*)?!\}\s*$/

/** Finds `--8<-- "file:3:5"` and `--8<-- "file:section"`. */
function snippet(source: string): PartialInclude | null {
  const [, indent = '', path] = /^(\s*)-+8<-+\s+["']([^"']+)["']\s*$/.exec(source) ?? []
  return path === undefined ? null : snippetFile(path, indent)
}

function snippetFile(path: string, indent: string): PartialInclude {
  const { target, lines, region } = snippetParts(path.trim())
  const part = { ...(lines ? { lines } : {}), ...(region ? { region } : {}) }
  return plain(target, { indent, part })
}

function snippetParts(path: string): { target: string; lines?: string; region?: string } {
  const region = /:([A-Za-z_][\w-]*)$/.exec(path)?.[1]
  if (region !== undefined) return { target: path.slice(0, -region.length - 1), region }
  // The path can also contain colons and digits.
  const length = trimEndCharacters(path, '0123456789:,-').length
  const colon = path.indexOf(':', length)
  return colon < 0
    ? { target: path }
    : { target: path.slice(0, colon), lines: path.slice(colon + 1) }
}

/** Finds paths between two `--8<--` lines. */
function snippetBlock(lines: readonly string[], line: number): PartialInclude | null {
  const mark = /^\s*-+8<-+\s*$/
  if (!mark.test(lines[line] ?? '')) return null
  const length = lines.slice(line + 1, line + 51).findIndex((other) => mark.test(other))
  if (length < 0) return null
  const end = line + 1 + length
  const indent = /^\s*/.exec(lines[line] ?? '')?.[0] ?? ''
  const paths = lines.slice(line + 1, end).filter((path) => !/^\s*(?:;.*)?$/.test(path))
  const [first, ...rest] = paths.map((path) => snippetFile(path, indent))
  const also = rest.map((file) => ({ from: line, to: end + 1, ...file }))
  return first ? { ...first, to: end + 1, also } : null
}

/** Finds `@include part.md` on a separate line, as in Svelte's documentation. */
function bareInclude(source: string): PartialInclude | null {
  const [, indent = '', target] = /^(\s*)@include\s+(\S+\.md)\s*$/.exec(source) ?? []
  return target === undefined ? null : plain(target, { indent, part: {} })
}

/** Finds `<<< @/snippets/app.js#region{1,3 ts} [title]` and `<!--@include: ./part.md{3,10}-->`. */
function vitepress(source: string): PartialInclude | null {
  const [, indent = '', target, region, braces = ''] = codeImport.exec(source) ?? []
  if (target !== undefined) {
    const language = /(?:^|\s)([a-z][\w+-]*)(?::\S*)?$/i.exec(braces)?.[1]
    return code(target, { indent, part: region ? { region } : {}, language })
  }
  const [, before = '', path, name, range] = textImport.exec(source) ?? []
  if (path === undefined) return null
  const [from, to = from] = (range ?? '').split(',')
  const lines = range ? { lines: `${from}-${to}` } : {}
  return plain(path, { indent: before, part: { ...(name ? { region: name } : {}), ...lines } })
}

const codeImport = /^(\s*)<<<\s*([^\s#{[]+)(?:#([\w-]+))?\s*(?:\{([^}]*)\}\s*)?(?:\[[^\]]*\]\s*)?$/
const textImport = /^(\s*)<!--\s*@include:\s*([^\s#{]+)(?:#([\w-]+))?\s*(?:\{([^}]*)\}\s*)?-->\s*$/

/** Finds MyST fences for `{literalinclude}` and `{include}`. */
function mystFence(lines: readonly string[], line: number): PartialInclude | null {
  const source = lines[line] ?? ''
  const [, indent = '', name, target] =
    /^(\s*)(?:`{3,}|~{3,}|:{3,})\{(literalinclude|include)\}\s*(\S+)\s*$/.exec(source) ?? []
  if (name === undefined || target === undefined) return null
  const fence = parseFence(source.trim()) ?? { mark: ':', length: 3, indent: 0 }
  let to = line + 1
  while (to < lines.length && !closesFence(fence, (lines[to] ?? '').trim())) to++
  const { options } = directiveOf(name, target, lines.slice(line + 1, to))
  const part = includePartFromOptions(options)
  const isCode = name === 'literalinclude' || options.has('literal') || options.has('code')
  const language = options.get('language') ?? options.get('code')
  const include = isCode
    ? code(target, { indent, part, language, title: options.get('caption') })
    : plain(target, { indent, part })
  return { ...include, to: to + 1 }
}

type Options = {
  indent: string
  part: IncludePart
  language?: string | undefined
  title?: string | undefined
}

function code(target: string, options: Options): PartialInclude {
  return { target, render: renderCode(target, options), isMarkup: false }
}

function plain(target: string, options: Options): PartialInclude {
  return { target, render: renderText(options), isMarkup: true }
}

/** Finds `@Code(name: "A.swift", file: "a-01.swift")` in a DocC tutorial. */
function doccCode(source: string, line: number): Include | null {
  const [, indent = '', args = '', brace = ''] =
    /^(\s*)@Code\(([^()]{1,1000})\)[ \t]*(\{?)[ \t]*$/.exec(source) ?? []
  const file = /\bfile:\s*"?([^\s",]+)/.exec(args)?.[1]
  if (file === undefined) return null
  const title = /\bname:\s*"([^"]*)"/.exec(args)?.[1] ?? ''
  const code = renderCode(file, { indent, title })
  const render = (text: string, limit: number) => {
    const listing = code(text, limit)
    return listing && ['', ...listing, '', ...(brace === '' ? [] : [`${indent}@Preview {`])]
  }
  const place = { from: line, to: line + 1, render, isMarkup: false }
  const [first, ...also] = ['_Resources', 'Resources', '.'].map((folder) => ({
    ...place,
    target: `${folder}/${file}`,
  }))
  return { ...first!, also, isAnyOf: true }
}
