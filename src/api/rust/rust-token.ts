/** A token of Rust source text. A `group` is a pair of brackets with its content. */
export type RustToken = {
  kind: 'name' | 'literal' | 'lifetime' | 'sign' | 'group'
  /** For a group, the opening bracket. */
  text: string
  from: number
  to: number
  inside: RustToken[]
}

const closing: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' }

/** Deeper nesting is an error. */
const deepestGroup = 60

const character = String.raw`b?'(?:[^'\\\n]|\\(?:[nrt0\\'"]|x[0-9a-fA-F]{2}|u\{[^}]{1,8}\}))'`

const tokenPattern = new RegExp(
  [
    String.raw`(?<space>\s+|\/\/(?!\/(?!\/)|!)[^\n]*)`,
    String.raw`(?<doc>\/\/[\/!][^\n]*|\/\*\*(?!\*|\/)[^]*?(?:\*\/|$))`,
    String.raw`(?<comment>\/\*[^]*?(?:\*\/|$))`,
    String.raw`(?<literal>[bc]?r(?<hash>#*)"[^]*?(?:"\k<hash>|$)|` +
      String.raw`[bc]?"(?:[^"\\]|\\[^])*(?:"|$)|${character}|\d\w*(?:\.\d\w*)?)`,
    String.raw`(?<lifetime>'\w+)`,
    String.raw`(?<name>r#\w+|[\p{L}_][\p{L}\p{N}_]*)`,
    String.raw`(?<open>[([{])|(?<close>[)\]}])`,
    String.raw`(?<sign>\.\.[.=]|<<=|>>=|=>|->|::|&&|\|\||[-+*\/%^&|=!<>]=|<<|\.\.|[^])`,
  ].join('|'),
  'uy',
)

/**
 * Splits text into tokens. Like the compiler, converts a documentation comment to an attribute.
 * Returns null if brackets are unbalanced.
 */
export function rustTokens(text: string, from = 0, to = text.length): RustToken[] | null {
  const top: RustToken[] = []
  const open: RustToken[] = []
  for (let at = from; at < to; ) {
    tokenPattern.lastIndex = at
    const found = tokenPattern.exec(text)!.groups!
    const end = Math.min(tokenPattern.lastIndex, to)
    const list = open.at(-1)?.inside ?? top
    const add = (kind: RustToken['kind']) => {
      const token = { kind, text: text.slice(at, end), from: at, to: end, inside: [] }
      list.push(token)
      return token
    }
    if (found.doc !== undefined) list.push(...docTokens(found.doc, at, end))
    else if (found.open !== undefined) {
      if (open.length >= deepestGroup) return null
      open.push(add('group'))
    } else if (found.close !== undefined) {
      const group = open.pop()
      if (group === undefined || closing[group.text] !== found.close) return null
      group.to = end
    } else if (found.literal !== undefined) add('literal')
    else if (found.lifetime !== undefined) add('lifetime')
    else if (found.name !== undefined) add('name')
    else if (found.sign !== undefined) add('sign')
    at = end
  }
  return open.length === 0 ? top : null
}

/** Returns the tokens of `#[doc = r###"…"###]`. */
function docTokens(comment: string, from: number, to: number): RustToken[] {
  const text = comment.startsWith('//')
    ? comment.slice(3).replace(/^ /, '')
    : comment
        .slice(3)
        .replace(/\*\/$/, '')
        .replace(/^\s*\*? ?/gm, '')
  const token = (kind: RustToken['kind'], text: string, inside: RustToken[] = []) => {
    return { kind, text, from, to, inside }
  }
  const isInner = comment[2] === '!'
  return [
    token('sign', '#'),
    ...(isInner ? [token('sign', '!')] : []),
    token('group', '[', [
      token('name', 'doc'),
      token('sign', '='),
      token('literal', `r###"${text}"###`),
    ]),
  ]
}

/** Generated code with marks that map offsets to the source. */
export type MarkedCode = { text: string; marks: { at: number; source: number }[] }

/**
 * Appends tokens with the white space between them in their source.
 * @param hasMarks true if the tokens come from the source of the marks
 */
export function appendTokens(
  code: MarkedCode,
  tokens: readonly RustToken[],
  { source, hasMarks }: { source: string; hasMarks: boolean },
): void {
  let last: RustToken | null = null
  for (const token of tokens) {
    code.text += last === null ? '' : gapBetween(last, token, source)
    if (hasMarks) code.marks.push({ at: code.text.length, source: token.from })
    code.text += token.text
    if (token.kind === 'group') {
      code.text += paddingOf(token)
      appendTokens(code, token.inside, { source, hasMarks })
      code.text += paddingOf(token) + closing[token.text]
    }
    last = token
  }
}

/** Returns the white space between the braces and the content of a group. */
export function paddingOf({ text, inside }: RustToken): string {
  return text === '{' && inside.length > 0 ? ' ' : ''
}

export function closingOf({ text }: RustToken): string {
  return closing[text]!
}

/** Returns the white space between two tokens, without comments. */
export function gapBetween(left: RustToken, right: RustToken, source: string): string {
  if (left.to === right.from) return ''
  if (right.from < left.to) return ' '
  return source.slice(left.to, right.from).includes('\n') ? '\n' : ' '
}
