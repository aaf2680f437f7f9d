import { decodeEntities } from '../../document/inline.ts'
import { dedent, trimBlankLines } from '../docstring/indent.ts'

/**
 * Converts HTML in documentation comments to Markdown. Drops unknown tags and keeps their text.
 * @param inlineTag returns the Markdown of `{@name body}`
 * @param language the language of code blocks
 */
export function javadocHtmlToMarkdown(
  html: string,
  inlineTag: (name: string, body: string) => string,
  language = 'java',
): string {
  const closing = matchingBraces(html)
  const state: State = { parts: [], code: null, lists: [], link: [], language }
  let at = 0
  const token = /\{@(\w+)|<(\/?)([a-zA-Z][a-zA-Z\d]*)((?:\s[^<>]{0,500})?)\/?>|<!--|&(#?\w{1,30});/y
  const next = /[{<&]/g
  while (at < html.length) {
    token.lastIndex = at
    const match = token.exec(html)
    if (match === null) {
      next.lastIndex = at + 1
      const end = next.exec(html)?.index ?? html.length
      addText(state, html.slice(at, end))
      at = end
      continue
    }
    const [whole, tag, slash, element, attributes = '', entity] = match
    at += whole.length
    if (tag !== undefined) {
      const end = closing.get(match.index)
      if (end === undefined) addText(state, whole)
      else {
        const body = html.slice(at, end)
        const isCode = state.code !== null && /^(code|literal|snippet)$/.test(tag)
        addMarkdown(state, isCode ? body.replace(/^ /, '') : inlineTag(tag, body))
        at = end + 1
      }
    } else if (element !== undefined) {
      addElement(state, { name: element.toLowerCase(), isEnd: slash === '/', attributes })
    } else if (entity !== undefined) addText(state, decodeEntities(whole))
    else {
      const end = html.indexOf('-->', at)
      at = end < 0 ? html.length : end + 3
    }
  }
  if (state.code !== null) addElement(state, { name: 'pre', isEnd: true, attributes: '' })
  return trimBlankLines(
    state.parts
      .join('')
      .split('\n')
      .map((line) => line.trimEnd()),
  )
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
}

type State = {
  language: string
  parts: string[]
  code: string | null
  /** For each open list, the number of its last item; null for a bullet list. */
  lists: (number | null)[]
  /** URLs of open links. An empty URL means that the link is dropped. */
  link: string[]
}

/** Maps the offset of each `{` to that of its `}`. */
function matchingBraces(text: string): Map<number, number> {
  const ends = new Map<number, number>()
  const open: number[] = []
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '{') open.push(at)
    else if (text[at] === '}') {
      const start = open.pop()
      if (start !== undefined) ends.set(start, at)
    }
  }
  return ends
}

/** Adds text without indentation, because indented lines are code in Markdown. */
function addText(state: State, text: string): void {
  if (state.code !== null) state.code += text
  else {
    const indent = '  '.repeat(
      Math.max(0, state.lists.length - 1) + Math.min(1, state.lists.length),
    )
    const plain = text.replace(/\n[ \t]*(?=\S)/g, `\n${indent}`).replace(/\n[ \t]*$/, '\n')
    state.parts.push(/\n *$/.test(state.parts.at(-1) ?? '\n') ? plain.replace(/^ +/, '') : plain)
  }
}

function addMarkdown(state: State, text: string): void {
  if (state.code !== null) state.code += text.replace(/^`([^`]*)`$/, '$1')
  else state.parts.push(text)
}

type Element = { name: string; isEnd: boolean; attributes: string }

const marks: Record<string, string> = { b: '**', strong: '**', i: '*', em: '*', code: '`', tt: '`' }

function addElement(state: State, { name, isEnd, attributes }: Element): void {
  if (name === 'pre') return addPre(state, isEnd)
  if (state.code !== null) return
  const mark = marks[name]
  if (mark !== undefined) state.parts.push(mark)
  else if (name === 'a') {
    if (!isEnd) {
      const address = /\bhref\s*=\s*["']?(https?:[^"'\s>]+)/i.exec(attributes)?.[1] ?? ''
      state.link.push(address)
      if (address !== '') state.parts.push('[')
    } else {
      const address = state.link.pop() ?? ''
      if (address !== '') state.parts.push(`](${address})`)
    }
  } else if (name === 'ul' || name === 'ol') {
    if (isEnd) state.lists.pop()
    else if (state.lists.length < deepestList) state.lists.push(name === 'ol' ? 0 : null)
    state.parts.push(state.lists.length === 0 || !isEnd ? '\n\n' : '\n')
  } else if (name === 'li' && !isEnd) addItem(state)
  else if (/^h[1-6]$/.test(name)) state.parts.push(isEnd ? '**\n\n' : '\n\n**')
  else if (/^(p|div|table|blockquote|dl)$/.test(name)) addBreak(state, isEnd)
  else if (/^(br|tr|dt)$/.test(name) && !isEnd) state.parts.push('\n')
  else if (/^(td|th|dd)$/.test(name) && !isEnd) state.parts.push(' ')
}

const deepestList = 6

function addBreak(state: State, isEnd: boolean): void {
  // A blank line would end the list.
  if (state.lists.length > 0) state.parts.push(isEnd ? '' : '\n')
  else state.parts.push('\n\n')
}

function addItem({ lists, parts }: State): void {
  const number = lists.at(-1)
  if (number !== null && number !== undefined) lists[lists.length - 1] = number + 1
  const bullet = number === null || number === undefined ? '-' : `${number + 1}.`
  if (!/\n *$/.test(parts.at(-1) ?? '')) parts.push('\n')
  parts.push(`${'  '.repeat(Math.max(0, lists.length - 1))}${bullet} `)
}

function addPre(state: State, isEnd: boolean): void {
  if (!isEnd) {
    state.code ??= ''
    return
  }
  if (state.code === null) return
  const lines = trimBlankLines(dedent(`\n${state.code}`))
  state.code = null
  if (lines.length > 0)
    state.parts.push(`\n\n\`\`\`${state.language}\n${lines.join('\n')}\n\`\`\`\n\n`)
}
