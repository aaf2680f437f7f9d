import type { Token } from 'markdown-it'
import { boxesOf } from '../box.ts'
import { classOfNote, strongStart, titleClass } from './notes.ts'

type Open = { to: number; level: number; token: Token }

/**
 * The blocks of each box that `text` says (`box.ts`) in a block of their own; what stands in it is
 * one level deeper then. Each token is at the line of the text on which it begins.
 * @param read reads what stands in a block: titles say which kind of box theirs is
 */
export function inBoxes(
  tokens: readonly Token[],
  text: string,
  read: (inline: Token) => void,
): readonly Token[] {
  const ends = new Map(boxesOf(text).map(({ from, to }) => [from, to]))
  if (ends.size === 0) return tokens
  const open: Open[] = []
  const out: Token[] = []
  const close = () => {
    const { level, token } = open.pop()!
    out.push(boxToken(token, { nesting: -1, level: level + open.length }))
  }
  for (const [i, token] of tokens.entries()) {
    while (open.length > 0 && isBehind(token, open.at(-1)!)) close()
    const { level, map } = token
    const to = token.type === 'paragraph_open' && map != null ? ends.get(map[0]) : undefined
    if (map != null && to !== undefined) {
      read(tokens[i + 1]!)
      out.push(boxToken(token, {
        nesting: 1, level: level + open.length, map: [map[0], to],
        attrs: [['class', classOf(tokens[i + 1]!)]],
      }))
      open.push({ to, level, token })
      token.attrSet('class', titleClass)
      if (isTab(tokens[i + 1]!)) withoutColon(tokens[i + 1]!)
    }
    token.level = level + open.length
    out.push(token)
  }
  while (open.length > 0) close()
  return out
}

/** Whether a token begins behind a box, or ends what holds it. */
function isBehind({ level, nesting, map }: Token, box: Open): boolean {
  if (level !== box.level) return level < box.level
  return nesting >= 0 && map != null && map[0] >= box.to
}

function boxToken(like: Token, fields: Partial<Token>): Token {
  const token: Token = Object.create(Object.getPrototypeOf(like))
  const type = fields.nesting === 1 ? 'box_open' : 'box_close'
  return Object.assign(token, like, { attrs: null, map: null }, fields, { type, tag: 'div' })
}

function classOf(title: Token): string {
  return isTab(title) ? 'tab' : classOfNote(strongStart(title.children ?? []).name)
}

/** `**Note**` is the title of a note, `Python:` that of a tab. */
function isTab({ children, content }: Token): boolean {
  return strongStart(children ?? []).name === '' && content.trimEnd().endsWith(':')
}

function withoutColon({ children }: Token): void {
  const last = children?.at(-1)
  if (last?.type === 'text') last.content = last.content.trimEnd().replace(/:$/, '')
}
