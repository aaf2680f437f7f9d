import { isRecord } from '../../../platform/json.ts'
import type { Include, IncludeFinder } from '../../include/include-file.ts'
import { dedent, linesBetween, selectPart } from '../../include/include-part.ts'
import { fenceCode } from '../../../document/fence.ts'
import { languageOfPath } from '../../language.ts'
import { docfxToMarkdown } from './docfx-text.ts'
import type { Generator, ReadText } from '../generator.ts'
import { parseAttributes } from '../../../document/attributes.ts'
import {
  resolveSubfolder,
  parentFolder,
  resolveGlobs,
  resolveInFolder,
  rootForFileName,
} from '../site-path.ts'
import { mapAt, stringsOf, parseYamlData } from '../yaml-data.ts'

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
      // Files that the configuration excludes from the content, and files in folders of includes.
      partialGlobs: resolveGlobs(root, [
        ...parts.flatMap((part) => stringsOf(part.exclude)),
        '**/includes',
        '**/_includes',
      ]),
    }
  },
  includes: findInclude,
  sign: /\[!code|\[!INCLUDE|:::\s*code\s/i,
  toMarkup: (text, { titles }) => docfxToMarkdown(text, titles),
}

/** Maximum number of content parts, each with a folder and a table of contents. */
const partLimit = 200
const tocLimit = 50

/** Reads the titles of a table of contents, and of the tables that it refers to. */
async function readToc(path: string, titles: Map<string, string>, read: ReadText): Promise<void> {
  const waiting = [path]
  const seen = new Set<string>()
  for (let at = waiting.shift(); at !== undefined && seen.size < tocLimit; at = waiting.shift()) {
    if (seen.has(at)) continue
    seen.add(at)
    const text = await read(at)
    // A table of contents is a list, or a map with a list of items.
    const toc =
      text === null ? null : await parseYamlData(/^\s*-/m.test(text) ? listText(text) : text)
    if (toc !== null) visitToc(toc.items, { folder: parentFolder(at), titles, waiting, depth: 0 })
  }
}

/** A top-level list of a YAML file, as the `items` of a map. */
function listText(text: string): string {
  const isMapped = /^items\s*:/m.test(text)
  return isMapped ? text : `items:\n${text.replace(/^###.*$/gm, '')}`
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
  const [, indent = '', language, written] = snippet.exec(source) ?? []
  if (written !== undefined) return codeInclude({ ...at, indent, language, ...queryOf(written) })
  const [, margin = '', options] = triple.exec(source) ?? []
  if (options !== undefined) {
    const attributes = parseAttributes(options)
    const named = new Map([
      ['name', attributes.get('id') ?? attributes.get('region') ?? ''],
      ['range', attributes.get('range') ?? ''],
    ])
    const target = attributes.get('source') ?? ''
    return codeInclude({
      ...at,
      indent: margin,
      language: attributes.get('language'),
      target,
      named,
    })
  }
  const [, before = '', target, after = ''] = text.exec(source) ?? []
  if (target === undefined) return null
  const isMarkup = ['markdown', null].includes(formatOf(target))
  const render = (content: string): string[] => {
    const margin = /^[\s>]*/.exec(before)![0]
    const body = withoutFront(content).replace(/\n+$/, '').split('\n')
    const last = body.length - 1
    const indented = body.map((one, i) => (i === 0 ? one : margin + one))
    indented[0] = before + indented[0]
    indented[last] += after
    return indented
  }
  return { ...at, target, render, isMarkup } satisfies Include
}

function withoutFront(content: string): string {
  return content.replace(/^---\n[^]*?\n---\n+/, '')
}

/** Splits `file#region`, `file?name=region&highlight=2`, `file?range=2-5` or `file#L2-L5`. */
function queryOf(written: string): { target: string; named: Map<string, string> } {
  const [, target = '', query = '', hash = ''] = /^([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/.exec(written)!
  const named = new Map<string, string>()
  for (const pair of query.split('&')) {
    const [key = '', value = ''] = pair.split('=')
    named.set(key.toLowerCase(), value)
  }
  const lines = /^L(\d+)(?:-L(\d+))?$/.exec(hash)
  if (lines) named.set('range', `${lines[1]}-${lines[2] ?? lines[1]}`)
  else if (hash !== '') named.set('name', hash)
  const start = named.get('start')
  if (start) named.set('range', `${start}-${named.get('end') ?? ''}`)
  return { target, named }
}

type CodeInclude = Pick<Include, 'from' | 'to' | 'target'> & {
  indent: string
  language: string | undefined
  named: ReadonlyMap<string, string>
}

function codeInclude({ indent, language, named, ...at }: CodeInclude): Include {
  const render = (content: string, limit: number): string[] | null => {
    const lines = snippetLines(content, named, limit)
    if (lines === null) return null
    const code = fenceCode(lines.join('\n'), (language ?? languageOfPath(at.target)).toLowerCase())
    return code.split('\n').map((one) => (one === '' ? indent.trimEnd() : indent + one))
  }
  return { ...at, render, isMarkup: false }
}

function snippetLines(
  content: string,
  named: ReadonlyMap<string, string>,
  limit: number,
): string[] | null {
  const [name, range] = [named.get('name') ?? '', named.get('range') ?? '']
  const all = content.replaceAll('\r', '').replace(/\n$/, '').split('\n')
  const part = name === '' ? all : (taggedLines(all, name) ?? regionLines(content, name))
  if (part === null) return null
  const chosen = range === '' ? part : selectPart(part.join('\n'), { lines: range }, limit)
  return chosen && dedent(chosen.filter((line) => !tag.test(line)))
}

function regionLines(content: string, name: string): string[] | null {
  const names = [...content.matchAll(/#region[ \t]+([\w.-]+)/gi)].map(([, written = '']) => written)
  const region = names.find((written) => written.toLowerCase() === name.toLowerCase())
  return region === undefined ? null : selectPart(content, { region })
}

/** The line that begins or ends a snippet: `// <name>`, `<!-- </name> -->`, `#region name`. */
const tag = new RegExp(
  "^\\s*(?:(?://|#|'|--|;|%|rem)\\s*</?[\\w.-]+>\\s*" +
    '|(?:<!--|/\\*)\\s*</?[\\w.-]+>\\s*(?:-->|\\*/)\\s*|(?://\\s*)?#(?:end)?region\\b.*)$',
  'i',
)

function taggedLines(lines: readonly string[], name: string): string[] | null {
  const tagOf = (line: string) =>
    /^\s*(?:\/\/|#|'|--|;|%|rem|<!--|\/\*)\s*<(\/?)([\w.-]+)>\s*(?:-->|\*\/)?\s*$/i.exec(line)
  const key = name.toLowerCase()
  const isMark = (line: string, slash: string) => {
    const [, end, other] = tagOf(line) ?? []
    return end === slash && other?.toLowerCase() === key
  }
  return linesBetween(lines, [(line) => isMark(line, ''), (line) => isMark(line, '/')], true)
}
