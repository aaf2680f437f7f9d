import { noteNames } from '../../../document/note-names.ts'
import { toTitle } from '../../../document/block-lines.ts'
import { inlineShortcodeText, type Parameters } from './inline-shortcode.ts'
import { pairShortcodes, findShortcodes, unescapeShortcodes, type Shortcode } from './shortcode.ts'

/**
 * Converts Hugo's shortcodes to Markdown: notes, tabs and collapsible parts become containers
 * (`:::`), code becomes fences, references become their targets, and parameters their values. Keeps
 * the text inside an unknown shortcode.
 */
export function hugoToMarkdown(text: string, site: Parameters): string {
  return /\{\{[<%]/.test(text)
    ? unescapeShortcodes(withoutShortcodes(text, { shortcodes: findShortcodes(text), site }))
    : text
}

/** Replaces these shortcodes of the text, in text order, with Markdown. */
export function withoutShortcodes(
  text: string,
  { shortcodes, site }: Pick<Scan, 'shortcodes' | 'site'>,
): string {
  const pairs = pairShortcodes(shortcodes)
  const scan: Scan = { text, shortcodes, pairs, site, out: [], at: 0, open: new Map() }
  for (let index = 0; index < shortcodes.length; ) index = writeShortcode(scan, index)
  return scan.out.join('') + text.slice(scan.at)
}

type Scan = {
  text: string
  shortcodes: readonly Shortcode[]
  pairs: ReadonlyMap<number, number>
  site: Parameters
  /** The pieces of the text that is written. */
  out: string[]
  at: number
  /** The replacement of each closing shortcode, by its index. */
  open: Map<number, string>
}

/** Writes the text before a shortcode, and its replacement. Returns the next index. */
function writeShortcode(scan: Scan, index: number): number {
  const { text, shortcodes, pairs } = scan
  const one = shortcodes[index]!
  add(scan, text.slice(scan.at, one.from))
  scan.at = one.to
  if (one.kind === 'close') {
    add(scan, scan.open.get(index) ?? '')
    return index + 1
  }
  const end = one.kind === 'open' ? pairs.get(index) : undefined
  const language = end === undefined ? null : codeLanguage(one)
  if (end !== undefined && (language !== null || one.name === 'comment')) {
    if (language !== null)
      writeCode(scan, { one, language, inner: text.slice(one.to, shortcodes[end]!.from) })
    scan.at = shortcodes[end]!.to
    return end + 1
  }
  if (end !== undefined && text.slice(one.to, shortcodes[end]!.from).trim() !== '') {
    openBlock(scan, one, end)
    return index + 1
  }
  // Without text, an unknown shortcode stays, and counts as a leftover.
  const shown = inlineShortcodeText(one, scan.site)
  add(scan, shown ?? (one.args.size === 0 ? '' : text.slice(one.from, one.to)))
  if (end !== undefined) scan.at = shortcodes[end]!.to
  return (end ?? index) + 1
}

function add({ out }: Scan, text: string): void {
  if (text !== '') out.push(text)
}

/** Returns the last line of the text if it consists of indentation alone; otherwise null. */
function indentAtEnd({ out }: Scan): string | null {
  // Reading the end of a long string that is still growing would copy all of it each time.
  const end = out.slice(-8).join('').slice(-200)
  return /(?:^|\n)([ \t]*)$/.exec(end)?.[1] ?? null
}

const codeNames = /^(?:highlight|redis-cli|code-?toggle|mermaid|codeblock|code-block|codes?)$/

/** The language of a shortcode that contains code; null if it contains text. */
function codeLanguage({ name, args }: Shortcode): string | null {
  const said = args.get('lang') ?? args.get('language') ?? args.get('codelang')
  if (/^tab/.test(name)) return said === undefined || said === 'text' ? null : said
  if (!codeNames.test(name)) return null
  if (name === 'mermaid') return name
  return said ?? (name === 'highlight' ? (args.get('0') ?? '') : '')
}

function writeCode(
  scan: Scan,
  { one, language, inner }: { one: Shortcode; language: string; inner: string },
): void {
  if (inner.trim() === '') return
  const indent = indentAtEnd(scan)
  // Code within a line, such as in a table cell.
  if (indent === null || !inner.includes('\n')) {
    return add(scan, one.name === 'code' ? inner : `\`${inner.trim()}\``)
  }
  const label =
    one.args.get('file') ?? one.args.get('filename') ?? one.args.get('title') ?? tabTitle(one)
  const title =
    label === '' ? '' : `${/^tab/.test(one.name) ? `**${label}:**` : label}\n\n${indent}`
  // The author may have written a fence inside the shortcode.
  const code = inner.replace(/^[ \t]*\n/, '').trimEnd()
  const isFenced = /^\s*(?:`{3}|~{3})/.test(code)
  const shown = /^code-?toggle$/.test(one.name) ? dataLanguage(code) : language
  const fenced = `${title}\`\`\`${shown}\n${code}\n${indent}\`\`\`\n`
  add(scan, isFenced ? `${title}\n${code}\n` : fenced)
}

/** The language of a configuration, by its first line that is no comment. */
function dataLanguage(code: string): string {
  const first = /^\s*([^\s#][^\n]*)/m.exec(code)?.[1] ?? ''
  if (first.startsWith('{')) return 'json'
  return /^(?:\[|\+\+\+|[\w.'"-]+\s*=)/.test(first) ? 'toml' : 'yaml'
}

function tabTitle(one: Shortcode): string {
  return tabNames.test(one.name) ? titleOf(one) : ''
}

const noteNamesOfHugo = new RegExp(
  `^(?:${noteNames}|alert|callout|admonition|notice|pageinfo|question|imgcaution|disclaimer` +
    '|new-in|deprecated-in)s?$',
)
const foldedNames =
  /^(?:details|expand|collapse|collapsible|accordion(?:-?item)?|card|step|definition|fold)/
const tabNames = /^tab(?:-?item|-?panel)?$/

function openBlock(scan: Scan, one: Shortcode, end: number): void {
  const indent = indentAtEnd(scan)
  const title = blockTitle(one)
  if (title === '') return
  const isTab = tabNames.test(one.name)
  if (indent === null) {
    return add(scan, isTab ? `${title}: ` : `**${title}**: `)
  }
  const marks = marksOf(scan)
  add(scan, `${marks} ${isTab ? 'tab' : 'note'} ${title}\n\n${indent}`)
  scan.open.set(end, `\n${indent}${marks}\n`)
}

/** A run of colons whose length no other open container uses. */
function marksOf({ open }: Scan): string {
  return ':'.repeat(Math.max(3, 40 - open.size))
}

/** The title of the box that a shortcode becomes; '' if it becomes no box. */
function blockTitle(one: Shortcode): string {
  const { name, args } = one
  const title = titleOf(one)
  if (noteNamesOfHugo.test(name)) {
    const version = /^(new|deprecated)-in$/.exec(name)?.[1]
    if (version) return `${toTitle(version)} in ${args.get('0') ?? ''}`
    return titleOf({ ...one, args: withoutKind(args) }) || toTitle(kindOf(one))
  }
  return tabNames.test(name) || foldedNames.test(name) ? title : ''
}

function withoutKind(args: ReadonlyMap<string, string>): Map<string, string> {
  return new Map([...args].filter(([key, value]) => key !== '0' || !noteNamesOfHugo.test(value)))
}

/** The kind of a note: the argument of a general name (`hint info`), or the name itself. */
function kindOf({ name, args }: Shortcode): string {
  const said = ['type', 'kind', 'status', 'color', 'context', '0']
    .map((key) => args.get(key))
    .find((value) => value !== undefined && noteNamesOfHugo.test(value))
  if (said !== undefined) return said
  return /^(?:alert|hint|callout|admonition|notice|pageinfo)$/.test(name)
    ? 'note'
    : name.replace(/s$/, '')
}

function titleOf({ args }: Shortcode): string {
  const keys = ['title', 'header', 'summary', 'label', 'name', 'tabName', 'tabTitle', '0', '1']
  const written = keys
    .map((key) => args.get(key))
    .find((value) => value !== undefined && value !== '')
  return written === undefined || /^(?:true|false)$/.test(written)
    ? ''
    : written.replace(/\s+/g, ' ').trim()
}
