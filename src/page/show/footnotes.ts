import type { Env, MarkdownIt, StateBlock } from 'markdown-it'

const definition = /^\[\^([^\]\s[\\]{1,60})\]:/
const mark = /^\[\^([^\]\s[\\]{1,60})\]/

/**
 * Adds Markdown footnotes to a block parser. A footnote consists of `[^1]: text` and the indented
 * lines below. Without this rule, a one-word footnote would be parsed as a link definition, and
 * further paragraphs as code.
 */
export function addFootnotes(blocks: MarkdownIt): void {
  const rule = (state: StateBlock, ...place: Place) => footnote(state, place)
  blocks.block.ruler.before('reference', 'footnote', rule, { alt: ['paragraph', 'reference'] })
}

/**
 * Adds footnote references to an inline parser: `[^1]` becomes a superscript `[1]`. A label that is
 * not a number must be defined on the page, because `[^a-z]` can also be a character class.
 */
export function addFootnoteMarks(inline: MarkdownIt): void {
  inline.inline.ruler.before('link', 'footnote', (state, silent) => {
    if (state.src[state.pos] !== '[' || state.src[state.pos + 1] !== '^') return false
    const [whole, label] = mark.exec(state.src.slice(state.pos, state.pos + 70)) ?? []
    if (whole === undefined || !isMark(label!, state.env)) return false
    if (!silent) {
      state.push('sup_open', 'sup', 1)
      state.push('text', '', 0).content = `[${label!}]`
      state.push('sup_close', 'sup', -1)
    }
    state.pos += whole.length
    return true
  })
}

function isMark(label: string, env: Env): boolean {
  return /^\d+$/.test(label) || labelsIn(env).has(label)
}

/** Returns the page's footnote labels. Both parsers share its `env`. */
function labelsIn(env: Env): Set<string> {
  return (env.footnotes ??= new Set<string>()) as Set<string>
}

/** The parent type of blocks in a footnote, which prevents nesting: `[^1]: [^1]: …`. */
const parent = 'footnote' as StateBlock['parentType']

/** Indentation of continuation lines in a footnote, in columns. */
const columns = 4

/** The lines to parse. With `isProbe`, the rule only checks whether a footnote starts there. */
type Place = [line: number, end: number, isProbe: boolean]

function footnote(state: StateBlock, [line, end, isProbe]: Place): boolean {
  const start = state.bMarks[line]! + state.tShift[line]!
  if (state.sCount[line]! - state.blkIndent >= columns || state.parentType === parent) return false
  const [whole, label] = definition.exec(state.src.slice(start, start + 70)) ?? []
  if (whole === undefined || start + whole.length > state.eMarks[line]!) return false
  if (isProbe) return true
  labelsIn(state.env).add(label!)
  const before = [state.bMarks[line]!, state.tShift[line]!, state.sCount[line]!] as const
  const rest = state.src.slice(start + whole.length, state.eMarks[line])
  const first = state.tokens.length
  state.bMarks[line] = start + whole.length
  state.tShift[line] = rest.length - rest.trimStart().length
  state.blkIndent += columns
  state.sCount[line] = state.blkIndent
  const outer = state.parentType
  state.parentType = parent
  state.md.block.tokenize(state, line, end)
  state.parentType = outer
  state.blkIndent -= columns
  ;[state.bMarks[line], state.tShift[line], state.sCount[line]] = before
  const text = state.tokens.slice(first).find(({ type }) => type === 'inline')
  if (text) text.content = `[^${label!}] ${text.content}`
  return true
}
