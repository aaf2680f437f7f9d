import { wordMap } from '../../document/word-set.ts'
import { gunzipSync } from 'node:zlib'
import { messageOf } from '../../platform/error.ts'
import { decodeText, notTextError, unreadableError } from '../decode.ts'
import { roffToMarkdown, parseRequest, type RoffRequest } from './roff.ts'
import {
  addWords,
  beginCode,
  endCode,
  endParagraph,
  headOption,
  manTitle,
  writeHeading,
  type ManState,
} from './man-state.ts'
import { runMdocLine } from './mdoc.ts'

/** A manual page as Markdown. `title` is its name and section: `tar(1)`. */
type ManPage = { title: string | null; description: string | null; text: string }

/** True if the first lines contain the header of a roff manual page, `.TH` or `.Dd`. */
export function isMan(text: string): boolean {
  const lines = text.slice(0, 40_000).split('\n')
  return (
    /^[.']/.test(lines.find((line) => line.trim() !== '') ?? '') &&
    lines.some((line) => /^\.[ \t]*(?:TH|Dd)[ \t]+\S/.test(line))
  )
}

/**
 * Converts a roff manual page with man or mdoc macros to Markdown. Sections become headings,
 * options become lists, and no-fill displays become code.
 * @throws OgError with `path` (`not-text`) if it is not a manual page
 */
export function parseMan(text: string, path: string): ManPage {
  if (!isMan(text)) throw notTextError(path, 'not a manual page')
  const page: ManState = {
    out: [],
    paragraph: [],
    code: null,
    term: null,
    terms: [],
    title: null,
    indent: 0,
    waiting: null,
    name: '',
    lists: [],
    isSynopsis: false,
    level: 2,
  }
  const lines = text.replace(/\\\n/g, '').split('\n')
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]!
    const request = parseRequest(line)
    if (request === null) writeText(page, line)
    else if (conditionals.has(request.name)) at = conditionalEnd(page, lines, { at, request })
    else if (request.name === 'de' || request.name === 'ig' || request.name === 'de1') {
      while (at + 1 < lines.length && !/^\.\s*\./.test(lines[at + 1]!)) at++
      at++
    } else if (!isComment(line)) runRequest(page, request)
  }
  endParagraph(page)
  endCode(page)
  const markdown = page.out
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
  const described = /^## NAME\n+([^\n]+)/m.exec(markdown)?.[1] ?? null
  return { title: page.title, description: described?.slice(0, 300) ?? null, text: `${markdown}\n` }
}

/** Maximum size of an unpacked manual page in bytes. Debian's longest, bash.1, has 353 kB. */
const unpackedLimit = 4 * 2 ** 20

/**
 * Converts a gzipped manual page, as installed by Linux distributions. @throws OgError with `path`
 * if it cannot be unpacked, exceeds 4 MB, or is not a manual page
 */
export function parseCompressedMan(bytes: Uint8Array, path: string): ManPage {
  let unpacked: Uint8Array
  try {
    unpacked = gunzipSync(bytes, { maxOutputLength: unpackedLimit })
  } catch (error) {
    throw unreadableError(path, messageOf(error))
  }
  return parseMan(decodeText(unpacked, path), path)
}

const conditionals = new Set(['if', 'ie', 'el'])

/** Runs a conditional. Only the condition `n` (a terminal) is true. Returns its last line. */
function conditionalEnd(
  page: ManState,
  lines: readonly string[],
  { at, request }: { at: number; request: RoffRequest },
): number {
  const [, negated, condition, rest = ''] =
    /^\s*(!?)(\S*)\s*(.*)$/.exec(request.name === 'el' ? `t ${request.rest}` : request.rest) ?? []
  const isTrue = (condition === 'n') !== (negated === '!')
  if (!rest.startsWith('\\{')) {
    const inner = isTrue ? parseRequest(rest) : null
    if (inner !== null) runRequest(page, inner)
    return at
  }
  if (isTrue) {
    runLine(page, rest.slice(2))
    return at
  }
  let depth = 0
  for (let line = at; line < lines.length; line++) {
    depth += (lines[line]!.match(/\\\{/g)?.length ?? 0) - (lines[line]!.match(/\\\}/g)?.length ?? 0)
    if (depth <= 0) return line
  }
  return lines.length
}

function runLine(page: ManState, line: string): void {
  const request = parseRequest(line)
  if (request !== null) runRequest(page, request)
  else if (line.trim() !== '') writeText(page, line)
}

function isComment(line: string): boolean {
  return /^['.]\s*\\?["#]/.test(line)
}

function writeText(page: ManState, line: string): void {
  if (page.code !== null) return void page.code.push(roffToMarkdown(line, true))
  if (line.trim() === '') return endParagraph(page)
  if (page.waiting !== null) {
    const { name } = page.waiting
    page.waiting = null
    return runRequest(page, { name, args: [line], rest: line })
  }
  addWords(page, roffToMarkdown(line))
}

/** Font macros. A macro with two letters alternates between two fonts. */
const fonts = wordMap('B:** I:* SB:** SM: BR:**| RB:|** BI:**|* IB:*|** IR:*| RI:|*')

function runRequest(page: ManState, request: RoffRequest): void {
  const { name, args } = request
  if (runMdocLine(page, request)) return
  const font = fonts.get(name)
  if (font !== undefined) {
    if (args.length === 0) page.waiting = request
    else if (page.code)
      page.code.push(
        args.map((word) => roffToMarkdown(word, true)).join(font.includes('|') ? '' : ' '),
      )
    else addWords(page, inFonts(args, font))
    return
  }
  if (Object.hasOwn(macros, name)) macros[name]!(page, request)
}

function inFonts(args: readonly string[], font: string): string {
  if (!font.includes('|')) return marked(args.map((word) => roffToMarkdown(word)).join(' '), font)
  const [first = '', second = ''] = font.split('|')
  return args
    .map((word, at) => marked(roffToMarkdown(word), at % 2 === 0 ? first : second))
    .join('')
}

/** Puts marks around words, unless they already contain marks. */
function marked(words: string, mark: string): string {
  return words.trim() === '' || mark === '' || words.includes('*')
    ? words
    : `${mark}${words}${mark}`
}

function wordsOf({ args }: RoffRequest): string {
  return args.map((word) => roffToMarkdown(word)).join(' ')
}

const paragraph = (page: ManState) => {
  endParagraph(page)
  page.indent = Math.min(page.indent, page.lists.length)
}

const macros: Record<string, (page: ManState, request: RoffRequest) => void> = {
  TH(page, { args: [name = '', section = ''] }) {
    page.title = manTitle(name, section)
  },
  SH(page, request) {
    if (request.args.length === 0) page.waiting = request
    else writeHeading(page, { level: 2, words: wordsOf(request) })
  },
  SS(page, request) {
    if (request.args.length === 0) page.waiting = request
    else writeHeading(page, { level: 3, words: wordsOf(request) })
  },
  PP: paragraph,
  P: paragraph,
  LP: paragraph,
  HP: paragraph,
  sp: paragraph,
  TP(page) {
    endParagraph(page)
    page.term = ''
  },
  TQ(page) {
    if (page.term && page.paragraph.length === 0) page.terms.push(page.term)
    else endParagraph(page)
    page.term = ''
  },
  IP(page, { args: [mark = ''] }) {
    endParagraph(page)
    const bullet = roffToMarkdown(mark)
    page.term = /^[\s•·*o-]?$/.test(bullet) ? null : bullet
    if (page.term === null) page.paragraph.push('-')
  },
  RS: (page) => {
    endParagraph(page)
    if (!headOption(page)) page.indent++
  },
  RE: (page) => {
    endParagraph(page)
    page.indent = Math.max(0, page.indent - 1)
  },
  nf: beginCode,
  EX: beginCode,
  Vb: beginCode,
  fi: endCode,
  EE: endCode,
  Ve: endCode,
  br: (page) => {
    if (page.code === null && page.paragraph.length > 0) page.paragraph.push('\n')
  },
  UR: (page, { args: [target = ''] }) => addWords(page, `<${target}>`),
  MT: (page, { args: [target = ''] }) => addWords(page, `<${target}>`),
  SY: (page, request) => addWords(page, `**${wordsOf(request)}**`),
  OP: (page, request) => addWords(page, `[${wordsOf(request)}]`),
  so: (page, { args: [target = ''] }) => addWords(page, `See ${target}.`),
}
