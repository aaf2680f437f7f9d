import { htmlToText } from '../../search/excerpt/plain-html.ts'
import type { Line, Span, Style } from './span.ts'

/** Longer text is not parsed: it was probably pasted, and the expression would be slow. */
const longest = 4000

/**
 * Matches, in this order: an escaped character, code, a link or image, a URL, strong text,
 * emphasis, strikethrough.
 */
const mark = new RegExp(
  [
    String.raw`\\([!-/:-@[-\x60{-~])`,
    String.raw`(?<!\x60)(\x60{1,3})(?!\x60)(.+?)(?<!\x60)\2(?!\x60)`,
    String.raw`(!?)\[([^[\]]{0,400})\]\(<?([^()\s<>]{0,600})>?(?:\s+"[^"]{0,200}")?\)` +
      String.raw`(?:\{[^{}]{0,80}\})?`,
    String.raw`<((?:https?|mailto):[^<>\s]{1,600})>`,
    String.raw`(\*{2,3}|(?<!\w)_{2,3})(?=[^\s*_])(.{0,1000}?[^\s])\8(?!\w)`,
    String.raw`(\*|(?<!\w)_)(?=[^\s*_])([^*_]{0,1000}?[^\s*_])\10(?!\w)`,
    String.raw`~~(?=\S)([^~]{1,600})~~`,
  ].join('|'),
  'g',
)

export function inlineSpans(text: string, style?: Style): Line {
  return spansOf(text.length > longest ? text : htmlToText(text), style, 0)
}

function spansOf(text: string, style: Style | undefined, depth: number): Line {
  if (text.length > longest || depth > 3) return [{ text, ...(style && { style }) }]
  const spans: Span[] = []
  let at = 0
  const plain = (piece: string, as = style) => {
    const text = as === 'code' ? piece : entities(piece)
    if (piece !== '') spans.push({ text, ...(as && { style: as }) })
  }
  for (const match of text.matchAll(mark)) {
    plain(text.slice(at, match.index))
    at = match.index + match[0].length
    const [, escaped, , code, bang, label, target, address, , strong, , emphasis, struck] = match
    if (escaped !== undefined) spans.push({ text: escaped, ...(style && { style }) })
    else if (code !== undefined) plain(code.replace(/^ (.*\S.*) $/, '$1'), 'code')
    else if (label !== undefined) spans.push(...linkSpans({ bang, label, target, style, depth }))
    else if (address !== undefined) plain(address, 'link')
    else if (strong !== undefined) spans.push(...spansOf(strong, 'strong', depth + 1))
    else if (emphasis !== undefined) spans.push(...spansOf(emphasis, 'emphasis', depth + 1))
    else if (struck !== undefined) plain(struck)
  }
  plain(text.slice(at))
  return spans
}

type Linked = {
  /** `!` if the link is an image, otherwise undefined. */
  bang: string | undefined
  label: string
  target: string | undefined
  style: Style | undefined
  depth: number
}

function linkSpans({ bang, label, target = '', style, depth }: Linked): Line {
  if (bang) return [{ text: `[${label || 'picture'}]`, style: 'aside' }]
  const spans = spansOf(label, style ?? 'link', depth + 1)
  const isOther = /^https?:/.test(target) && !label.includes(target)
  return isOther ? [...spans, { text: ` (${target})`, style: 'aside' }] : spans
}

const namedEntities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  nbsp: ' ',
  mdash: '—',
  ndash: '–',
}

function entities(text: string): string {
  return text.replace(/&([a-z]{2,5});/g, (whole, name: string) => namedEntities[name] ?? whole)
}
