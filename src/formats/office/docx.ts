import { writeTable, toCell } from '../../document/write-markdown.ts'
import { SaxesParser } from 'saxes'
import { notTextError, unreadableError } from '../decode.ts'
import { fenceCode } from '../../document/fence.ts'
import { openZipped } from './zipped.ts'

type DocxPage = { title: string | null; text: string }

/**
 * Converts a docx file to Markdown: headings by style, lists, tables, links, bold and italic text,
 * and paragraphs with a code style.
 * @throws OgError with `path` if the file is not a docx file
 */
export async function parseDocx(bytes: Uint8Array, path: string): Promise<DocxPage> {
  const files = openZipped(bytes, path)
  const body = await files.text('word/document.xml')
  if (body === null) throw notTextError(path, 'not a document of Word')
  const styles = stylesOf((await files.text('word/styles.xml')) ?? '')
  const links = linksOf((await files.text('word/_rels/document.xml.rels')) ?? '')
  const core = (await files.text('docProps/core.xml')) ?? ''
  const scan: Scan = {
    styles,
    links,
    out: [],
    paragraph: null,
    runs: '',
    isBold: false,
    isItalic: false,
    link: null,
    tables: [],
    isDeleted: 0,
    inText: false,
    code: [],
    title: null,
  }
  parse(body, scan, path)
  endCode(scan)
  const coreTitle = /<dc:title>([^<]{1,300})<\/dc:title>/.exec(core)?.[1]?.trim()
  const text = `${scan.out
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()}\n`
  if (!/[\p{L}\p{N}]/u.test(text)) throw notTextError(path, 'a document without text')
  return { title: scan.title ?? (coreTitle || null), text }
}

type Style = { level: number; isCode: boolean; isTitle: boolean }

type Scan = {
  styles: ReadonlyMap<string, Style>
  links: ReadonlyMap<string, string>
  out: string[]
  paragraph: { style: string; level: number | null } | null
  /** The text of the open paragraph. */
  runs: string
  isBold: boolean
  isItalic: boolean
  link: { target: string; from: number } | null
  /** Open tables, outermost first, as rows of cells. */
  tables: string[][][]
  /** Positive inside deleted text, which documents with tracked changes contain. */
  isDeleted: number
  inText: boolean
  code: string[]
  title: string | null
}

function stylesOf(xml: string): Map<string, Style> {
  const styles = new Map<string, Style>()
  for (const part of xml.split('<w:style ').slice(1, 2000)) {
    const id = /w:styleId="([^"]+)"/.exec(part)?.[1]
    const name = /<w:name w:val="([^"]+)"/.exec(part)?.[1]?.toLowerCase() ?? ''
    const outline = /<w:outlineLvl w:val="(\d)"/.exec(part)?.[1]
    const depth = /^heading (\d)$/.exec(name)?.[1]
    const level = depth ? Number(depth) : outline && Number(outline) < 6 ? Number(outline) + 1 : 0
    const isCode = /code|source|preformatted|verbatim|macro/.test(name) && !/char$/.test(name)
    if (id !== undefined) styles.set(id, { level, isCode, isTitle: name === 'title' })
  }
  return styles
}

function linksOf(xml: string): Map<string, string> {
  const links = new Map<string, string>()
  for (const [element] of xml.matchAll(/<Relationship\s[^<>]*>/g)) {
    const id = /\bId="([^"]+)"/.exec(element)?.[1]
    const target = /\bTarget="([^"]+)"/.exec(element)?.[1]
    if (id && target && /^https?:/.test(target)) links.set(id, target.replaceAll('&amp;', '&'))
  }
  return links
}

type Attributes = Record<string, string>

function parse(xml: string, scan: Scan, path: string): void {
  const parser = new SaxesParser()
  let fault: string | null = null
  parser.on('error', (error) => {
    fault ??= error.message
  })
  parser.on('opentag', ({ name, attributes }) => open(scan, name, attributes as Attributes))
  parser.on('closetag', ({ name }) => close(scan, name))
  parser.on('text', (text) => {
    if (scan.inText && scan.isDeleted === 0) scan.runs += marked(text, scan)
  })
  parser.write(xml).close()
  if (fault !== null) throw unreadableError(path, `its XML is damaged: ${fault}`)
}

function marked(text: string, { isBold, isItalic, paragraph, styles }: Scan): string {
  const isPlain = text.trim() === '' || (styles.get(paragraph?.style ?? '')?.isCode ?? false)
  const mark = isPlain ? '' : `${isBold ? '**' : ''}${isItalic ? '*' : ''}`
  if (mark === '') return text
  const bare = text.trim()
  const before = text.slice(0, text.indexOf(bare))
  const closing = mark === '***' ? '***' : mark
  return `${before}${mark}${bare}${closing}${text.slice(before.length + bare.length)}`
}

function isOn(attributes: Attributes): boolean {
  return !/^(?:0|false|none|off)$/.test(attributes['w:val'] ?? '')
}

function open(scan: Scan, name: string, attributes: Attributes): void {
  if (name === 'w:p') {
    scan.paragraph = { style: '', level: null }
    scan.runs = ''
  } else if (name === 'w:pStyle') {
    if (scan.paragraph) scan.paragraph.style = attributes['w:val'] ?? ''
  } else if (name === 'w:ilvl') {
    if (scan.paragraph) scan.paragraph.level = Number(attributes['w:val'] ?? 0) || 0
  } else if (name === 'w:r') {
    scan.isBold = scan.isItalic = false
  } else if (name === 'w:b') scan.isBold = isOn(attributes)
  else if (name === 'w:i') scan.isItalic = isOn(attributes)
  else if (name === 'w:t') scan.inText = true
  else if (name === 'w:tab') scan.runs += scan.paragraph === null ? '' : ' '
  else if (name === 'w:br' || name === 'w:cr') scan.runs += '\n'
  else if (name === 'w:del' || name === 'w:moveFrom') scan.isDeleted++
  else if (name === 'w:hyperlink') {
    const target = scan.links.get(attributes['r:id'] ?? '')
    scan.link = target === undefined ? null : { target, from: scan.runs.length }
  } else if (name === 'w:tbl') {
    endCode(scan)
    scan.tables.push([])
  } else if (name === 'w:tr') scan.tables.at(-1)?.push([])
  else if (name === 'w:tc') scan.tables.at(-1)?.at(-1)?.push('')
}

function close(scan: Scan, name: string): void {
  if (name === 'w:p') endParagraph(scan)
  else if (name === 'w:t') scan.inText = false
  else if (name === 'w:del' || name === 'w:moveFrom') scan.isDeleted--
  else if (name === 'w:hyperlink' && scan.link) {
    const { target, from } = scan.link
    const words = scan.runs.slice(from)
    if (words.trim() !== '') scan.runs = `${scan.runs.slice(0, from)}[${words}](${target})`
    scan.link = null
  } else if (name === 'w:tbl') endTable(scan)
}

function endParagraph(scan: Scan): void {
  const { paragraph, styles, out } = scan
  const text = scan.runs.replace(/\*\*\*\*/g, '')
  scan.runs = ''
  scan.paragraph = null
  const row = scan.tables.at(-1)?.at(-1)
  if (row !== undefined && row.length > 0) {
    const cell = row.at(-1)!
    row[row.length - 1] = cell === '' ? text.trim() : `${cell}<br>${text.trim()}`
    return
  }
  const style = styles.get(paragraph?.style ?? '')
  if (style?.isCode) return void scan.code.push(text)
  endCode(scan)
  const words = text.trim()
  if (words === '') return
  if (style?.isTitle) scan.title ??= words.replaceAll('*', '')
  const level = style?.isTitle ? 1 : (style?.level ?? 0)
  if (level > 0)
    out.push('', `${'#'.repeat(level)} ${words.replace(/\s+/g, ' ').replaceAll('**', '')}`, '')
  else if (paragraph?.level !== null && paragraph?.level !== undefined) {
    out.push(`${'  '.repeat(Math.min(paragraph.level, 8))}- ${words.replace(/\n/g, ' ')}`)
  } else out.push('', words, '')
}

function endCode(scan: Scan): void {
  if (scan.code.length > 0) scan.out.push('', fenceCode(scan.code.join('\n'), ''), '')
  scan.code = []
}

function endTable(scan: Scan): void {
  const rows = (scan.tables.pop() ?? []).filter((row) => row.length > 0)
  const around = scan.tables.at(-1)?.at(-1)
  // A table inside a cell becomes text.
  if (around !== undefined && around.length > 0) around[around.length - 1] += rows.flat().join(' ')
  else scan.out.push('', writeTable(rows.map((row) => row.map(toCell))), '')
}
