import { formatOf } from '../formats/formats.ts'
import { withoutFrontBlock } from '../formats/front-block.ts'
import { renderText } from '../formats/include/include-part.ts'
import { rewriteMarkdown, withMarks } from '../document/markdown-lines.ts'
import { type GrowthLimit, growthLimitFor } from '../document/growth.ts'
import type { Generator, InheritingPage, ReadText } from './generator.ts'
import { resolveInFolder, rootForFileName } from './site-path.ts'
import { parseYaml, parseYamlData, scalarsOf } from './yaml-data.ts'
import type { Include, IncludeFinder } from '../formats/include/include-file.ts'
import { resolveLiquidTags } from '../formats/markdown/liquid.ts'
import { isRecord } from '../platform/json.ts'

/** Jekyll: `_config.yml`. Other Jekyll tags are converted in all Markdown files. */
export const jekyll: Generator = {
  name: 'Jekyll',
  rootOf: (path) => rootForFileName(path, ['_config.yml', '_config.yaml']),
  async read({ text, root, paths = [] }, read) {
    const config = await parseYamlData(text)
    if (config === null) return null
    // Jupyter Book, which is based on Sphinx, also has a `_config.yml`.
    if ('sphinx' in config || 'execute' in config) return null
    return {
      folders: [root],
      variables: new Map([...scalarsOf(config), ...(await dataOf(root, paths, read))]),
      bases: [resolveInFolder(root, '_includes')!, root],
      partials: /(?:^|\/)_(?:includes|layouts|data|sass)\//,
    }
  },
  pathsLike: /(?:^|\/)_data\/(?:[^/]+\/)?[^/]+\.(?:ya?ml|json)$/,
  includes: jekyllInclude,
  sign: /\{%-?\s*include/,
  inheritValues: readIncludes,
  toMarkup: (text, { site, front = new Map(), growth = growthLimitFor(text.length) }) => {
    const parsed = new Map<string, unknown>()
    const dataFile = (name: string) =>
      parsed.getOrInsertComputed(name, () => JSON.parse(site.variables.get(dataKey + name) ?? '0'))
    const value = (name: string) => site.variables.get(name)
    const source = (name: string) => front.get(includeKey + name)
    const names = new Map([['page', Object.fromEntries(front)]])
    const content = withValues(text, { names, dataFile, value, source, growth, depth: 0 })
    const plain = rewriteMarkdown(content, { prose: (line) => withMarks(line, kramdownMarks) })
    return resolveLiquidTags(plain, true)
  },
}

/** Settings of kramdown, and the marks around its raw HTML. */
const kramdownMarks = [
  { open: /\{::(?:options|nomarkdown)\b[^{}\n]{0,200}\}|\{:\/\w{0,20}\}|^\{:toc\}$/, becomes: '' },
]

/** Prefix of the values of a page with the source of an include. */
const includeKey = 'include:'
const includeLimit = 20_000
const includeDepth = 3

/** Adds the sources of the includes on a page, and of the includes in them. */
async function readIncludes(
  { text, front, root }: InheritingPage,
  read: ReadText,
): Promise<ReadonlyMap<string, string>> {
  const values = new Map(front)
  let sources = [text]
  for (let depth = 0; depth < includeDepth; depth++) {
    const all = sources.flatMap((source) => [...source.matchAll(/\{%-?\s*include\s+([\w./-]+)/g)])
    sources = []
    for (const name of new Set(all.map((match) => match[1]!))) {
      const path = resolveInFolder(root, `_includes/${name}`)
      const source = path === null || values.has(includeKey + name) ? null : await read(path)
      if (source === null || source.length > includeLimit) continue
      values.set(includeKey + name, source)
      sources.push(source)
    }
  }
  return values
}

/** Prefix of variables with the data of a file or folder in `_data`. Their values are JSON. */
const dataKey = 'data/'

const dataFiles = 100
/** Maximum length of the data of a file or folder, in characters of JSON. */
const dataLimit = 300_000

/** Returns the data in the YAML and JSON files of `_data` and its subfolders. */
async function dataOf(
  root: string,
  paths: readonly string[],
  read: ReadText,
): Promise<[string, string][]> {
  const start = `${resolveInFolder(root, '_data')!}/`
  const files: { steps: string[]; content: unknown }[] = []
  for (const path of paths.filter((it) => it.startsWith(start)).slice(0, dataFiles)) {
    const steps = path
      .slice(start.length)
      .replace(/\.\w+$/, '')
      .split('/')
    files.push({ steps, content: await parseYaml((await read(path)) ?? '') })
  }
  const byName = Map.groupBy(files, ({ steps }) => steps[0]!)
  const entries = [...byName].map(([name, mine]): [string, string] => {
    const own = mine.find(({ steps }) => steps.length === 1)
    const below = Object.fromEntries(mine.map(({ steps, content }) => [steps[1] ?? '', content]))
    return [dataKey + name, JSON.stringify(own === undefined ? below : own.content) ?? '0']
  })
  return entries.filter(([, json]) => json.length <= dataLimit)
}

/** Finds `{% include part %}` with a Markdown file. HTML files belong to the layout. */
function jekyllInclude(
  ...[lines, { line, fence, formatOf }]: Parameters<IncludeFinder>
): Include | null {
  const [, indent = '', target] =
    /^(\s*)\{%-?\s*include(?:_relative)?\s+([\w./-]+)\s*-?%\}\s*$/.exec(lines[line] ?? '') ?? []
  if (target === undefined || fence || formatOf(target) !== 'markdown') return null
  const render = renderText({ indent, isPage: true })
  return { from: line, to: line + 1, target, render, isMarkup: true }
}

/**
 * Fills in the values, data and includes of a Jekyll site: `{{ site.data.x }}`, `{% for %}` loops
 * over it, `{% include part.html title="x" %}`. Leaves other tags and loops unchanged.
 */
function withValues(text: string, scope: Scope): string {
  if (!/\{[{%]/.test(text)) return text
  const tokens = tokensOf(text)
  const out: string[] = []
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at]!
    const end = /^(?:raw|capture|if|unless)$/.test(token.tag)
      ? closing(tokens, at, tokens.length)
      : at
    const run = { scope, to: tokens.length }
    const loop = token.tag === 'for' ? loopAt(tokens, at, run) : null
    const inner = { scope, to: end }
    if (token.tag === 'assign') assign(token, scope)
    if (token.tag === 'capture') scope.names.set(token.rest, bodyText(tokens, at + 1, inner))
    const content =
      loop?.text ??
      (token.tag === 'include' ? includeText(token, scope) : null) ??
      (isKnown(token, scope) ? branchText(tokens, at, inner) : null)
    const isWhole = content !== null || /^(?:raw|capture)$/.test(token.tag)
    if (token.tag === 'raw') out.push(...tokens.slice(at, end).map((one) => one.source))
    const value = token.output === '' ? '' : textOf(valueOf(token.output, scope))
    const source = token.tag === 'capture' ? '' : tokens[token.tag === 'raw' ? end : at]!.source
    out.push(content ?? (value === '' ? source : charged(value, scope)))
    at = loop?.end ?? (isWhole ? end : at)
  }
  return out.join('')
}

/** True if the values in a condition are known, so that only one branch is shown. */
function isKnown({ tag, rest }: Token, scope: Scope): boolean {
  if (tag !== 'if' && tag !== 'unless') return false
  const operands = rest.split(/\s+(?:and|or|==|!=|contains)\s+|(?:==|!=)/)
  return operands.every((one) => valueOf(one.trim(), scope) !== undefined)
}

const knownTag = /^(?:end\w+|if|unless|els(?:e|if)|for|assign|capture|comment|include|raw|)$/

/** Runs an include with its arguments; null if it is unknown, or shows none of them. */
function includeText({ rest }: Token, scope: Scope): string | null {
  const [, name = '', args = ''] = /^([\w./-]+)\s*(.*)$/s.exec(rest) ?? []
  const source = scope.depth < includeDepth ? scope.source(name) : undefined
  if (source === undefined) return null
  const tokens = tokensOf(withoutFrontBlock(source))
  if (!tokens.every(({ tag }) => knownTag.test(tag))) return null
  const values = Array.from(args.matchAll(argument), ([, key = '', value = '']) => [
    key,
    valueOf(value, scope),
  ])
  const names = new Map([...scope.names, ['include', Object.fromEntries(values)]])
  const inner = { ...scope, names, depth: scope.depth + 1 }
  const content = bodyText(tokens, 0, { scope: inner, to: tokens.length })
  const hasText = /[\p{L}\p{N}]|<(?:img|video|iframe)\b/u.test(
    content.replace(/<(?!img|video|iframe)[^<>]*>/g, ''),
  )
  if (!hasText) return args === '' ? '' : null
  return formatOf(name, '') === 'html' ? content.replace(/\n\s*/g, '\n').trim() : content.trim()
}

const argument = /([\w-]+)\s*=\s*("[^"]*"|'[^']*'|[\w.-]+)/g

/** A tag, an output or text. `tag`, `rest` and `output` are '' for other kinds. */
type Token = { source: string; tag: string; rest: string; output: string }

type Scope = {
  names: Map<string, unknown>
  /** Return the content of a file in `_data`, a value of the configuration, and an include. */
  dataFile: (name: string) => unknown
  value: (name: string) => string | undefined
  source: (name: string) => string | undefined
  growth: GrowthLimit
  /** The number of enclosing blocks. */
  depth: number
}

const depthLimit = 10

const tokenPattern =
  /\{%-?\s*(\w+)\s*((?:[^%]|%(?!\})){0,500}?)\s*-?%\}|\{\{-?\s*((?:[^{}]){0,500}?)\s*-?\}\}/g

function tokensOf(text: string): Token[] {
  const tokens: Token[] = []
  const plain = (source: string) => ({ source, tag: '', rest: '', output: '' })
  let from = 0
  for (const match of text.matchAll(tokenPattern)) {
    if (match.index > from) tokens.push(plain(text.slice(from, match.index)))
    const [source, tag = '', rest = '', output = ''] = match
    tokens.push({ source, tag, rest, output })
    from = match.index + source.length
  }
  if (from < text.length) tokens.push(plain(text.slice(from)))
  return tokens
}

/** Returns the index of the token that closes the block at `at`, or `to - 1` if it is unclosed. */
function closing(tokens: readonly Token[], at: number, to: number): number {
  const name = tokens[at]!.tag
  let depth = 0
  for (let index = at; index < to; index++) {
    const { tag } = tokens[index]!
    if (tag === name) depth++
    if (tag === `end${name}` && --depth === 0) return index
  }
  return to - 1
}

type Range = { scope: Scope; to: number }

/** Runs a loop. Returns null if its collection is unknown. */
function loopAt(
  tokens: readonly Token[],
  at: number,
  { scope, to }: Range,
): { text: string; end: number } | null {
  const [, name, path] = /^(\w+)\s+in\s+([\w.[\]"'-]+)/.exec(tokens[at]!.rest) ?? []
  const collection = path === undefined ? undefined : valueOf(path, scope)
  const items = Array.isArray(collection)
    ? collection
    : isRecord(collection)
      ? Object.entries(collection)
      : null
  if (name === undefined || items === null) return null
  const end = closing(tokens, at, to)
  const out: string[] = []
  for (const item of items.slice(0, itemLimit)) {
    const names = new Map([...scope.names, [name, item]])
    if (!scope.growth.take(1)) break
    out.push(bodyText(tokens, at + 1, { scope: { ...scope, names }, to: end }))
  }
  return { text: out.join(''), end }
}

const itemLimit = 2000

/** Renders the tokens in a block, from `from` to `to`. */
function bodyText(tokens: readonly Token[], from: number, { scope: outer, to }: Range): string {
  const scope = { ...outer, depth: outer.depth + 1 }
  const out: string[] = []
  if (scope.depth > depthLimit) return ''
  for (let at = from; at < to; at++) {
    const { tag, rest, output, source } = tokens[at]!
    if (tag === 'for') {
      const loop = loopAt(tokens, at, { scope, to })
      out.push(loop?.text ?? '')
      at = loop?.end ?? closing(tokens, at, to)
    } else if (tag === 'if' || tag === 'unless') {
      const end = closing(tokens, at, to)
      out.push(branchText(tokens, at, { scope, to: end }))
      at = end
    } else if (tag === 'comment' || tag === 'capture') {
      const end = closing(tokens, at, to)
      if (tag === 'capture') scope.names.set(rest, bodyText(tokens, at + 1, { scope, to: end }))
      at = end
    } else if (tag === 'assign') assign(tokens[at]!, scope)
    else if (tag === 'include')
      out.push(includeText(tokens[at]!, scope) ?? charged(argumentsOf(rest, scope), scope))
    else if (output !== '') out.push(charged(textOf(valueOf(output, scope)), scope))
    else if (tag === '') out.push(charged(source, scope))
  }
  return out.join('')
}

/** Renders the first branch of `if … elsif … else` with a true condition. */
function branchText(tokens: readonly Token[], at: number, { scope, to }: Range): string {
  const { tag, rest } = tokens[at]!
  let isTrue = holds(rest, scope) === (tag === 'if')
  let from = at + 1
  let depth = 0
  for (let index = from; index < to; index++) {
    const { tag: inner, rest: condition } = tokens[index]!
    if (/^(?:if|unless|case|for)$/.test(inner)) depth++
    else if (/^end(?:if|unless|case|for)$/.test(inner)) depth--
    if (depth > 0 || !/^els(?:e|if)$/.test(inner)) continue
    if (isTrue) return bodyText(tokens, from, { scope, to: index })
    isTrue = inner === 'else' || holds(condition, scope)
    from = index + 1
  }
  return isTrue ? bodyText(tokens, from, { scope, to }) : ''
}

function holds(condition: string, scope: Scope): boolean {
  return condition.split(/\s+or\s+/).some((part) =>
    part.split(/\s+and\s+/).every((one) => {
      const [, left = '', sign, right = ''] =
        /^(\S+?)\s*(==|!=|contains)\s*(.+)$/.exec(one.trim()) ?? []
      if (sign === undefined) return isTruthy(valueOf(one.trim(), scope))
      const [a, b] = [left, right.trim()].map((it) => textOf(valueOf(it, scope))) as [
        string,
        string,
      ]
      if (sign === 'contains') return a.includes(b)
      const isEqual = a === b
      return isEqual === (sign === '==')
    }),
  )
}

function isTruthy(value: unknown): boolean {
  return value !== undefined && value !== null && value !== false
}

function assign({ rest }: Token, scope: Scope): void {
  const [, name, expression] = /^(\w+)\s*=\s*(\S.*)$/s.exec(rest) ?? []
  const value = expression === undefined ? undefined : valueOf(expression, scope)
  if (value !== undefined) scope.names.set(name!, value)
}

/** Evaluates `item.name`, `site.data.file.key` or `"text" | upcase`. Ignores unknown filters. */
function valueOf(expression: string, scope: Scope): unknown {
  const [path = '', ...rest] = expression.split('|')
  return rest.reduce(
    (value: unknown, filter) => {
      const [, name = '', argument = ''] = /^\s*(\w+)(?::\s*(.*))?$/s.exec(filter) ?? []
      const other = argument === '' ? '' : textOf(valueOf(argument.trim(), scope))
      if (name === 'default') return isTruthy(value) && value !== '' ? value : other
      return typeof value === 'string' ? (filters[name]?.(value, other) ?? value) : value
    },
    plainValue(path.trim(), scope),
  )
}

const filters: Readonly<Record<string, (text: string, other: string) => string>> = {
  append: (text, other) => text + other,
  prepend: (text, other) => other + text,
  upcase: (text) => text.toUpperCase(),
  downcase: (text) => text.toLowerCase(),
  capitalize: (text) => text.slice(0, 1).toUpperCase() + text.slice(1),
}

function plainValue(path: string, { names, dataFile, value: configured }: Scope): unknown {
  const [, double, single] = /^(?:"([^"]*)"|'([^']*)')$/.exec(path) ?? []
  if (double !== undefined || single !== undefined) return double ?? single
  if (/^-?\d+(?:\.\d+)?$/.test(path)) return Number(path)
  if (/^(?:true|false)$/.test(path)) return path === 'true'
  const keys = path.replace(/\[["']?([\w-]+)["']?\]/g, '.$1').split('.')
  const isSiteData = keys[0] === 'site' && keys[1] === 'data'
  if (keys[0] === 'site' && !isSiteData) return configured(keys.slice(1).join('.'))
  let value: unknown = isSiteData ? dataFile(keys[2] ?? '') : names.get(keys[0]!)
  for (const key of keys.slice(isSiteData ? 3 : 1)) {
    const at = key === 'first' ? '0' : key
    if (Array.isArray(value)) value = key === 'size' ? value.length : value[Number(at)]
    else value = isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined
  }
  return value
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).join(', ')
  return typeof value === 'string' || typeof value === 'number' ? String(value).trim() : ''
}

/** Evaluates the arguments of an include, such as the version for a badge. */
function argumentsOf(rest: string, scope: Scope): string {
  return Array.from(rest.matchAll(argument), ([, , value = '']) =>
    textOf(valueOf(value, scope)),
  ).join(' ')
}

function charged(text: string, { growth }: Scope): string {
  return growth.take(text.length) ? text : ''
}
