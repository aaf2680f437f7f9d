import { oneLine } from '../platform/text/trim.ts'
import { referenceMark } from './docstring/rest.ts'
import { onOneLine, truncateCode } from './syntax.ts'
import { estimateTokens } from '../platform/tokens.ts'
import type { ApiModule, DeclaredSymbol, NameMarks } from './link/link.ts'
import { lastPart, listedName, parsePageSymbols } from './page-symbols.ts'
import type { ApiSymbol, SymbolKind } from './symbol.ts'

export type ApiPage = {
  title: string
  /** The source file and line of the declaration. */
  path: string
  line: number
  description: string
  text: string
  tokens: number
}

/** A language's page style. */
export type ApiStyle = NameMarks & {
  /** The language name of a code fence. */
  fence: string
  /**
   * True if declarations start with the type. Items in lists of values then start with the name.
   */
  isTypeFirst?: boolean
  /** True if a member is documented with its class. */
  isShown(member: ApiSymbol): boolean
}

/**
 * Returns the pages of a package: one per class and interface, and one per module with other
 * declarations or documentation. Modules with short names come first.
 */
export function apiPages(modules: readonly ApiModule[], style: ApiStyle): ApiPage[] {
  const setting = {
    style,
    others: otherNames(modules, style.separator),
    bases: basesByName(modules),
  }
  const depth = ({ name }: ApiModule) => name.split(style.separator).length
  return modules
    .toSorted((a, b) => depth(a) - depth(b) || (a.name < b.name ? -1 : 1))
    .flatMap((module) => modulePages(module, setting))
}

/** Kinds of symbols with their own page. */
export const pagedKinds: ReadonlySet<SymbolKind> = new Set(['class', 'interface', 'enum'])

/** True if a symbol has its own page. Functions and namespaces have one if they have members. */
function hasPage({ kind, members }: ApiSymbol): boolean {
  return pagedKinds.has(kind) || members.length > 0
}

type Naming = {
  style: ApiStyle
  /** Other names of symbols by qualified name. */
  others?: ReadonlyMap<string, string[]>
}

type Setting = Naming & {
  /** Symbols by qualified name and last part; null if several symbols share a last part. */
  bases: ReadonlyMap<string, ApiSymbol | null>
}

function otherNames(modules: readonly ApiModule[], separator: string): Map<string, string[]> {
  const names = new Map<string, string[]>()
  for (const module of modules) {
    for (const { name, of } of module.aliases) {
      names.set(of, [...(names.get(of) ?? []), module.name + separator + name])
    }
  }
  return names
}

function basesByName(modules: readonly ApiModule[]): Map<string, ApiSymbol | null> {
  const bases = new Map<string, ApiSymbol | null>()
  for (const { symbol } of modules.flatMap(({ symbols }) => symbols)) {
    if (!pagedKinds.has(symbol.kind)) continue
    bases.set(symbol.name, bases.has(symbol.name) ? null : symbol)
    bases.set(symbol.qualifiedName, symbol)
  }
  return bases
}

function modulePages(module: ApiModule, setting: Setting): ApiPage[] {
  const symbols = module.symbols.toSorted((a, b) =>
    a.path === b.path ? a.symbol.line - b.symbol.line : a.path < b.path ? -1 : 1,
  )
  const [classes, rest] = [
    symbols.filter(({ symbol }) => hasPage(symbol)),
    symbols.filter(({ symbol }) => !hasPage(symbol)),
  ]
  const pages = classes.flatMap((it) => classPages(it, setting))
  if (symbols.length === 0 && module.documentation === '') return aliasPages(module, setting)
  if (rest.length === 0 && module.documentation === '') return pages
  const list = classes.map(({ symbol }) => summaryItem(symbol))
  const text = [
    `# \`${module.name}\``,
    safeHeadings(module.documentation),
    ...(list.length > 0 ? [`**Classes**\n\n${list.join('\n')}`] : []),
    ...membersText(
      rest.map(({ symbol }) => symbol),
      { ...setting, title: 'Values' },
    ),
  ]
  const page = pageOf(text, {
    title: module.name,
    path: module.path,
    line: module.line ?? 1,
    documentation: module.documentation,
  })
  return [page, ...pages]
}

/** Returns a page for a module that only re-exports names, such as `z` in zod. */
function aliasPages({ name, path, aliases }: ApiModule, { style }: Setting): ApiPage[] {
  if (aliases.length < fewestAliases) return []
  const homes = aliases.map(({ of }) => of.slice(0, -lastPart(of).length - style.separator.length))
  const shown = [...new Set(homes)].slice(0, mostNames).map((home) => `\`${home}\``)
  const text = [`# \`${name}\``, `${otherModules}${shown.join(', ')}.`]
  return [pageOf(text, { title: name, path, line: 1, documentation: '' })]
}

/** A module with fewer names is only a shorter path to them, such as `lodash/debounce`. */
const fewestAliases = 3
const otherModules = 'Names of '

/** Parses the page of a re-exporting module and returns the modules that declare its names. */
export function aliasedModules(text: string): string[] {
  const list = text.split('\n').find((line) => line.startsWith(otherModules))
  return (list?.match(/`[^`]+`/g) ?? []).map((it) => it.slice(1, -1))
}

function classPages({ symbol, path }: DeclaredSymbol, setting: Setting): ApiPage[] {
  const { style } = setting
  const shown = symbol.members.filter(style.isShown)
  const inner = shown.filter((it) => it.members.length > 0)
  const text = [
    `# \`${symbol.qualifiedName}\``,
    ...symbolText(symbol, setting),
    ...inheritedText(symbol, setting),
    ...membersText(
      shown.filter((it) => !inner.includes(it)),
      { ...setting, title: 'Attributes' },
    ),
    ...(inner.length > 0 ? [`**Classes**\n\n${inner.map(summaryItem).join('\n')}`] : []),
  ]
  const { qualifiedName: title, line, documentation } = symbol
  return [
    pageOf(text, { title, path, line, documentation }),
    ...inner.flatMap((it) => classPages({ symbol: it, path }, setting)),
  ]
}

type Head = { title: string; path: string; line: number; documentation: string }

function pageOf(parts: string[], { title, path, line, documentation }: Head): ApiPage {
  const text = `${parts.filter((part) => part !== '').join('\n\n')}\n`
  return {
    title,
    path,
    line,
    description: firstSentence(documentation),
    text,
    tokens: estimateTokens(text),
  }
}

/** Returns a symbol's signature, other names, notices and documentation. */
export function symbolText(
  symbol: ApiSymbol,
  { style, others, keepsReferences = false }: Naming & { keepsReferences?: boolean },
): string[] {
  const { signature, deprecated, since, documentation, qualifiedName } = symbol
  const isSame = (name: string) => lastPart(name) === lastPart(qualifiedName)
  const all = others?.get(qualifiedName) ?? []
  const names = all.toSorted((a, b) => Number(isSame(a)) - Number(isSame(b))).slice(0, mostNames)
  return [
    `\`\`\`${style.fence}\n${signature}\n\`\`\``,
    ...(symbol.isHidden ? ['Not exported: only signatures mention it.'] : []),
    ...(names.length > 0 ? [`Also ${names.map((name) => `\`${name}\``).join(', ')}.`] : []),
    ...(deprecated === null ? [] : [`**Deprecated**${deprecated === '' ? '' : `: ${deprecated}`}`]),
    ...(since === null || since === '' ? [] : [`Since ${since}.`]),
    safeHeadings(documentation).replaceAll(keepsReferences ? '' : referenceMark, ''),
    ...memberTypesText(symbol, style),
  ].filter((part) => part !== '')
}

/** Lists the members that a symbol has from other types, such as those in its alias. */
function memberTypesText({ memberTypes = [], members }: ApiSymbol, style: ApiStyle): string[] {
  const seen = new Set(members.map(({ name }) => name))
  const isNew = ({ name }: ApiSymbol) => !seen.has(name) && seen.add(name)
  let room = mostListed
  return memberTypes.flatMap((type) => {
    const shown = type.members.filter((it) => style.isShown(it) && isNew(it))
    const items = shown.map(({ signature, documentation }) => {
      const sentence = firstSentence(documentation)
      return `- ${codeOf(truncateCode(signature))}${sentence === '' ? '' : `: ${sentence}`}`
    })
    const fitting = items.filter((item) => (room -= item.length) >= 0)
    if (fitting.length === 0) return []
    const left = items.length - fitting.length
    const title = `**Members** of ${codeOf(truncateCode(type.name))}:`
    return [[title, ...fitting, ...(left > 0 ? [`- ${left} more`] : [])].join('\n')]
  })
}

/** Maximum number of characters, so that a chunk contains the list with its title. */
const mostListed = 1000

const mostNames = 8

type MemberStyle = Naming & {
  /** The line above the list of values. */
  title: string
  /** Returns the line above a section; by default, a heading with the qualified name. */
  headingOf?(member: ApiSymbol): string
}

/**
 * Renders members: values with one line of documentation as a list, and other members as sections.
 */
export function membersText(
  members: ApiSymbol[],
  { title, headingOf = pageHeading, ...naming }: MemberStyle,
): string[] {
  const hasOtherName = ({ qualifiedName }: ApiSymbol) =>
    naming.others?.get(qualifiedName)?.some((it) => lastPart(it) !== lastPart(qualifiedName))
  // A list item shows the signature, and the reader takes the name from it.
  const isNamed = ({ name, signature }: ApiSymbol) =>
    naming.style.isTypeFirst ||
    listedName(`- ${codeOf(signature)}`, '')?.replace(/^\W+/, '') === name
  const isShort = (it: ApiSymbol) =>
    it.kind === 'value' &&
    isNamed(it) &&
    !it.documentation.includes('\n\n') &&
    it.deprecated === null &&
    !it.isHidden &&
    !hasOtherName(it)
  const values = members.filter(isShort)
  const { isTypeFirst, separator } = naming.style
  const list = values.map(({ name, qualifiedName, signature, documentation }) => {
    const text = documentation.replace(/\s*\n\s*/g, ' ')
    const own = separator === '.' ? name : qualifiedName
    const isNamed = isTypeFirst && signature !== own
    const code = isNamed ? `\`${own}\` (${codeOf(signature)})` : codeOf(signature)
    return `- ${code}${text === '' ? '' : `: ${text}`}`
  })
  const sections = members
    .filter((it) => !isShort(it))
    .map((it) => [headingOf(it), ...symbolText(it, naming)].join('\n\n'))
  return [...(list.length > 0 ? [`**${title}**\n\n${list.join('\n')}`] : []), ...sections]
}

function pageHeading({ qualifiedName }: ApiSymbol): string {
  return `## \`${qualifiedName}\``
}

/** Lists members of base classes by name. */
function inheritedText(symbol: ApiSymbol, { bases, style }: Setting): string[] {
  const seen = new Set(symbol.members.map(({ name }) => name))
  const lines: string[] = []
  const waiting = [...(symbol.bases ?? [])]
  for (let at = 0; at < waiting.length && at < mostBases; at++) {
    const name = waiting[at]!
    const base = bases.get(name) ?? bases.get(name.replace(/^.*[.:/]/, ''))
    if (!base || base.qualifiedName === symbol.qualifiedName) continue
    const names = base.members
      .filter((it) => style.isShown(it) && !seen.has(it.name) && it.name !== base.name)
      .map(({ name }) => name)
    for (const name of names) seen.add(name)
    if (names.length > 0) {
      lines.push(
        `Inherited from \`${base.qualifiedName}\`: ` +
          `${names
            .slice(0, mostInherited)
            .map((name) => `\`${name}\``)
            .join(', ')}` +
          `${names.length > mostInherited ? ' and others' : ''}.`,
      )
    }
    waiting.push(...(base.bases ?? []))
  }
  return lines.length > 0 ? [lines.join('\n\n')] : []
}

const mostBases = 20
const mostInherited = 100

function summaryItem({ qualifiedName, documentation }: ApiSymbol): string {
  const sentence = firstSentence(documentation)
  return `- \`${qualifiedName}\`${sentence === '' ? '' : `: ${sentence}`}`
}

/** Returns the first sentence of Markdown on one line. */
export function firstSentence(documentation: string): string {
  const paragraph = documentation
    .slice(0, 2000)
    .split(/\n\s*\n/, 1)[0]!
    .replace(/\s+/g, ' ')
    .trim()
  if (/^(```|\*\*|- |#)/.test(paragraph)) return ''
  const end = /(?<!\b(?:e\.g|i\.e))[.!?](?= |$)/.exec(paragraph)?.index
  return end === undefined ? paragraph.slice(0, 300) : paragraph.slice(0, end + 1)
}

/**
 * Shortens a page of the API reference. Each section becomes a list item with the signature, the
 * first sentence and the default value. A request for a member returns the complete section.
 */
export function condenseMembers(text: string): string {
  const lines = text.split('\n')
  const starts = parsePageSymbols(text)
    .map(({ line }) => line - 1)
    .filter((at) => lines[at]!.startsWith('## `'))
  const first = starts[0] ?? lines.length
  const below = lines.lastIndexOf('**Classes**')
  const end = below > first ? below : lines.length
  const items = starts.map((at, i) => condenseMember(lines.slice(at, starts[i + 1] ?? end)))
  const note = '**Members**, shortened; the name of one returns all of it.'
  return [...lines.slice(0, first), note, '', ...items, '', ...lines.slice(end)].join('\n')
}

function condenseMember([heading = '', ...lines]: string[]): string {
  const body = lines.join('\n').trim()
  const [fenced = '', code] = /^(?:`{3,})[^\n]*\n([\s\S]*?)\n`{3,}(?=\n|$)/.exec(body) ?? []
  const paragraphs = body.slice(fenced.length).split(/\n\s*\n/)
  const notices = paragraphs.filter((it) => /^(\*\*Deprecated\*\*|Default: `)/.test(it.trim()))
  const prose = paragraphs.find((it) => firstSentence(it) !== '' && !notices.includes(it)) ?? ''
  const sentences = [firstSentence(prose), ...notices.map((it) => oneLine(it))]
  const summary = sentences
    .filter((it) => it !== '')
    .map((it, i, all) => (i < all.length - 1 && /[\w)]$/.test(it) ? `${it}.` : it))
    .join(' ')
  const signature = code === undefined ? heading.replace(/^## `|`$/g, '') : code
  return `- ${codeOf(signature)}${summary === '' ? '' : `: ${summary}`}`
}

export function codeOf(code: string): string {
  const line = onOneLine(code)
  return line.includes('`') ? `\`\` ${line} \`\`` : `\`${line}\``
}

/**
 * Replaces headings in documentation with bold lines, because headings would split a symbol. Closes
 * an open fence.
 */
function safeHeadings(documentation: string): string {
  let fence: string | null = null
  const lines = documentation.split('\n').map((line, at, all) => {
    const above = (all[at - 1] ?? '').trim()
    const isRule = fence === null && /^~+$/.test(line) && line.length === above.length
    const [, mark, info = ''] = isRule ? [] : (/^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line) ?? [])
    if (mark !== undefined && fence === null) fence = info.includes('`') ? null : mark
    else if (mark !== undefined && fence !== null && mark.startsWith(fence) && info.trim() === '') {
      fence = null
      return line
    }
    if (fence !== null) return line
    const title = /^ {0,3}#{1,6} +(.*?)#*$/.exec(line)?.[1]
    if (title !== undefined) return `**${title.trim()}**`
    const isUnderline = /^ {0,3}(=+|-+) *$/.test(line) && above !== ''
    return isUnderline || isRule ? '' : line
  })
  return [...lines, ...(fence === null ? [] : [fence])].join('\n')
}
