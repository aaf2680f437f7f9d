import { firstValue } from '../document/attributes.ts'
import { isMap, isScalar, isSeq, parseDocument } from 'yaml'
import { findFrontBlock } from './front-block.ts'
import { shorten } from '../document/inline.ts'

/** A page's metadata and the text after it. Missing and invalid values are null. */
export type FrontMatter = {
  title: string | null
  description: string | null
  /** The unvalidated value, such as `de` or `pt_BR`. */
  language: string | null
  /** Scalars by lower-case name. A value in a nested map has a name such as `sub.version`. */
  values: ReadonlyMap<string, string>
  text: string
}

/**
 * Splits front matter from the text. YAML is between a first line `---` and a line `---` or `...`,
 * TOML between two lines `+++`, and JSON is an object with a title. A block stays in the text if it
 * is not a mapping (prose between two rules, an rst overline) or starts with a blank line. Invalid
 * YAML is parsed line by line, because site generators accept `title: bind:`, and is removed if two
 * thirds of its lines look like fields. Never throws.
 */
export function parseFrontMatter(text: string): FrontMatter {
  const block = findFrontBlock(text)
  if (!block) return withoutFields(text)
  const fields = block.mark === '+++' ? lineFields(block.source, '=') : yamlFields(block.source)
  if (!fields || (block.mark === '{' && !fields.values.has('title'))) return withoutFields(text)
  return {
    title: shorten(fields.values.get('title') ?? '', 300) || null,
    description: shorten(descriptionOf(fields.values), 1000) || null,
    language: fields.values.get('lang') ?? fields.values.get('locale') ?? null,
    values: fields.values,
    text: fields.isValid ? homeText(block.source, fields) + text.slice(block.end) : text,
  }
}

/** Returns the text that VitePress and Starlight show on a home page for `hero` and `features`. */
function homeText(source: string, { values }: Fields): string {
  const isHome = /^hero[ \t]*:/m.test(source) || values.get('layout') === 'home'
  const contents = isHome ? yamlContents(source) : undefined
  if (!isMap(contents)) return ''
  const field = (node: unknown, names: string) => {
    const found = names.split(' ').map((name) => (isMap(node) ? node.get(name) : undefined))
    return found.find((value) => value !== undefined && value !== null && value !== '')
  }
  const words = (node: unknown, names: string) => shorten(String(field(node, names) ?? ''), 1000)
  const linked = (node: unknown, names: string) => {
    const [label, target] = [words(node, names), words(node, 'link href to url')]
    return /^[^\s()<>]+$/.test(target) && label !== '' ? `[${label}](${target})` : label
  }
  const list = (node: unknown, names: string): unknown[] => {
    const found = field(node, names)
    return isSeq(found) ? found.items : []
  }
  const hero = contents.get('hero')
  const [name, text] = [words(hero, 'title name'), words(hero, 'text')]
  const title = values.has('title') || name === '' ? name : `# ${name}`
  const actions = list(hero, 'actions links').map((action) => `- ${linked(action, 'text label')}`)
  const features = list(contents, 'features').map((feature) => {
    const about = words(feature, 'details description')
    return `- **${linked(feature, 'title name')}**${about === '' ? '' : `: ${about}`}`
  })
  const blocks = [title, text, words(hero, 'tagline'), actions.join('\n'), features.join('\n')]
  return blocks.map((block) => (block === '' ? '' : `${block}\n\n`)).join('')
}

/** Returns Jekyll's excerpt, Hugo's summary, or the tagline of VitePress or Starlight. */
function descriptionOf(values: ReadonlyMap<string, string>): string {
  return firstValue(values, 'description|excerpt|summary|hero.tagline')
}

function withoutFields(text: string): FrontMatter {
  return { title: null, description: null, language: null, values: new Map(), text }
}

type Fields = { values: Map<string, string>; isValid: boolean }

/**
 * Parses fields line by line: `title: "x"` or `title = 'x'`. A field below `[a.b]` in TOML has the
 * name `a.b.field`. The value of `title: >` is the indented lines below it.
 */
function lineFields(source: string, separator: '=' | ':'): Fields {
  const values = new Map<string, string>()
  let block: string | null = null
  let table = ''
  for (const line of source.split('\n')) {
    const [, heading] = separator === '=' ? (/^\s*\[{1,2}([^[\]=]+)\]/.exec(line) ?? []) : []
    if (heading !== undefined) table = `${heading.trim().toLowerCase()}.`
    if (block !== null && /^\s+\S/.test(line)) {
      values.set(block, `${values.get(block)} ${line.trim()}`.trim())
      continue
    }
    block = null
    const at = line.indexOf(separator)
    const key = table + line.slice(0, Math.max(at, 0)).trim().toLowerCase()
    if (at <= 0 || values.has(key)) continue
    const value = line.slice(at + 1).trim()
    const isBlock = separator === ':' && /^[>|][-+]?$/.test(value)
    values.set(key, isBlock ? '' : unquote(value))
    if (isBlock) block = key
  }
  return { values, isValid: true }
}

/** Matches a line in a mapping: a field, an item, a comment or a continuation line. */
const fieldLine = /^(?:\s|$|#|- |[\w"'.-]+[ \t]*:(?:\s|$)|[\]}],?\s*$)/

function unquote(source: string): string {
  const quoted = /^"((?:[^"\\]|\\.)*)"|^'([^']*)'/.exec(source)
  return (quoted?.[1]?.replace(/\\(["\\])/g, '$1') ?? quoted?.[2] ?? source).trim()
}

/** Returns the scalars in YAML front matter, or null if the block is not a mapping. */
function yamlFields(source: string): Fields | null {
  if (source.trim() === '') return { values: new Map(), isValid: true }
  const contents = yamlContents(source)
  if (contents === undefined) {
    const isLike = /^(?:#[^\n]*\n)*[\w"'-]+[ \t]*:(?:[ \t]|\n|$)/.test(source)
    if (!isLike) return null
    const lines = source.trimEnd().split('\n')
    const nOdd = lines.filter((line) => !fieldLine.test(line)).length
    const isValid = nOdd * 3 <= lines.length
    return { ...lineFields(source, ':'), isValid }
  }
  const items = isMap(contents) ? contents.items : []
  // `Some prose: here` between two rules is also a mapping, but real keys are single words.
  if (!/^\S+$/.test(nameOf(items[0]?.key))) return null
  const values = new Map<string, string>()
  for (const { key, value } of items) {
    const name = nameOf(key)
    if (values.has(name)) continue
    // `title: {let ...}` is text, although it is a YAML map.
    const isBraced = isMap(value) && value.flow && value.items.every((pair) => pair.value === null)
    if (isBraced && value.range) values.set(name, source.slice(value.range[0], value.range[1]))
    setScalar(values, name, value)
    setNested(values, name, value)
  }
  return { values, isValid: true }
}

/** Reads maps with two levels, even inside a list. */
function setNested(values: Map<string, string>, name: string, node: unknown): void {
  if (isSeq(node)) for (const item of node.items) if (isMap(item)) setNested(values, name, item)
  for (const { key, value } of isMap(node) ? node.items : []) {
    const inner = `${name}.${nameOf(key)}`
    if (!values.has(inner)) setScalar(values, inner, value)
    // In a map of words, such as `replace`, keys keep their case.
    if (isScalar(key)) setScalar(values, `${name}.${String(key.value)}`, value)
    for (const { key: last, value: leaf } of isMap(value) ? value.items : []) {
      setScalar(values, `${inner}.${nameOf(last)}`, leaf)
      setList(values, `${inner}.${nameOf(last)}`, leaf)
    }
  }
}

/** Reads a list of scalars, one per line. */
function setList(values: Map<string, string>, name: string, node: unknown): void {
  const items = isSeq(node) ? node.items.filter(isScalar) : []
  if (items.length > 0) values.set(name, items.map(({ value }) => String(value)).join('\n'))
}

function setScalar(values: Map<string, string>, name: string, node: unknown): void {
  if (!isScalar(node)) return
  // The source text is used, because `title: 1.10` must not become 1.1.
  if (typeof node.value === 'number') values.set(name, node.source ?? String(node.value))
  if (typeof node.value === 'string') values.set(name, node.value)
}

function nameOf(key: unknown): string {
  return isScalar(key) ? String(key.value).toLowerCase() : ''
}

const yamlOptions = {
  schema: 'core',
  logLevel: 'silent',
  uniqueKeys: false,
  prettyErrors: false,
} as const

function yamlContents(source: string): unknown {
  try {
    const document = parseDocument(source, yamlOptions)
    return document.errors.length > 0 ? undefined : document.contents
  } catch {
    return undefined // The parser recurses: thousands of nested brackets overflow its stack.
  }
}
