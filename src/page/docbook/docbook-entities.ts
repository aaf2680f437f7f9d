import { Parser } from 'htmlparser2'
import type { GrowthLimit } from '../../document/growth.ts'

/** Entities may contain entities down to this depth. */
const deepest = 8

/**
 * Replaces the entities of a document outside CDATA and comments. Entities of HTML become
 * characters, unknown ones disappear; the five of XML stay for the parser.
 */
export function expandEntities(
  xml: string,
  { entities, growth }: { entities: ReadonlyMap<string, string>; growth: GrowthLimit },
): string {
  const expand = (text: string, depth: number): string =>
    text.replace(/&([A-Za-z_][\w.:-]*);/g, (written, name: string) => {
      if (ofXml.has(name)) return written
      const value = entities.get(name)
      if (value === undefined) return htmlCharacter(name)
      if (depth >= deepest || !growth.take(value.length)) return ''
      return expandMarkup(value, (part) => expand(part, depth + 1))
    })
  return expandMarkup(xml, (part) => expand(part, 0))
}

const ofXml = new Set(['amp', 'lt', 'gt', 'quot', 'apos'])

/** Applies `expand` to the text outside CDATA sections, and removes comments. */
function expandMarkup(xml: string, expand: (text: string) => string): string {
  const out: string[] = []
  let from = 0
  const opening = /<!--|<!\[CDATA\[/g
  for (let match = opening.exec(xml); match !== null; match = opening.exec(xml)) {
    const isComment = match[0] === '<!--'
    const close = isComment ? '-->' : ']]>'
    const end = xml.indexOf(close, opening.lastIndex)
    const next = end < 0 ? xml.length : end + close.length
    out.push(expand(xml.slice(from, match.index)))
    if (!isComment) out.push(xml.slice(match.index, next))
    from = opening.lastIndex = next
  }
  out.push(expand(xml.slice(from)))
  return out.join('')
}

/** The character of an entity of HTML; '' if HTML has no such entity. */
function htmlCharacter(name: string): string {
  let text = ''
  const parser = new Parser({ ontext: (part) => (text += part) })
  parser.end(`&${name};`)
  return text.startsWith('&') && text.length > 1 ? '' : text
}
