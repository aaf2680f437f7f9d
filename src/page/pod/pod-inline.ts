import { decodeEntities, escapeMarkdown } from '../../document/inline.ts'
import { codeSpan } from '../../document/fence.ts'

/** Text of POD as Markdown, and without marks, as it is shown inside code. */
export type PodText = { markdown: string; plain: string }

/**
 * An open formatting code. `nMarks` is the number of `<` after its letter; `words` is the text of a
 * link before its bar.
 */
type Open = PodText & { code: string; nMarks: number; words?: PodText | undefined }

/** Deeper codes are kept as text. Perl's own documents nest four. */
const deepest = 30

/** Converts the formatting codes of a paragraph, such as `B<bold>` and `C<< $a->b >>`. */
export function podInline(source: string): PodText {
  const open: Open[] = [{ code: '', nMarks: 0, markdown: '', plain: '' }]
  const add = ({ markdown, plain }: PodText) => {
    const top = open.at(-1)!
    top.markdown += markdown
    top.plain += plain
  }
  const addText = (text: string) => {
    const top = open.at(-1)!
    const bar = top.code === 'L' && top.words === undefined ? text.indexOf('|') : -1
    if (bar < 0) return add(asText(text))
    add(asText(text.slice(0, bar)))
    top.words = { markdown: top.markdown, plain: top.plain }
    top.markdown = top.plain = ''
    add(asText(text.slice(bar + 1)))
  }
  const close = () => add(formatted(open.pop()!))
  let at = 0
  for (const { 0: sign, index } of source.matchAll(/[BCEFILSXZ](?:<{2,}(?=\s)|<)|>+/g)) {
    if (index > at) addText(source.slice(at, index))
    at = Math.max(at, index)
    const end = index + sign.length
    if (sign[0] !== '>') {
      const nMarks = sign.length - 1
      if (open.length > deepest) addText(sign)
      else open.push({ code: sign[0]!, nMarks, markdown: '', plain: '' })
      at = end
    }
    while (at < end) {
      const { nMarks } = open.at(-1)!
      const isClosing = nMarks === 1 || (nMarks > 1 && /\s/.test(source[at - 1] ?? ''))
      if (isClosing && end - at >= nMarks) {
        close()
        at += nMarks
      } else {
        addText(source.slice(at, end))
        at = end
      }
    }
  }
  addText(source.slice(at))
  while (open.length > 1) close()
  const { markdown, plain } = open[0]!
  return { markdown, plain }
}

function formatted({ code, markdown, plain, words }: Open): PodText {
  const text = plain.trim()
  const marked = (mark: string) => {
    const inner = markdown.trim()
    return { markdown: inner === '' ? '' : mark + inner + mark, plain: text }
  }
  switch (code) {
    case 'B':
      return marked('**')
    case 'I':
      return marked('*')
    case 'C':
    case 'F':
      return { markdown: codeSpan(text), plain: text }
    case 'E':
      return asText(entityOf(text))
    case 'L':
      return linkOf({ words, plain })
    case 'X':
    case 'Z':
      return { markdown: '', plain: '' }
    default:
      return { markdown, plain }
  }
}

function asText(plain: string): PodText {
  return { markdown: escapeMarkdown(plain), plain }
}

const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', verbar: '|', sol: '/' }

function entityOf(name: string): string {
  const [, hex, octal, decimal] = /^(?:0x([\da-f]{1,6})|(0[0-7]{1,7})|(\d{1,7}))$/i.exec(name) ?? []
  if (hex === undefined && octal === undefined && decimal === undefined) {
    return entities[name] ?? decodeEntities(`&${name};`)
  }
  const point =
    hex !== undefined
      ? Number.parseInt(hex, 16)
      : Number.parseInt(octal ?? decimal!, octal ? 8 : 10)
  return point > 0x1f && point <= 0x10ffff ? String.fromCodePoint(point).toWellFormed() : ''
}

/** Converts a link as perldoc shows it: its words, a URL, or `"section" in Module`. */
function linkOf({ words, plain }: Pick<Open, 'words' | 'plain'>): PodText {
  const target = plain.trim()
  const isUrl = /^\w+:[^:\s]\S*$/.test(target)
  if (words !== undefined) {
    return isUrl ? { ...words, markdown: `[${words.markdown}](${encodeURI(target)})` } : words
  }
  if (isUrl) return { markdown: `<${target}>`, plain: target }
  const [, page = '', section = ''] = /^([^"/]*)\/?\s*"?([^]*?)"?$/.exec(target) ?? []
  if (section === '') return { markdown: codeSpan(page), plain: page }
  const isHere = page.trim() === ''
  return {
    markdown: `“${escapeMarkdown(section)}”${isHere ? '' : ` in ${codeSpan(page)}`}`,
    plain: `"${section}"${isHere ? '' : ` in ${page}`}`,
  }
}
