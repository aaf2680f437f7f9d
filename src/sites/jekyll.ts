import { renderText } from '../formats/include/include-part.ts'
import { type GrowthLimit, growthLimitFor } from '../document/growth.ts'
import type { Generator, ReadText } from './generator.ts'
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
  toMarkup: (text, { site, growth = growthLimitFor(text.length) }) => {
    const parsed = new Map<string, unknown>()
    const dataFile = (name: string) => {
      if (!parsed.has(name)) parsed.set(name, JSON.parse(site.variables.get(dataKey + name) ?? '0'))
      return parsed.get(name)
    }
    const content = withSiteData(text, { data: dataFile, growth })
    return resolveLiquidTags(withValues(content, site.variables), true)
  },
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
    /^(\s*)\{%-?\s*include(?:_relative)?\s+([\w./-]+)(?=\s)[^%]*%\}\s*$/.exec(lines[line] ?? '') ??
    []
  if (target === undefined || fence || formatOf(target) !== 'markdown') return null
  const render = renderText({ indent, isPage: true })
  return { from: line, to: line + 1, target, render, isMarkup: true }
}

/** Replaces `{{ site.version }}` with its value in the configuration. */
function withValues(text: string, variables: ReadonlyMap<string, string>): string {
  return text.replace(
    /\{\{-?\s*site\.([\w.-]+)\s*-?\}\}/g,
    (whole, name: string) => variables.get(name) ?? whole,
  )
}

/**
 * Fills in the data of a Jekyll site: `{{ site.data.x }}` and `{% for %}` loops over it. Leaves
 * other tags and loops unchanged. `data` returns the content of a file below `_data`, or undefined.
 */
function withSiteData(
  text: string,
  { data, growth }: { data: (name: string) => unknown; growth: GrowthLimit },
): string {
  if (!text.includes('site.data.')) return text
  const tokens = tokensOf(text)
  const scope: Scope = { names: new Map(), data, growth, depth: 0 }
  const out: string[] = []
  for (let at = 0; at < tokens.length; ) {
    const token = tokens[at]!
    const end = token.tag === 'raw' ? closing(tokens, at, tokens.length) : at
    const loop = token.tag === 'for' ? loopAt(tokens, at, { scope, to: tokens.length }) : null
    if (token.tag === 'assign') assign(token, scope)
    if (loop !== null) out.push(loop.text)
    else for (const { source } of tokens.slice(at, end)) out.push(source)
    const known = token.output.startsWith('site.data.') ? textOf(valueOf(token.output, scope)) : ''
    if (loop === null) out.push(known === '' ? tokens[end]!.source : charged(known, scope))
    at = (loop?.end ?? end) + 1
  }
  return out.join('')
}

/** A tag, an output or text. `tag`, `rest` and `output` are '' for other kinds. */
type Token = { source: string; tag: string; rest: string; output: string }

type Scope = {
  names: Map<string, unknown>
  data: (name: string) => unknown
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
    } else if (tag === 'assign') assign(tokens[at]!, scope)
    else if (tag === 'include') out.push(charged(argumentsOf(rest, scope), scope))
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
      const [, left = '', sign, right = ''] = /^(\S+)\s*(==|!=)\s*(.+)$/.exec(one.trim()) ?? []
      if (sign === undefined) return isTruthy(valueOf(one.trim(), scope))
      const isEqual = textOf(valueOf(left, scope)) === textOf(valueOf(right.trim(), scope))
      return isEqual === (sign === '==')
    }),
  )
}

function isTruthy(value: unknown): boolean {
  return value !== undefined && value !== null && value !== false
}

function assign({ rest }: Token, { names, ...scope }: Scope): void {
  const [, name, path] = /^(\w+)\s*=\s*(\S+)\s*$/.exec(rest) ?? []
  const value = path === undefined ? undefined : valueOf(path, { names, ...scope })
  if (value !== undefined) names.set(name!, value)
}

/** Evaluates `item.name`, `site.data.file.key` or `"text"`. Ignores filters. */
function valueOf(expression: string, { names, data }: Scope): unknown {
  const path = expression.split('|', 1)[0]!.trim()
  const [, double, single] = /^(?:"([^"]*)"|'([^']*)')$/.exec(path) ?? []
  if (double !== undefined || single !== undefined) return double ?? single
  const keys = path.replace(/\[["']?([\w-]+)["']?\]/g, '.$1').split('.')
  const isSiteData = keys[0] === 'site' && keys[1] === 'data'
  let value: unknown = isSiteData ? data(keys[2] ?? '') : names.get(keys[0]!)
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
  const values = rest.matchAll(/[\w-]+\s*=\s*("[^"]*"|'[^']*'|[\w.-]+)/g)
  return [...values].map(([, value = '']) => textOf(valueOf(value, scope))).join(' ')
}

function charged(text: string, { growth }: Scope): string {
  return growth.take(text.length) ? text : ''
}
