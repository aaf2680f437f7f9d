import { firstValue } from '../../document/attributes.ts'
import { oneLine } from '../../platform/text/trim.ts'
import { toTitle } from '../../document/block-lines.ts'
import { noteNames } from '../../document/note-names.ts'
import { type Shortcode, findShortcodes, pairShortcodes, unescapeShortcodes } from './shortcode.ts'

/**
 * Converts Hugo's shortcodes to Markdown. Notes, tabs and collapsible parts become containers
 * (`:::`), code becomes fences, references become their targets, and parameters become their
 * values. Keeps the text inside unknown shortcodes.
 */
export function hugoToMarkdown(text: string, site: Parameters): string {
  return /\{\{[<%]/.test(text)
    ? unescapeShortcodes(withoutShortcodes(text, { shortcodes: findShortcodes(text), site }))
    : text
}

/** Replaces the given shortcodes, which are in text order, with Markdown. */
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
  out: string[]
  at: number
  /** The replacement of each closing shortcode by index. */
  open: Map<number, string>
}

/** Writes the text before a shortcode and its replacement. Returns the next index. */
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
  // An unknown shortcode without text stays in the page and counts as a leftover.
  const content = inlineShortcodeText(one, scan.site)
  add(scan, content ?? text.slice(one.from, one.to))
  if (end !== undefined) scan.at = shortcodes[end]!.to
  return (end ?? index) + 1
}

function add({ out }: Scan, text: string): void {
  if (text !== '') out.push(text)
}

/** Returns the last line of the text if it consists only of indentation, otherwise null. */
function indentAtEnd({ out }: Scan): string | null {
  // The end of a long growing string would copy all of it each time.
  const end = out.slice(-8).join('').slice(-200)
  return /(?:^|\n)([ \t]*)$/.exec(end)?.[1] ?? null
}

const codeNames = /^(?:highlight|redis-cli|code-?toggle|mermaid|codeblock|code-block|codes?)$/

/** Returns the language of a shortcode with code, or null if it contains text. */
function codeLanguage({ name, args }: Shortcode): string | null {
  const language = args.get('lang') ?? args.get('language') ?? args.get('codelang')
  if (/^tab/.test(name)) return language === undefined || language === 'text' ? null : language
  if (!codeNames.test(name)) return null
  if (name === 'mermaid') return name
  return language ?? (name === 'highlight' ? (args.get('0') ?? '') : '')
}

function writeCode(
  scan: Scan,
  { one, language, inner }: { one: Shortcode; language: string; inner: string },
): void {
  if (inner.trim() === '') return
  const indent = indentAtEnd(scan)
  // Code inside a line, such as in a table cell.
  if (indent === null || !inner.includes('\n')) {
    return add(scan, one.name === 'code' ? inner : `\`${inner.trim()}\``)
  }
  const label =
    one.args.get('file') ?? one.args.get('filename') ?? one.args.get('title') ?? tabTitle(one)
  const title =
    label === '' ? '' : `${/^tab/.test(one.name) ? `**${label}:**` : label}\n\n${indent}`
  // The shortcode may contain a fence.
  const code = inner.replace(/^[ \t]*\n/, '').trimEnd()
  const isFenced = /^\s*(?:`{3}|~{3})/.test(code)
  const ownLanguage = /^code-?toggle$/.test(one.name) ? dataLanguage(code) : language
  const fenced = `${title}\`\`\`${ownLanguage}\n${code}\n${indent}\`\`\`\n`
  add(scan, isFenced ? `${title}\n${code}\n` : fenced)
}

/** Returns a configuration's language, judged by its first line that is not a comment. */
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
const tabNames = /^(?:\w+-)?tab(?:-?item|-?panel)?$/

/** Represents the content of a shortcode in the text from its template. */
export const innerMark = '\uE000'

/** True for a shortcode with content whose meaning is unknown. */
export function isUnknownBlock(one: Shortcode): boolean {
  const isKnown = noteNamesOfHugo.test(one.name) || tabNames.test(one.name)
  return !isKnown && !foldedNames.test(one.name) && codeLanguage(one) === null
}

function openBlock(scan: Scan, one: Shortcode, end: number): void {
  const indent = indentAtEnd(scan)
  const parts = scan.site.variables
    .get(shortcodeKey(one.name, one.args) + innerMark)
    ?.split(innerMark)
  if (parts?.length === 2) {
    const around = indent === null ? parts : parts.map((text) => `\n\n${text.trim()}\n\n`)
    add(scan, around[0]!)
    scan.open.set(end, around[1]!)
    return
  }
  const title = blockTitle(one)
  if (title === '') return openUntitled(scan, one, end)
  const isTab = tabNames.test(one.name)
  if (indent === null) {
    return add(scan, isTab ? `${title}: ` : `**${title}**: `)
  }
  const marks = marksOf(scan)
  add(scan, `${marks} ${isTab ? 'tab' : 'note'} ${title}\n\n${indent}`)
  scan.open.set(end, `\n${indent}${marks}\n`)
}

/** Writes the arguments of a shortcode with content: a target makes it a link, words precede it. */
function openUntitled(scan: Scan, { args, to }: Shortcode, end: number): void {
  const target = firstValue(args, 'href|url|link|relref|ref')
  const inner = scan.text.slice(to, scan.shortcodes[end]!.from)
  if (target !== '' && !/[\n[\]]/.test(inner)) {
    add(scan, '[')
    scan.open.set(end, `](${target})`)
    return
  }
  const words = [...args].filter(([key, text]) => !looks.test(key) && /\S\s+\S/.test(text))
  for (const [, text] of words) add(scan, `${oneLine(text)}\n\n`)
}

const looks = /^(?:class|style|id|width|height)$/

/** Returns a run of colons with a different length than those of all open containers. */
function marksOf({ open }: Scan): string {
  return ':'.repeat(Math.max(3, 40 - open.size))
}

/** Returns the title of a shortcode's box, or '' if it is not a box. */
function blockTitle(one: Shortcode): string {
  const { name, args } = one
  const title = titleOf(one)
  if (noteNamesOfHugo.test(name)) {
    const version = /^(new|deprecated)-in$/.exec(name)?.[1]
    if (version) return `${toTitle(version)} in ${args.get('0') ?? ''}`
    return titleOf({ ...one, args: withoutKind(args) }) || toTitle(kindOf(one))
  }
  if (tabNames.test(name) || foldedNames.test(name)) return title
  const words =
    firstValue(args, 'title|heading|header|summary|label|caption') || firstValue(args, '0')
  return /^\p{Lu}|\S\s\S/u.test(words) ? oneLine(words) : ''
}

function withoutKind(args: ReadonlyMap<string, string>): Map<string, string> {
  return new Map([...args].filter(([key, value]) => key !== '0' || !noteNamesOfHugo.test(value)))
}

/** Returns the kind of a note: the argument of a general shortcode (`hint info`), or its name. */
function kindOf({ name, args }: Shortcode): string {
  const kind = ['type', 'kind', 'status', 'color', 'context', '0']
    .map((key) => args.get(key))
    .find((value) => value !== undefined && noteNamesOfHugo.test(value))
  if (kind !== undefined) return kind
  return /^(?:alert|hint|callout|admonition|notice|pageinfo)$/.test(name)
    ? 'note'
    : name.replace(/s$/, '')
}

function titleOf({ args }: Shortcode): string {
  const title = firstValue(args, 'title|header|summary|label|name|tabName|tabTitle|0|1')
  return /^(?:true|false)$/.test(title) ? '' : oneLine(title)
}

/** Parameters of the page and its site, and texts from templates. */
type Parameters = { variables: Pick<ReadonlyMap<string, string>, 'get'> }
type Site = Parameters
type Args = ReadonlyMap<string, string>

/**
 * Returns the text of a shortcode without content: a target, value or label; '' if it has no
 * visible text. Returns null if its name is unknown and no argument is text.
 */
export function inlineShortcodeText({ name, args }: Shortcode, site: Site): string | null {
  const render = Object.hasOwn(texts, name) ? texts[name]! : null
  if (render === null)
    return site.variables.get(shortcodeKey(name, args)) ?? (firstValue(args, textKeys) || null)
  const value = (_: string, sign: string, keys: string) =>
    sign === '' ? firstValue(args, keys) : firstValue(site.variables, keys)
  const output =
    typeof render === 'function'
      ? render(args, site)
      : render.replace(/\{(\$?)([\w|]+)\}/g, value).trim()
  return output === '' && render !== '' && args.size > 0 ? null : output
}

const textKeys = 'text|title|label|alt|caption|description'

/** True if the shortcode's name determines its text. */
export function knownShortcode(name: string): boolean {
  return Object.hasOwn(texts, name)
}

/** Returns the key for the text that a site's template produces for a shortcode. */
export function shortcodeKey(name: string, args: Args): string {
  return `shortcode:${name} ${JSON.stringify([...args])}`
}

const latest = '{$version|latest}'

/** `{a|b}` means the first of these arguments, `{$a}` a parameter of the site. */
const texts: Record<string, string | ((args: Args, site: Site) => string | null)> = {
  // Hugo resolves targets by name, so folders can be omitted.
  ref: '{0|path}',
  relref: '{0|path}',
  link: '{0|path}',
  rellink: '{0|path}',
  siteurl: '',
  icon: '',
  'inline-icon': '',
  br: '',
  clear: '',
  toc: '',
  row: '',
  latest,
  'latest-version': latest,
  'latest-semver': latest,
  'current-version': latest,
  'version-name': latest,
  glossary_tooltip: '{text|term_id}',
  'feature-state': '**Feature state:** {for_k8s_version|feature_gate_name} {state}',
  'api-reference': '{text|anchor|page}',
  'new-in': '**New in {0|version}**',
  'deprecated-in': '**Deprecated in {0|version}**',
  badge: '{text|0}',
  kbd: '{0}',
  param: (args, { variables }) => {
    const name = firstValue(args, '0|name').replace(/^\.?(?:site\.)?params\./i, '')
    return variables.get(name.toLowerCase()) ?? null
  },
  heading: (args) => toTitle(firstValue(args, '0')),
  figure: picture,
  image: picture,
  img: picture,
  imgproc: picture,
  youtube: (args) => video('https://www.youtube.com/watch?v=', args),
  vimeo: (args) => video('https://vimeo.com/', args),
  tweet: post,
  x: post,
  gist: '[Gist](https://gist.github.com/{0}/{1})',
  instagram: '[Instagram](https://www.instagram.com/p/{0|id})',
  card: labelled,
  button: labelled,
  'image-card': labelled,
  download: labelled,
  video: labelled,
  'video-link': labelled,
  'card-link': labelled,
  'nav-link': labelled,
}

function picture(args: Args): string {
  const source = firstValue(args, 'src|filename|link|0')
  const [words, caption] = [firstValue(args, 'alt|title|caption'), firstValue(args, 'caption')]
  const image =
    source === '' ? words : `![${words.replace(/[[\]]/g, '')}](${source.replaceAll(' ', '%20')})`
  return caption === '' || caption === words ? image : `${image} ${caption}`
}

function video(base: string, args: Args): string {
  const id = firstValue(args, 'id|0')
  return /^[\w-]+$/.test(id) ? `[${firstValue(args, 'title') || 'Video'}](${base}${id})` : ''
}

function post(args: Args): string | null {
  const [user, id] = [firstValue(args, 'user'), firstValue(args, 'id|0')]
  return /^\d+$/.test(id) ? `[Post](https://x.com/${user || 'i'}/status/${id})` : null
}

function labelled(args: Args): string {
  const words = firstValue(args, 'title|text|label|name|alt')
  const link = firstValue(args, 'url|href|link|src|0')
  const about = firstValue(args, 'subtitle|description')
  const markdown = words === '' || link === '' ? words || link : `[${words}](${link})`
  return about === '' ? markdown : `${markdown}: ${about}`
}
