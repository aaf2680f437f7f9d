import type { Token } from 'markdown-it'
import { boxesOf } from '../box.ts'
import { classOfNote, strongStart, titleClass } from './notes.ts'

type Open = { to: number; level: number; token: Token }

/**
 * Wraps the blocks of each box of `text` (`box.ts`) in a block token of its own; the tokens in it
 * are then one level deeper. The `map` of a token is the line of `text` on which it begins.
 * @param read parses the inline content of a block: the title of a box tells its kind
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

/** Whether a token begins after a box, or closes a block around it. */
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

/** Whether a title is that of a tab, `Python:`, and not of a note, `**Note**`. */
function isTab({ children, content }: Token): boolean {
  return strongStart(children ?? []).name === '' && content.trimEnd().endsWith(':')
}

function withoutColon({ children }: Token): void {
  const last = children?.at(-1)
  if (last?.type === 'text') last.content = last.content.trimEnd().replace(/:$/, '')
}
