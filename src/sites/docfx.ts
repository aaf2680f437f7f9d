import { replaceOutsideCode } from '../document/code-span.ts'
import { regionMark, renderCode } from '../formats/include/include-part.ts'
import { withoutFrontBlock } from '../formats/front-block.ts'
import { parseAttributes } from '../document/attributes.ts'
import type { Generator, ReadText } from './generator.ts'
import { rewriteMarkdown } from '../document/markdown-lines.ts'
import {
  parentFolder,
  resolveGlobs,
  resolveInFolder,
  resolveSubfolder,
  rootForFileName,
} from './site-path.ts'
import { mapAt, parseYaml, stringsOf } from './yaml-data.ts'
import type { Include, IncludeFinder } from '../formats/include/include-file.ts'
import { type ReferenceTitles, referenceKey } from '../document/reference-key.ts'
import { isRecord } from '../platform/json.ts'

/** DocFX and Microsoft Learn: `docfx.json`, and `toc.yml` files with the navigation. */
export const docfx: Generator = {
  name: 'DocFX',
  rootOf: (path) => rootForFileName(path, ['docfx.json']),
  async read({ text, root }, read) {
    const { parse } = await import('jsonc-parser')
    const settings: unknown = parse(text)
    if (!isRecord(settings)) return null
    const { content } = mapAt(settings, 'build')
    const parts = (Array.isArray(content) ? content : [content])
      .filter(isRecord)
      .slice(0, partLimit)
    const folders = parts.map((part) => resolveSubfolder(root, stringsOf(part.src)[0] ?? '.'))
    const titles = new Map<string, string>()
    for (const folder of new Set([root, ...folders.filter((it) => it !== null)])) {
      await readToc(resolveInFolder(folder, 'toc.yml')!, titles, read)
    }
    return {
      folders: [...new Set([root, ...folders.filter((it) => it !== null)])],
      titles,
      bases: [root],
      // Files that the configuration excludes, and files in include folders.
      partialGlobs: resolveGlobs(root, [
        ...parts.flatMap((part) => stringsOf(part.exclude)),
        '**/includes',
        '**/_includes',
      ]),
    }
  },
  includes: findInclude,
  sign: /\[!code|\[!INCLUDE|:::\s*code\s/i,
  references: [
    [/<xref:\s*([^<>\s]{1,500})>/g, 'uid'],
    [/\[\]\(\s*<?xref:\s*([^()<>\s]{1,500})/g, 'uid'],
    [/(?<![\w@.])@"?([A-Za-z][\w.-]{2,200}\w)/g, 'uid'],
  ],
  toMarkup: (text, { titles }) => docfxToMarkdown(text, titles),
}

/** Maximum number of content parts. Each part has a folder and a table of contents. */
const partLimit = 200
const tocLimit = 50

/** Reads the titles in a table of contents and in the tables that it references. */
async function readToc(path: string, titles: Map<string, string>, read: ReadText): Promise<void> {
  const waiting = [path]
  const seen = new Set<string>()
  for (let at = waiting.shift(); at !== undefined && seen.size < tocLimit; at = waiting.shift()) {
    if (seen.has(at)) continue
    seen.add(at)
    const text = await read(at)
    // A table of contents is a list, or a map with a list of items.
    const toc = text === null ? null : await parseYaml(text)
    const items = isRecord(toc) ? toc.items : toc
    visitToc(items, { folder: parentFolder(at), titles, waiting, depth: 0 })
  }
}

type Toc = { folder: string; titles: Map<string, string>; waiting: string[]; depth: number }

function visitToc(items: unknown, toc: Toc): void {
  if (!Array.isArray(items) || toc.depth > 20) return
  for (const item of items.filter(isRecord)) {
    const [name] = stringsOf(item.name)
    for (const href of [...stringsOf(item.href), ...stringsOf(item.topicHref)]) {
      const path = /^[a-z]+:|^\//i.test(href)
        ? null
        : resolveInFolder(toc.folder, href.split(/[?#]/)[0]!)
      if (path === null) continue
      if (path.endsWith('.yml')) toc.waiting.push(path)
      else if (href.endsWith('/')) toc.waiting.push(`${path}/toc.yml`)
      else if (name !== undefined && !toc.titles.has(path)) toc.titles.set(path, name)
    }
    visitToc(item.items, { ...toc, depth: toc.depth + 1 })
  }
}

const snippet =
  /^(\s*(?:>\s*)?)\[!code(?:-([\w+#-]+))?\s*\[[^\]]*\]\(([^)\s]+)(?:\s"[^"]*")?\)\]\s*$/i
const text = /^(.*?)\[!INCLUDE\s*\[[^[\]]*\]\s*\(([^)\s]+)(?:\s+"[^"]*")?\)\s*\](.*)$/i
const triple = /^(\s*):::\s*code\s+(.*?):::\s*$/

/** Finds `[!code-csharp[](file#region)]`, `:::code source="file":::` and `[!INCLUDE [](file)]`. */
function findInclude(...[lines, { line, formatOf, fence }]: Parameters<IncludeFinder>) {
  const source = lines[line] ?? ''
  const at = { from: line, to: line + 1 }
  if (fence !== null) return null
  const [, indent = '', language, argument] = snippet.exec(source) ?? []
  if (argument !== undefined) return codeInclude({ ...at, indent, language, ...queryOf(argument) })
  const [, margin = '', options] = triple.exec(source) ?? []
  if (options !== undefined) {
    const attributes = parseAttributes(options)
    const values = new Map([
      ['name', attributes.get('id') ?? attributes.get('region') ?? ''],
      ['range', attributes.get('range') ?? ''],
    ])
    const target = attributes.get('source') ?? ''
    return codeInclude({
      ...at,
      indent: margin,
      language: attributes.get('language'),
      target,
      options: values,
    })
  }
  const [, before = '', target, after = ''] = text.exec(source) ?? []
  if (target === undefined) return null
  const isMarkup = ['markdown', null].includes(formatOf(target))
  const render = (content: string): string[] => {
    const margin = /^[\s>]*/.exec(before)![0]
    const body = withoutFrontBlock(content).trim().split('\n')
    const last = body.length - 1
    const indented = body.map((one, i) => (i === 0 ? one : margin + one))
    indented[0] = before + indented[0]
    indented[last] += after
    return indented
  }
  return { ...at, target, render, isMarkup } satisfies Include
}

/** Splits `file#region`, `file?name=region&highlight=2`, `file?range=2-5` or `file#L2-L5`. */
function queryOf(source: string): { target: string; options: Map<string, string> } {
  const [, target = '', query = '', hash = ''] = /^([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/.exec(source)!
  const values = new Map<string, string>()
  for (const pair of query.split('&')) {
    const [key = '', value = ''] = pair.split('=')
    values.set(key.toLowerCase(), value)
  }
  const lines = /^L(\d+)(?:-L(\d+))?$/.exec(hash)
  if (lines) values.set('range', `${lines[1]}-${lines[2] ?? lines[1]}`)
  else if (hash !== '') values.set('name', hash)
  const start = values.get('start')
  if (start) values.set('range', `${start}-${values.get('end') ?? ''}`)
  return { target, options: values }
}

type CodeInclude = Pick<Include, 'from' | 'to' | 'target'> & {
  indent: string
  language: string | undefined
  options: ReadonlyMap<string, string>
}

function codeInclude({ indent, language, options, ...at }: CodeInclude): Include {
  const [region, lines] = ['name', 'range'].map((key) => options.get(key) || undefined)
  const part = { region, lines, marks: [tagMark, regionMark] }
  const render = renderCode(at.target, { indent, part, language: language?.toLowerCase() })
  return { ...at, render, isMarkup: false }
}

/** The start or end of a snippet: `// <name>`, `<!-- </name> -->`. */
const tagMark =
  /^\s*(?:\/\/|#|'|--|;|%|rem|<!--|\/\*)\s*<(?<end>\/?)(?<name>[\w.-]+)>\s*(?:-->|\*\/)?\s*$/i

/**
 * Converts the extensions of DocFX and Microsoft Learn to Markdown: tabs, cross-references,
 * monikers, zones, columns and images. Replaces references with page titles.
 */
export function docfxToMarkdown(text: string, titles: ReferenceTitles = new Map()): string {
  let openLevel = 0
  const closed = () => {
    const mark = openLevel > 0 ? '::::\n\n' : ''
    openLevel = 0
    return mark
  }
  const markdown = rewriteMarkdown(text, {
    prose(line) {
      const [, marks, label] = /^(#{1,6})\s+\[(.+?)\]\(#tab\/[^()\s]{0,200}\)\s*$/.exec(line) ?? []
      if (marks !== undefined) {
        const end = closed()
        openLevel = marks.length
        return `${end}:::: tab ${plainLabel(label!)}\n`
      }
      if (openLevel > 0 && /^\s*(?:\*\s*\*\s*\*|---+|___+)\s*$/.test(line))
        return closed().trimEnd()
      const heading = /^(#{1,6})\s/.exec(line)?.[1]?.length ?? Infinity
      if (openLevel > 0 && heading <= openLevel) return closed() + withReferences(line, titles)
      if (/^\s*:::/.test(line)) return colons(line, titles)
      if (/^\s*>\s*\[!(?:div|VIDEO)\b/i.test(line)) return video(line)
      return withReferences(line, titles)
    },
  })
  return openLevel > 0 ? `${markdown}\n${closed().trimEnd()}\n` : markdown
}

function plainLabel(label: string): string {
  return label.replace(/[*`]/g, '')
}

/** Removes or rewrites `:::moniker`, `:::zone`, `:::row:::` and `:::image … alt-text="x":::`. */
function colons(line: string, titles: ReferenceTitles): string | null {
  const [, indent = '', name = '', options = ''] =
    /^(\s*):::\s*([\w-]+)([^]*?)(?::::)?$/.exec(line.trimEnd()) ?? []
  const attributes = parseAttributes(options)
  if (name === 'moniker') return `${indent}**${attributes.get('range') ?? ''}:**\n`
  if (name === 'zone')
    return `${indent}**${attributes.get('pivot') ?? attributes.get('target') ?? ''}:**\n`
  if (name === 'image') return indent + (attributes.get('alt-text') ?? '')
  if (name === 'no-loc') return indent + (attributes.get('text') ?? '')
  const isLayout = /^(?:row|column|moniker|zone|image)(?:-end)?$/.test(name)
  return isLayout ? null : withReferences(line, titles)
}

function video(line: string): string | null {
  const url = /\[!VIDEO\s+([^\]\s]+)/i.exec(line)?.[1]
  return url === undefined ? null : `Video: ${url}`
}

/** Replaces `<xref:uid>` with a title or name, and `[text](xref:uid)` with its text. */
function withReferences(source: string, titles: ReferenceTitles): string {
  const line = withMentions(source, titles)
  if (!line.includes('xref:') && !line.includes(':::')) return line
  const [, definition, uid] = /^(\s*\[[^\]]+\]:\s*)xref:\s*(\S+)\s*$/.exec(line) ?? []
  if (definition !== undefined) return definition + uid
  return line
    .replace(/<xref:\s*([^<>\s]{1,500})>/g, (_, target: string) => shownAs(target, titles))
    .replace(/:::no-loc\s+text="([^"]*)"[^:]*:::/g, '$1')
    .replace(uidLink, (_, label: string, target: string) => label || shownAs(target, titles))
}

/** A link to a reference: its label and its uid. Both may contain a pair of brackets. */
const uidLink = new RegExp(
  String.raw`\[((?:[^[\]]|\[[^[\]]{0,200}\]){0,500})\]` +
    String.raw`\(\s*<?xref:\s*((?:[^()\s>]|\([^()]{0,200}\)){0,500})[^()]{0,200}\)`,
  'g',
)

/** Replaces `@uid` with the page's title. Leaves other words unchanged. */
function withMentions(line: string, titles: ReferenceTitles): string {
  if (titles.size === 0 || !line.includes('@')) return line
  const mention = /(?<![\w@.])@"?([A-Za-z][\w.-]{2,200}\w)"?/
  return replaceOutsideCode(
    line,
    mention,
    ([, uid = '']) => titles.get(referenceKey('uid', uid)) ?? null,
  )
}

/** Returns the title of the page with a uid, or else an object's name. */
function shownAs(uid: string, titles: ReferenceTitles): string {
  return titles.get(referenceKey('uid', uid)) ?? nameOf(uid)
}

/** Converts `System.String.Format*?displayProperty=nameWithType` to `` `String.Format` ``. */
function nameOf(uid: string): string {
  const [path = '', query = ''] = uid.split('?')
  const plain = percentDecoded(path)
    .replace(/\(.*$/, '')
    .replace(/\*$/, '')
    .replace(/``?\d+/g, '')
  if (plain.includes('/')) return plain.slice(plain.lastIndexOf('/') + 1).replace(/[-_]/g, ' ')
  const parts = plain.split('.')
  const count = /fullName/i.test(query) ? parts.length : /nameWithType/i.test(query) ? 2 : 1
  return `\`${parts.slice(-count).join('.').replaceAll('#', '')}\``
}

function percentDecoded(path: string): string {
  return path.replace(/%([0-7][\da-f])/gi, (_, code: string) => {
    return String.fromCharCode(Number.parseInt(code, 16))
  })
}
