import { cached } from '../../platform/lru-cache.ts'
import { withoutFrontBlock } from '../front-block.ts'
import { selectPart, renderText, renderCode } from './include-part.ts'
import type { Include, IncludeFinder } from './include-file.ts'
import { jsxTag } from '../markdown/jsx-tag.ts'
import { languageOfPath } from '../../document/language.ts'

/** True if a line imports a part of a page or a code file. */
export function hasMdxImport(line: string): boolean {
  return line.includes(' from ') && importSign.test(line)
}

const importSign = /\bfrom\s+["'](?:[^"']+\.mdx?|!{0,2}raw-loader[^"']*|[^"']+\?raw)["']/

/**
 * Finds the places where MDX shows an imported file: `<Part />` after `import Part from
 * './_part.mdx'`, and `<CodeBlock>{code}</CodeBlock>` with a file imported as text.
 */
export const mdxInclude: IncludeFinder = (lines, { line, fence }): Include | null => {
  const source = lines[line] ?? ''
  if (!fence && source.includes('<include')) return fumadocsInclude(lines, line)
  if (fence || !/<[A-Z]|\{\w+\}/.test(source)) return null
  const imports = importsOf(lines)
  if (imports.size === 0) return null
  const place = [lines, line, imports] as const
  return partAt(...place) ?? codeAt(...place) ?? valuesAt(...place)
}

const fumadocsTag = /^(\s*)<include((?:\s[^<>\n]*)?)>([^<>`]{1,500})<\/include>[ \t]*(?=\n|$)/

/** Finds Fumadocs' `<include meta='title="a.ts"'>./a.ts#part</include>`. */
function fumadocsInclude(lines: readonly string[], line: number): Include | null {
  const source = lines
    .slice(line, line + 3)
    .join('\n')
    .slice(0, 2000)
  const [whole, indent = '', attributes = '', inner = ''] = fumadocsTag.exec(source) ?? []
  const [path = '', region] = inner.trim().split('#')
  if (whole === undefined || path === '' || /\s/.test(path)) return null
  const isText = /\.mdx?$/.test(path)
  const title = /\b(?:title|tab)=\\?["']([^"'\\]+)/.exec(attributes)?.[1] ?? ''
  const language = /\blang=["'](\w+)/.exec(attributes)?.[1] ?? languageOfPath(path)
  const code = renderCode(path, { indent, part: { region }, language, title })
  const page = renderText({ indent, isPage: true })
  const render = (text: string, limit: number) => {
    const content = isText ? page(sectionOf(text, region), limit) : code(text, limit)
    return content && ['', ...content, '']
  }
  const to = line + whole.split('\n').length
  return { from: line, to, target: path.replace(/^\.\//, ''), render, isMarkup: isText }
}

/** Returns the text in `<section id="name">`, or the whole text if there is no such section. */
function sectionOf(text: string, name: string | undefined): string {
  if (name === undefined) return text
  const section = new RegExp(`<section id="${RegExp.escape(name)}">([^]*?)</section>`)
  return section.exec(text)?.[1]?.trim() ?? text
}

/** Maximum number of characters to search for imports, which are at the start of the text. */
const importsLimit = 20_000

/** Returns the imported Markdown and text files by local name. */
const importsOf = cached((lines: readonly string[]): ReadonlyMap<string, string> => {
  const imports = new Map<string, string>()
  const text = lines.slice(0, 400).join('\n').slice(0, importsLimit)
  const statement = /(?:^|;)\s*import\s+(\w+)\s+from\s+["']([^"'\n]+)["']/gm
  for (const [, name = '', target = ''] of text.matchAll(statement)) {
    const path = target.replaceAll('\\', '')
    if (/\.mdx?$|\?raw$|raw-loader/.test(path)) imports.set(name, path)
  }
  return imports
})

type Imports = ReadonlyMap<string, string>

/** Removes loaders, query and the alias of the site's folder from an import path. */
function pathOf(target: string): string {
  return target
    .replace(/^.*!/, '')
    .replace(/\?raw$/, '')
    .replace(/^@(?:site|docs)?\//, '/')
}

function partAt(lines: readonly string[], line: number, imports: Imports): Include | null {
  const [, indent = '', name = ''] = /^(\s*)<([A-Z]\w*)(?=[\s/>]|$)/.exec(lines[line] ?? '') ?? []
  const target = imports.get(name)
  if (target === undefined || !/\.mdx?$/.test(target)) return null
  const source = lines
    .slice(line, line + tagLines)
    .join('\n')
    .slice(indent.length)
  const tag = jsxTag(source)
  if (tag === null || tag.kind === 'close') return null
  const empty = tag.kind === 'open' ? `${tag.source}</${name}>` : tag.source
  const to = line + empty.split('\n').length
  // A part with text after its tag or in it cannot be replaced.
  const rest = source.slice(empty.length)
  if (!source.startsWith(empty) || /^[^\n]*\S/.test(rest)) return null
  const render = (text: string, limit: number) => {
    const content = selectPart(
      withProperties(withoutFrontBlock(text), tag.attributes, limit),
      {},
      limit,
    )
    // Import lines stay unindented, because indented lines would be text.
    const isPlain = (one: string) => one === '' || one.startsWith('import ')
    return content?.map((one) => (isPlain(one) ? one : indent + one)) ?? null
  }
  return { from: line, to, target: pathOf(target), render, isMarkup: true }
}

const tagLines = 20

/** Replaces `{props.name}` in a part with the attributes of its tag. */
function withProperties(
  text: string,
  attributes: ReadonlyMap<string, string>,
  limit: number,
): string {
  let left = limit
  return text.replace(/\{\s{0,9}props\.(\w+)\s{0,9}\}/g, (whole, name: string) => {
    const value = attributes.get(name)
    left -= value?.length ?? 0
    return left < 0 ? whole : (value ?? whole)
  })
}

/** Matches Astro's `<Code code={name.trim()} />` on a separate line. */
const codeAttribute =
  /^(\s*)(<(?:CodeBlock|Code)\b[^<>]*\bcode=\{(\w+)(?:\.[^<>]*)?\}[^<>]*(\/>))\s*$/

/** Finds `{code}` on a separate line, or in a code component. */
function codeAt(lines: readonly string[], line: number, imports: Imports): Include | null {
  const source = lines[line] ?? ''
  const [, indent = '', opening = '', name = '', closing] =
    codeAttribute.exec(source) ??
    /^(\s*)(<(?:CodeBlock|Code)\b[^<>]*>)?\s*\{(\w+)\}(?:\s*(<\/\w+>))?\s*$/.exec(source) ??
    []
  const target = imports.get(name)
  if (target === undefined || (opening === '') !== (closing === undefined)) return null
  const above = opening === '' ? (lines[line - 1] ?? '').trim() : opening
  const { attributes = new Map<string, string>() } = jsxTag(above) ?? {}
  const path = pathOf(target)
  const language = attributes.get('language') ?? attributes.get('lang') ?? languageOfPath(path)
  const title = attributes.get('title') ?? ''
  const code = renderCode(path, { indent, language, title })
  const render = (text: string, limit: number) => ['', ...(code(text, limit) ?? []), '']
  return { from: line, to: line + 1, target: path, render, isMarkup: false }
}

const valueName = /(?:(["']?)([\w./@-]{1,200})\1\s*:\s*)?\b([A-Za-z_]\w*)\b(?=\s*[,}])/g

/** Finds `<Demo code={{ react, 'src/a.ts': file }} />`, whose values are imported files. */
function valuesAt(lines: readonly string[], line: number, imports: Imports): Include | null {
  const [, indent = '', name = ''] = /^(\s*)<([A-Z]\w*)(?=[\s/>]|$)/.exec(lines[line] ?? '') ?? []
  if (name === '') return null
  const tag = jsxTag(
    lines
      .slice(line, line + valueLines)
      .join('\n')
      .slice(indent.length),
  )
  if (tag?.kind !== 'alone') return null
  const to = line + tag.source.split('\n').length
  const names = [...tag.expressions.values()].flatMap((value) => [...value.matchAll(valueName)])
  const files = names.flatMap(([, , key, value = '']): Include[] => {
    const target = imports.get(value)
    if (target === undefined) return []
    const path = pathOf(target)
    const isText = /\.mdx?$/.test(path)
    const renderPart = isText ? renderText({ indent, isPage: true }) : renderCode(path, { indent })
    const render = (text: string, limit: number) => {
      const content = renderPart(text, limit)
      return content && ['', `${indent}**${key ?? value}:**`, '', ...content, '']
    }
    return [{ from: line, to, target: path, render, isMarkup: isText }]
  })
  const [first, ...also] = files
  return first === undefined ? null : { ...first, also, isAnyOf: true }
}

/** Maximum number of lines in a tag whose values are files. */
const valueLines = 60
