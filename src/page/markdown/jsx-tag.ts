export type JsxTag = {
  kind: 'open' | 'close' | 'alone'
  /** Empty for `<>`. */
  name: string
  /**
   * String values, including `{"…"}` and `` {`…`} ``. A list of strings, `{["…", '…']}`, has one
   * string per line. The value of flags and of other expressions is ''.
   */
  attributes: ReadonlyMap<string, string>
  source: string
}

/** Reads the tag at the start of the text; null if there is none or it is not closed. */
export function jsxTag(text: string): JsxTag | null {
  const [start, slash, name = ''] = /^<(\/?)([A-Za-z][\w.:-]*|(?=>))\s*/.exec(text) ?? []
  if (start === undefined) return null
  const attributes = new Map<string, string>()
  let at = start.length
  while (at < text.length) {
    const rest = text.slice(at)
    const end = /^\/?>/.exec(rest)?.[0]
    if (end !== undefined) {
      const kind = slash ? 'close' : end === '/>' ? 'alone' : 'open'
      return { kind, name, attributes, source: text.slice(0, at + end.length) }
    }
    const attribute = attributeAt(rest)
    if (attribute === null) return null
    if (attribute.name !== '') attributes.set(attribute.name, attribute.value)
    at += attribute.length
  }
  return null
}

function attributeAt(text: string): { name: string; value: string; length: number } | null {
  if (text.startsWith('{')) {
    // `{...props}`
    const length = expressionLength(text)
    return length === 0 ? null : { name: '', value: '', length: length + spaces(text, length) }
  }
  const [start, name = ''] = /^([A-Za-z_$@:][\w.:$@-]*)\s*(?:=\s*)?/.exec(text) ?? []
  if (start === undefined) return null
  const isFlag = !start.includes('=')
  const value = isFlag ? { value: '', length: 0 } : valueAt(text.slice(start.length))
  if (value === null) return null
  const length = start.length + value.length
  return { name, value: value.value, length: length + spaces(text, length) }
}

function spaces(text: string, at: number): number {
  return /^\s*/.exec(text.slice(at))?.[0].length ?? 0
}

function valueAt(text: string): { value: string; length: number } | null {
  const [quoted, , words = ''] = /^(["'])([^]*?)\1/.exec(text) ?? []
  if (quoted !== undefined) return { value: words, length: quoted.length }
  const length = text.startsWith('{') ? expressionLength(text) : 0
  if (length === 0) return null
  const inner = text.slice(1, length - 1).trim()
  const literal = /^(["'`])([^]*)\1$/.exec(inner)?.[2]
  return { value: literal?.replace(/\\([`$"'\\])/g, '$1') ?? listValue(inner), length }
}

/** The strings of an array literal, one per line; '' if it contains anything else. */
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

/** The length of an expression from `{` to the matching `}`; 0 if it is not closed. */
function expressionLength(text: string): number {
  let depth = 0
  // The position where the last unclosed string ended, by quote character: later quotes before it
  // are unclosed too.
  const unclosed: Record<string, number> = { '"': 0, "'": 0, '`': 0 }
  const token = /[{}"'`]/g
  for (let match = token.exec(text); match; match = token.exec(text)) {
    const [mark] = match
    if (mark === '{') depth++
    else if (mark === '}') {
      if (--depth === 0) return match.index + 1
    } else if (match.index >= unclosed[mark]!) {
      const inside = strings[mark]!
      inside.lastIndex = match.index
      inside.test(text)
      if (text[inside.lastIndex] === mark) token.lastIndex = inside.lastIndex + 1
      else unclosed[mark] = inside.lastIndex
    }
  }
  return 0
}

/** Matches strings without their closing quotes. Only template strings may contain line breaks. */
const strings: Record<string, RegExp> = {
  '"': /"[^"\\\n]*(?:\\.[^"\\\n]*)*/y,
  "'": /'[^'\\\n]*(?:\\.[^'\\\n]*)*/y,
  '`': /`[^`\\]*(?:\\[^][^`\\]*)*/y,
}
