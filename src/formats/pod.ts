import { dedent } from '../document/block-lines.ts'
import { codeSpan, fenceCode } from '../document/fence.ts'
import { decodeEntities, escapeMarkdown } from '../document/inline.ts'
import { notTextError } from './decode.ts'

type PodPage = { title: string | null; description: string | null; text: string }

/**
 * Converts the POD of a Perl module or document to Markdown. Items for functions, options and
 * values become headings, because modules document their functions as items.
 * @throws OgError with `path` (`not-text`) if the file has no POD
 */
export function parsePod(text: string, path: string): PodPage {
  const page: PodState = {
    out: [],
    lists: [],
    level: 1,
    code: [],
    forms: [],
    heading: '',
    name: null,
  }
  for (const paragraph of podParagraphs(text)) writeParagraph(page, paragraph)
  endForms(page)
  endCode(page)
  const markdown = page.out.filter((block) => block !== '').join('\n\n')
  if (markdown === '') throw notTextError(path, 'no POD')
  const [, name, abstract] = /^([\w:.+-]+)\s+-+\s+(.+)$/s.exec(page.name ?? '') ?? []
  const title = page.name === null ? moduleTitle(text) : oneLine(name ?? page.name)
  return {
    title: abstract === undefined ? title : `${title} - ${oneLine(abstract)}`,
    description: abstract === undefined ? null : oneLine(abstract),
    text: `${markdown}\n`,
  }
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim().slice(0, 300)
}

/** Returns the title of a module whose NAME section is generated at release. */
function moduleTitle(text: string): string | null {
  const [, name] = /^[ \t]*(?:package|class|role)[ \t]+([\w:]+)/m.exec(text) ?? []
  const [, abstract] = /^[ \t]*#+[ \t]*ABSTRACT:[ \t]*(\S.*)$/m.exec(text) ?? []
  return name === undefined || abstract === undefined ? (name ?? null) : `${name} - ${abstract}`
}

/** Yields the paragraphs of POD. Skips program code and parts for other formats. */
function* podParagraphs(text: string): Generator<string> {
  let isForeign = false
  for (const paragraph of withoutProgram(text).split(/\n(?:[ \t]*\n)+/)) {
    const [, command = '', rest = ''] = /^\s*\n?=([a-z]\w*)[ \t]*([^]*)$/i.exec(paragraph) ?? []
    if (command === 'begin') isForeign = !rest.startsWith(':')
    else if (command === 'end') isForeign = false
    const isShown = !isForeign && !/^(?:pod|encoding|for|begin|end)$/.test(command)
    if (isShown && paragraph.trim() !== '') yield paragraph.replace(/^\n+/, '').trimEnd()
  }
}

/** Keeps the lines from each command to `=cut`. A command need not follow a blank line. */
function withoutProgram(text: string): string {
  const parts = text.matchAll(/^=(?!cut\b)[a-z][^]*?(?=\n=cut\b|(?![^]))/gim)
  return Array.from(parts, ([part]) => part).join('\n\n')
}

type PodState = {
  out: string[]
  /** The kinds of the open lists. */
  lists: ('bullet' | 'number' | 'term' | 'heading')[]
  /** Level of the last section heading. */
  level: number
  /** Verbatim paragraphs of one code block. */
  code: string[]
  /** Items without text between them, such as several forms of one function. */
  forms: string[]
  heading: string
  /** The text of the section NAME. */
  name: string | null
}

function writeParagraph(page: PodState, paragraph: string): void {
  const [, command, rest = ''] = /^=([a-z]\w*)[ \t]*([^]*)$/i.exec(paragraph) ?? []
  if (command !== 'item') endForms(page)
  if (/^[ \t]/.test(paragraph)) return void page.code.push(paragraph)
  endCode(page)
  if (command === undefined) writeText(page, paragraph)
  else if (command === 'over') page.lists.push('term')
  else if (command === 'back') page.lists.pop()
  else if (command === 'item') writeItem(page, rest.trim())
  else {
    // Pod::Weaver commands, such as `=method`, start a section about that method.
    const level = Number(/^head([1-6])$/.exec(command)?.[1] ?? 2)
    page.level = Math.min(level + 1, 6)
    page.lists = []
    page.heading = oneLine(podInline(rest).plain)
    if (page.heading !== '') page.out.push(`${'#'.repeat(page.level)} ${headingText(rest)}`)
  }
}

function headingText(source: string): string {
  return podInline(source).markdown.replace(/\s+/g, ' ').trim()
}

function writeText(page: PodState, paragraph: string): void {
  const { markdown, plain } = podInline(paragraph)
  if (/^name$/i.test(page.heading)) page.name ??= plain
  const text = markdown
    .replace(/^[ \t]+/gm, '')
    .replace(/\n(?=[-+>#] |\d+[.)] |=)/g, ' ')
    .replace(/^(?=[-+>#]+ )/, '\\')
    .trim()
  const before = indentOf(page)
  page.out.push(before + text.replaceAll('\n', `\n${before}`))
}

/** Deeper lists are not indented further. */
const deepest = 7

/** Returns the indentation of text in a list item. */
function indentOf({ lists }: PodState): string {
  return '  '.repeat(lists.slice(0, deepest).filter((kind) => kind !== 'heading').length)
}

function writeItem(page: PodState, source: string): void {
  const kind = kindOf(source)
  const { lists } = page
  const term = source.replace(/^(?:\*|\d+[.)]?(?=\s|$))\s*/, '')
  const { markdown, plain } = podInline(term)
  const isHeading = kind === 'term' && lists.length < 2 && isName(plain)
  lists[Math.max(lists.length - 1, 0)] = isHeading ? 'heading' : kind
  if (lists.at(-1) === 'heading') return void page.forms.push(term)
  endForms(page)
  const mark = kind === 'number' ? `${/^\d+/.exec(source)![0]}.` : '-'
  const text = oneLine(markdown)
  const content = kind === 'term' && text !== '' ? marked(text) : text
  page.out.push(`${indentOf(page).slice(2)}${mark} ${content}`.trimEnd())
}

/** Writes the open items as a heading. Several items are also listed as code below it. */
function endForms(page: PodState): void {
  const forms = page.forms.splice(0)
  const [first] = forms
  if (first === undefined) return
  page.out.push(`${'#'.repeat(Math.min(page.level + 1, 6))} ${codeSpan(podInline(first).plain)}`)
  const code = forms.map((form) => oneLine(podInline(form).plain)).join('\n')
  if (forms.length > 1) page.out.push(fenceCode(code, 'perl'))
}

function marked(text: string): string {
  return /[*`]/.test(text) ? text : `**${text}**`
}

function kindOf(source: string): 'bullet' | 'number' | 'term' {
  if (/^(?:\*|$)/.test(source)) return 'bullet'
  return /^\d+[.)]?(?:\s|$)/.test(source) ? 'number' : 'term'
}

/** True if a term is the name of a function, variable or option, with or without arguments. */
function isName(term: string): boolean {
  const [first = '', ...rest] = term.trim().split(/\s+/)
  if (term.length > longestTerm || !/^(?:--?|[$@%&+])?[\w:]/.test(first)) return false
  if (first.includes('(') || first.startsWith('-')) return true
  return rest.every((it) => /^(?:[A-Z,.]+|[$@%&[({=\\<,-].*)$/.test(it))
}

/** Longer items are sentences. */
const longestTerm = 120

/** Writes the open verbatim paragraphs as code, without common indentation. */
function endCode(page: PodState): void {
  const lines = page.code.splice(0).join('\n\n').replaceAll('\t', '        ').split('\n')
  if (lines.every((line) => line.trim() === '')) return
  const code = dedent(lines).join('\n')
  const language = /^[$%>] /.test(code) ? 'sh' : 'perl'
  const before = indentOf(page)
  page.out.push(before + fenceCode(code, language).replaceAll(/\n(?=[^\n])/g, `\n${before}`))
}

/** POD text as Markdown, and as plain text for use in code. */
type PodText = { markdown: string; plain: string }

/** An open code: `nMarks` is the number of `<`, `words` the text of a link before `|`. */
type Open = PodText & { code: string; nMarks: number; words?: PodText | undefined }

/** Deeper codes stay text. Perl's own documents nest up to four. */
const deepestCode = 30

/** Converts formatting codes in a paragraph, such as `B<bold>` and `C<< $a->b >>`. */
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
      if (open.length > deepestCode) addText(sign)
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

function entityOf(name: string): string {
  const [, hex, octal, decimal] = /^(?:0x([\da-f]{1,6})|(0[0-7]{1,7})|(\d{1,7}))$/i.exec(name) ?? []
  if (hex === undefined && octal === undefined && decimal === undefined) {
    return decodeEntities(`&${name};`)
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
