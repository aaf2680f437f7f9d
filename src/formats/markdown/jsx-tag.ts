import { openScript, scriptMarks, stringEnd, strings, type Script } from './script.ts'

export type JsxTag = {
  kind: 'open' | 'close' | 'alone'
  name: string
  /**
   * String values, including `{"…"}` and `` {`…`} ``. For a list of strings, `{["…", '…']}`, one
   * string per line. Flags and other expressions have the value ''.
   */
  attributes: ReadonlyMap<string, string>
  /** The source text of lists and other expressions, without braces. */
  expressions: ReadonlyMap<string, string>
  source: string
}

/** Returns the language of a component's code: `lang="js"` or `className="language-js"`. */
export function codeLanguage(attributes: JsxTag['attributes']): string | undefined {
  const [, inClass] = /\blang(?:uage)?-([\w+#-]+)/.exec(attributes.get('className') ?? '') ?? []
  return attributes.get('language') ?? attributes.get('lang') ?? inClass
}

/** Parses the tag at the start of the text. Returns null if there is none or it is unclosed. */
export function jsxTag(text: string): JsxTag | null {
  const [start, slash, name = ''] = /^<(\/?)([A-Za-z][\w.:-]*|(?=>))\s*/.exec(text) ?? []
  if (start === undefined) return null
  const attributes = new Map<string, string>()
  const expressions = new Map<string, string>()
  let at = start.length
  while (at < text.length) {
    const rest = text.slice(at)
    const end = /^\/?>/.exec(rest)?.[0]
    if (end !== undefined) {
      const kind = slash ? 'close' : end === '/>' ? 'alone' : 'open'
      return { kind, name, attributes, expressions, source: text.slice(0, at + end.length) }
    }
    const attribute = attributeAt(rest)
    if (attribute === null) return null
    if (attribute.name !== '') attributes.set(attribute.name, attribute.value)
    if (attribute.expression !== '') expressions.set(attribute.name, attribute.expression)
    at += attribute.length
  }
  return null
}

type Attribute = { name: string; value: string; expression: string; length: number }

function attributeAt(text: string): Attribute | null {
  if (text.startsWith('{')) {
    const length = expressionLength(text)
    return length === 0
      ? null
      : { name: '', value: '', expression: '', length: length + spaces(text, length) }
  }
  const [start, name = ''] = /^([A-Za-z_$@:][\w.:$@-]*)\s*(?:=\s*)?/.exec(text) ?? []
  if (start === undefined) return null
  const isFlag = !start.includes('=')
  const value = isFlag
    ? { value: '', expression: '', length: 0 }
    : valueAt(text.slice(start.length))
  if (value === null) return null
  const length = start.length + value.length
  return { ...value, name, length: length + spaces(text, length) }
}

function spaces(text: string, at: number): number {
  return /^\s*/.exec(text.slice(at))?.[0].length ?? 0
}

function valueAt(text: string): Omit<Attribute, 'name'> | null {
  const [quoted, , words = ''] = /^(["'])([^]*?)\1/.exec(text) ?? []
  if (quoted !== undefined) return { value: words, expression: '', length: quoted.length }
  const length = text.startsWith('{') ? expressionLength(text) : 0
  if (length === 0) return null
  const inner = text.slice(1, length - 1).trim()
  const literal = /^["'`]/.test(inner) ? parseJsxData(inner) : null
  const value = literal !== null && 'text' in literal ? literal.text : listValue(inner)
  return { value, expression: value === '' || inner.startsWith('[') ? inner : '', length }
}

/** Returns the strings in an array literal, one per line; '' if it contains anything else. */
function listValue(inner: string): string {
  if (!inner.startsWith('[') || !inner.endsWith(']')) return ''
  const items = inner
    .slice(1, -1)
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean)
  const strings = items.map((item) => /^(["'`])([^"'`\n]*)\1$/.exec(item)?.[2])
  return strings.includes(undefined) ? '' : strings.join('\n')
}

/** Returns the length of an expression up to its closing brace, or 0 if it is unclosed. */
function expressionLength(source: string): number {
  let depth = 0
  for (const { sign, at } of scriptMarks(openScript(source, 0))) {
    if (sign === '{') depth++
    else if (sign === '}' && --depth === 0) return at + 1
  }
  return 0
}

/**
 * Data in an attribute. `code` is a number, a boolean or any other expression, as source text.
 * Fields keep their order.
 */
export type JsxData =
  | { text: string }
  | { code: string }
  | { items: JsxData[] }
  | { fields: [name: string, value: JsxData][] }

/** Parses an expression as data. */
export function parseJsxData(source: string): JsxData {
  return readValue(openScript(source, 0), 0)
}

/** Deeper data stays source text. */
const deepestData = 32

function readValue(cursor: Script, depth: number): JsxData {
  const start = skipBlank(cursor)
  const mark = cursor.source[start]
  const value =
    mark === '[' && depth < deepestData
      ? { items: readList(cursor, ']', () => readValue(cursor, depth + 1)) }
      : mark === '{' && depth < deepestData
        ? { fields: readList(cursor, '}', () => readField(cursor, depth)) }
        : (readTexts(cursor) ?? readElement(cursor))
  const end = skipBlank(cursor)
  const isEnd =
    end >= cursor.source.length || /^(?:[,\]})]|as\s)/.test(cursor.source.slice(end, end + 3))
  if (value === null || !isEnd) cursor.at = start
  const rest = skipExpression(cursor)
  return value !== null && isEnd ? value : { code: rest }
}

/** Reads items up to a closing bracket. An unclosed list ends with the source. */
function readList<T>(cursor: Script, close: string, read: () => T): T[] {
  const items: T[] = []
  cursor.at++
  while (skipBlank(cursor) < cursor.source.length && cursor.source[cursor.at] !== close) {
    const before = cursor.at
    items.push(read())
    if (cursor.source[skipBlank(cursor)] === ',' || cursor.at === before) cursor.at++
  }
  cursor.at++
  return items
}

/** Reads a field. A spread or method has no name. */
function readField(cursor: Script, depth: number): [string, JsxData] {
  const key = /(?:(["'])([^"'\n]*)\1|([\w$]+))\s*:/y
  key.lastIndex = cursor.at
  const [whole, , quoted, bare] = key.exec(cursor.source) ?? []
  if (whole === undefined) return ['', { code: skipExpression(cursor) }]
  cursor.at += whole.length
  return [quoted ?? bare!, readValue(cursor, depth + 1)]
}

/** Reads one or more strings joined by `+`. */
function readTexts(cursor: Script): { text: string } | null {
  const pieces: string[] = []
  for (;;) {
    if (strings[cursor.source[skipBlank(cursor)] ?? ''] === undefined) return null
    const end = stringEnd(cursor)
    if (end === cursor.at) return null
    pieces.push(unescapeText(cursor.source.slice(cursor.at + 1, end)))
    cursor.at = end + 1
    if (cursor.source[skipBlank(cursor)] !== '+') return { text: pieces.join('') }
    cursor.at++
  }
}

function unescapeText(text: string): string {
  return text.replace(/\\(\r?\n|[^])/g, (_, sign: string) => escapes[sign] ?? sign.trim())
}

const escapes: Record<string, string> = { n: '\n', t: '\t', r: '', ' ': ' ' }

/** Reads the text in a JSX element, with or without parentheses. */
function readElement(cursor: Script): { text: string } | null {
  const { source } = cursor
  const [opening] = /^\(\s*(?=<)/.exec(source.slice(cursor.at, cursor.at + 100)) ?? ['']
  cursor.at += opening.length
  let text = ''
  let depth = 0
  do {
    const tag =
      source[cursor.at] === '<' ? jsxTag(source.slice(cursor.at, cursor.at + 2_000)) : null
    if (tag === null && depth === 0) return null
    const end = tag === null ? source.indexOf('<', cursor.at + 1) : cursor.at + tag.source.length
    if (end < 0) return null
    if (tag === null) text += source.slice(cursor.at, end)
    else depth += { open: 1, close: -1, alone: 0 }[tag.kind]
    cursor.at = end
  } while (depth > 0)
  if (opening !== '' && source[skipBlank(cursor)] === ')') cursor.at++
  return { text: text.replace(/\{\s*(["'`])(.*?)\1\s*\}/g, '$2') }
}

/** Skips blanks and comments. Returns the offset after them. */
function skipBlank(cursor: Script): number {
  const blank = /(?:\s+|\/\*[^]{0,2000}?\*\/|\/\/[^\n]*)*/y
  blank.lastIndex = cursor.at
  blank.test(cursor.source)
  return (cursor.at = blank.lastIndex)
}

/** Skips an expression up to a comma or closing bracket. Returns its source text. */
function skipExpression(cursor: Script): string {
  const { source, at: start } = cursor
  let depth = 0
  cursor.at = source.length
  for (const { sign, at } of scriptMarks({ ...cursor, at: start })) {
    if ('([{'.includes(sign)) depth++
    else if (')]}'.includes(sign) ? --depth < 0 : sign === ',' && depth === 0) {
      cursor.at = at
      break
    }
  }
  return source.slice(start, cursor.at).trim()
}
