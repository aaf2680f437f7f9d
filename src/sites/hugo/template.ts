import { fenceCode } from '../../document/fence.ts'
import { isRecord } from '../../platform/json.ts'
import { parseYaml } from '../yaml-data.ts'

/** A shortcode, and the site with its templates and data. */
export type TemplatePage = {
  args: ReadonlyMap<string, string>
  /** The page's top folder in the content. */
  section: string
  /** The content of the shortcode. */
  inner: string
  parameter(name: string): string | undefined
  /** Reads a file below the site's root, or returns null. */
  read(path: string): Promise<string | null>
}

type Piece = { text: string; isSpaced: boolean }
type Node =
  | { text: string }
  | { pipe: Piece[] }
  | { kind: string; pipe: Piece[]; body: Node[]; otherwise: Node[] }

/** A folder below `data`. Its files are read at first use. */
class Data {
  constructor(readonly path: string) {}
}
/** The parameters of the page and the site. */
class Parameters {}
class ShortcodeContext {}
class Returned {
  constructor(readonly value: unknown) {}
}
/** Thrown if a template uses an unsupported feature. The shortcode then stays in the page. */
class UnknownTemplate extends Error {}

type Run = {
  page: TemplatePage
  variables: Map<string, unknown>
  /** Listings, whose lines must not be joined. */
  codes: string[]
  steps: { left: number }
  depth: number
}

/** Limits on the actions of a shortcode and on the nesting of partials. */
const stepLimit = 20_000
const depthLimit = 8

/**
 * Runs a shortcode's template. Supports text, variables, conditions, loops over data files,
 * partials and plain functions. Returns null if the template uses anything else.
 */
export async function runTemplate(template: string, page: TemplatePage): Promise<string | null> {
  const run: Run = {
    ...{ page, variables: new Map(), codes: [] },
    ...{ steps: { left: stepLimit }, depth: 0 },
  }
  try {
    const output = await runNodes(parseTemplate(template), { run, dot: new ShortcodeContext() })
    if (output instanceof Returned) return null
    const lines = output.split('\n').map((line) => line.trim())
    const text = lines.filter((line) => line !== '').join('\n')
    const isBlock = /<(?:table|[uod]l|div|h\d|p|section|blockquote|pre)\b|\0/i.test(text)
    const content = text.replace(/\0(\d+)\0/g, (_, at) => `\n\n${run.codes[Number(at)]}\n\n`)
    return isBlock ? `\n\n${content}\n\n` : content
  } catch (error) {
    if (error instanceof UnknownTemplate) return null
    throw error
  }
}

function parseTemplate(template: string): Node[] {
  const source = template.replaceAll('\0', '').replace(/\{\{-?\s*\/\*[^]*?\*\/\s*-?\}\}/g, '')
  const trimmed = source.replace(/\s*\{\{-(?=\s)/g, '{{').replace(/(?<=\s)-\}\}\s*/g, '}}')
  const root: Node[] = []
  const open: { node: Extract<Node, { kind: string }>; list: Node[] }[] = []
  let list = root
  for (const [at, part] of trimmed.split(/\{\{([^]*?)\}\}/).entries()) {
    if (at % 2 === 0) {
      if (part !== '') list.push({ text: part })
      continue
    }
    const pipe = piecesOf(part)
    const word = pipe[0]?.text ?? ''
    if (word === 'end') {
      const closed = open.pop()
      if (closed === undefined) throw new UnknownTemplate('end')
      // `else if` opens another block with the same `end`.
      list = closed.list
    } else if (word === 'else') {
      const { node } = open.at(-1) ?? {}
      if (node === undefined) throw new UnknownTemplate('else')
      list = node.otherwise
      if (pipe.length > 1) {
        const inner = { kind: pipe[1]!.text, pipe: pipe.slice(2), body: [], otherwise: [] }
        list.push(inner)
        open[open.length - 1] = { node: inner, list: open.at(-1)!.list }
        list = inner.body
      }
    } else if (/^(?:if|with|range)$/.test(word)) {
      const node = { kind: word, pipe: pipe.slice(1), body: [], otherwise: [] }
      list.push(node)
      open.push({ node, list })
      list = node.body
    } else if (/^(?:define|block|template|break|continue)$/.test(word)) {
      throw new UnknownTemplate(word)
    } else if (word !== '') list.push({ pipe })
  }
  if (open.length > 0) throw new UnknownTemplate('end')
  return root
}

function piecesOf(source: string): Piece[] {
  const token = /(\s*)("(?:[^"\\]|\\.)*"|`[^`]*`|:=|[()|=,]|[^\s()|",`=:]+)/g
  return Array.from(source.matchAll(token), ([, space = '', text = '']) => ({
    text,
    isSpaced: space !== '',
  }))
}

type Place = { run: Run; dot: unknown }

async function runNodes(nodes: readonly Node[], place: Place): Promise<string | Returned> {
  let out = ''
  for (const node of nodes) {
    if ('text' in node) {
      out += node.text
      continue
    }
    if (--place.run.steps.left < 0) throw new UnknownTemplate('steps')
    const output = 'kind' in node ? await runBlock(node, place) : await runAction(node.pipe, place)
    if (output instanceof Returned) return output
    out += output
  }
  return out
}

async function runAction(pipe: readonly Piece[], place: Place): Promise<string | Returned> {
  if (pipe[0]?.text === 'return') return new Returned(await valueOf(pipe.slice(1), place))
  const value = await valueOf(pipe, place)
  if (/^:?=$/.test(pipe[1]?.text ?? '')) return ''
  if (value instanceof Data || value instanceof Parameters || value === undefined)
    throw new UnknownTemplate('value')
  return textOf(value)
}

async function runBlock(
  { kind, pipe, body, otherwise }: Extract<Node, { kind: string }>,
  { run, dot }: Place,
): Promise<string | Returned> {
  const at = pipe.findIndex(({ text }) => text === ':=')
  const names = pipe.slice(0, Math.max(0, at)).flatMap(({ text }) => (text === ',' ? [] : [text]))
  const value = await valueOf(pipe.slice(at + 1), { run, dot })
  if (kind !== 'range') {
    for (const name of names) run.variables.set(name, value)
    const inner = { run, dot: kind === 'with' ? value : dot }
    return isTrue(value) ? runNodes(body, inner) : runNodes(otherwise, { run, dot })
  }
  const entries = Array.isArray(value)
    ? [...value.entries()]
    : value instanceof Map
      ? [...value].sort(([a], [b]) => (a < b ? -1 : 1))
      : null
  if (entries === null && isTrue(value)) throw new UnknownTemplate('range')
  if (!entries?.length) return runNodes(otherwise, { run, dot })
  let out = ''
  for (const [key, item] of entries) {
    if (names.length > 1) run.variables.set(names[0]!, key)
    if (names.length > 0) run.variables.set(names.at(-1)!, item)
    const output = await runNodes(body, { run, dot: item })
    if (output instanceof Returned) return output
    out += output
  }
  return out
}

/** Evaluates `f a (g b) | h`. An assignment also sets its variable. */
async function valueOf(pieces: readonly Piece[], place: Place): Promise<unknown> {
  if (/^\$\w+$/.test(pieces[0]?.text ?? '') && /^:?=$/.test(pieces[1]?.text ?? '')) {
    const value = await valueOf(pieces.slice(2), place)
    place.run.variables.set(pieces[0]!.text, value)
    return value
  }
  const reader = { pieces, at: 0 }
  const value = await pipeline(reader, place)
  if (reader.at < pieces.length) throw new UnknownTemplate('syntax')
  return value
}

type Reader = { pieces: readonly Piece[]; at: number }

async function pipeline(reader: Reader, place: Place): Promise<unknown> {
  let value: unknown
  for (let isFirst = true; isFirst || reader.pieces[reader.at]?.text === '|'; isFirst = false) {
    if (!isFirst) reader.at++
    const name = reader.pieces[reader.at]?.text ?? ''
    const isFunction = /^[a-z][\w.]*$/i.test(name) && !/^(?:true|false|nil|site|hugo)\b/.test(name)
    const method = /^\$?\.(?:[\w.]+\.)?(?:Get|Param|RenderString)$/.test(name)
    if (isFunction || method) reader.at++
    const args: unknown[] = []
    while (reader.at < reader.pieces.length && !/^[|)]$/.test(reader.pieces[reader.at]!.text))
      args.push(await operand(reader, place))
    if (!isFirst) args.push(value)
    if (isFunction || method)
      value = await call(name.replace(/^.*\.(?=[A-Z]\w*$)/, ''), args, place)
    else if (args.length === 1) value = args[0]
    else throw new UnknownTemplate(name)
  }
  return value
}

async function operand(reader: Reader, place: Place): Promise<unknown> {
  const { text } = reader.pieces[reader.at++]!
  let value: unknown
  if (/^["`]/.test(text))
    return text[0] === '`' ? text.slice(1, -1) : text.slice(1, -1).replace(/\\(["\\])/g, '$1')
  if (/^-?\d+$/.test(text)) return Number(text)
  if (/^(?:true|false)$/.test(text)) return text === 'true'
  if (text === 'nil') return null
  if (text === '(') {
    value = await pipeline(reader, place)
    if (reader.pieces[reader.at++]?.text !== ')') throw new UnknownTemplate(text)
    const next = reader.pieces[reader.at]
    if (!next?.text.startsWith('.') || next.isSpaced) return value
    reader.at++
    return fieldsOf(value, next.text.split('.').slice(1), place)
  }
  const [root = '', ...names] = text.split('.')
  const { variables } = place.run
  if (root === '') value = place.dot
  else if (/^(?:\$|site|hugo)$/.test(root)) value = new ShortcodeContext()
  else if (variables.has(root)) value = variables.get(root)
  else throw new UnknownTemplate(text)
  const isSite = root === 'site' || root === 'hugo'
  return fieldsOf(value, isSite ? ['Site', ...names] : names, place)
}

async function fieldsOf(start: unknown, names: readonly string[], place: Place): Promise<unknown> {
  let value = start
  for (const [at, name] of names.entries()) {
    // Names of nested parameters contain dots.
    if (value instanceof Parameters && name !== '')
      return place.run.page.parameter(names.slice(at).join('.').toLowerCase())
    if (name !== '') value = await fieldOf(value, name, place)
  }
  return value
}

async function fieldOf(value: unknown, name: string, { run }: Place): Promise<unknown> {
  const { page } = run
  if (value instanceof Map) return value.get(name) ?? null
  if (value instanceof Data) {
    const path = `${value.path}/${name}`
    for (const extension of ['yaml', 'yml', 'json']) {
      const text = await page.read(`${path}.${extension}`)
      const content = text === null ? null : await parseYaml(text)
      if (content !== null) return toValue(content)
    }
    return new Data(path)
  }
  if (!(value instanceof ShortcodeContext)) throw new UnknownTemplate(name)
  if (/^(?:Page|Site)$/.test(name)) return value
  if (name === 'Params') return new Parameters()
  if (name === 'Data') return new Data('data')
  if (name === 'Section' || name === 'Type') return page.section
  if (name === 'Inner') return page.inner
  throw new UnknownTemplate(name)
}

function toValue(parsed: unknown): unknown {
  if (Array.isArray(parsed)) return parsed.map(toValue)
  if (!isRecord(parsed)) return parsed
  return new Map(Object.entries(parsed).map(([key, value]) => [key, toValue(value)]))
}

function isTrue(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0
  return value instanceof Map ? value.size > 0 : Boolean(value)
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'object') throw new UnknownTemplate('object')
  return String(value)
}

async function call(name: string, args: readonly unknown[], place: Place): Promise<unknown> {
  const { run } = place
  const words = args.map((value) => (typeof value === 'object' ? '' : textOf(value)))
  const [a = '', b = '', c] = words
  if (name === 'Get') return run.page.args.get(a) ?? ''
  if (name === 'Param') return run.page.parameter(a.toLowerCase())
  if (/^partial(?:Cached)?$/.test(name)) return partial(a, args[1], run)
  if (name === 'index') {
    if (Array.isArray(args[0])) return args[0][Number(b)] ?? null
    return fieldsOf(args[0], words.slice(1), place)
  }
  if (/^[Hh]ighlight$/.test(name)) {
    const code = a.replace(/^\n+|\s+$/g, '')
    return `\n\0${run.codes.push(fenceCode(code, b)) - 1}\0\n`
  }
  if (name === 'RenderString') return words.at(-1)
  if (name === 'and') return args.find((value) => !isTrue(value)) ?? args.at(-1)
  if (name === 'or') return args.find(isTrue) ?? args.at(-1)
  const known = functions[name.replace(/^[A-Z]+/, (start) => start.toLowerCase())]
  if (known === undefined) throw new UnknownTemplate(name)
  return known({ args, words, a, b, c })
}

async function partial(name: string, context: unknown, run: Run): Promise<unknown> {
  if (/(?:^|\/)(?:icons?|svg)(?:[/.]|$)/.test(name)) return ''
  if (run.depth >= depthLimit) throw new UnknownTemplate(name)
  const file = /\.\w+$/.test(name) ? name : `${name}.html`
  for (const folder of ['layouts/partials', 'layouts/_partials']) {
    const text = await run.page.read(`${folder}/${file}`)
    if (text === null) continue
    const inner = { ...run, variables: new Map(), depth: run.depth + 1 }
    const output = await runNodes(parseTemplate(text), { run: inner, dot: context })
    return output instanceof Returned ? output.value : output
  }
  throw new UnknownTemplate(name)
}

type Call = {
  args: readonly unknown[]
  words: readonly string[]
  a: string
  b: string
  c: string | undefined
}
type PlainFunction = (call: Call) => unknown

const same: PlainFunction = ({ words }) => words[0]
const compare =
  (test: (order: number) => boolean): PlainFunction =>
  ({ args: [one, other] }) =>
    test(one === other ? 0 : (one as string) < (other as string) ? -1 : 1)

function where({ args: [list, key, ...rest] }: Call): unknown {
  if (!Array.isArray(list) || rest.length > 2) throw new UnknownTemplate('where')
  const isNot = rest.length === 2 && /^(?:!=|<>|ne)$/.test(String(rest[0]))
  if (rest.length === 2 && !isNot && !/^(?:==?|eq)$/.test(String(rest[0])))
    throw new UnknownTemplate('where')
  const fieldIn = (item: unknown) => (item instanceof Map ? item.get(String(key)) : undefined)
  return list.filter((item) => (fieldIn(item) === rest.at(-1)) !== isNot)
}

/** Functions by name in lower camel case, without namespace. */
const functions: Record<string, PlainFunction> = {
  ...Object.fromEntries(
    'markdownify safeHTML safeURL plainify htmlUnescape emojify string print trimSpace relURL'
      .split(' ')
      .map((name) => [name, same]),
  ),
  ...{ eq: compare((it) => it === 0), ne: compare((it) => it !== 0), lt: compare((it) => it < 0) },
  ...{ gt: compare((it) => it > 0), le: compare((it) => it <= 0), ge: compare((it) => it >= 0) },
  where,
  not: ({ args }) => !isTrue(args[0]),
  len: ({ args: [it], a }) =>
    Array.isArray(it) ? it.length : it instanceof Map ? it.size : a.length,
  dict: ({ args, words }) =>
    new Map(args.flatMap((_, at) => (at % 2 === 0 ? [[words[at]!, args[at + 1]]] : []))),
  slice: ({ args }) => [...args],
  append: ({ args }) => [...((args.at(-1) as unknown[] | null) ?? []), ...args.slice(0, -1)],
  first: ({ args: [count, list] }) => (Array.isArray(list) ? list.slice(0, Number(count)) : list),
  add: ({ args: [one, other] }) => Number(one) + Number(other),
  sub: ({ args: [one, other] }) => Number(one) - Number(other),
  title: ({ a }) => a.replace(/(?<![\w'])[a-z]/g, (letter) => letter.toUpperCase()),
  cond: ({ args }) => (isTrue(args[0]) ? args[1] : args[2]),
  default: ({ args }) => (isTrue(args[1]) ? args[1] : args[0]),
  printf: ({ a, args }) => {
    let at = 1
    return a.replace(/%[svdq]/g, () => textOf(args[at++]))
  },
  replaceRE: ({ a, b, c = '' }) => {
    // A pattern with groups or several repetitions could run very long.
    const [, flags = '', pattern = ''] = /^(?:\(\?([ims]+)\))?([^()|\\]*)$/.exec(a) ?? []
    if (pattern === '' || (pattern.match(/[*+{]/g) ?? []).length > 1)
      throw new UnknownTemplate('replaceRE')
    return c.replace(new RegExp(pattern, `g${flags}`), () => b)
  },
  replace: ({ a, b, c = '' }) => (b === '' ? a : a.replaceAll(b, () => c)),
  lower: ({ a }) => a.toLowerCase(),
  toLower: ({ a }) => a.toLowerCase(),
  upper: ({ a }) => a.toUpperCase(),
  toUpper: ({ a }) => a.toUpperCase(),
  hasPrefix: ({ a, b }) => a.startsWith(b),
  substr: ({ a, b, c }) => a.slice(Number(b), c === undefined ? undefined : Number(b) + Number(c)),
  split: ({ a, b }) => a.split(b),
  delimit: ({ args: [list], b }) =>
    Array.isArray(list) ? list.map((item) => textOf(item)).join(b) : '',
  trim: ({ a }) => a.trim(),
  urlize: ({ a }) => a.toLowerCase().replace(/\s+/g, '-'),
  anchorize: ({ a }) => a.toLowerCase().replace(/\s+/g, '-'),
}
