import { referenceMark } from '../../api/docstring/rest.ts'
import { codeSpan } from '../../document/fence.ts'
import type { GrowthLimit } from '../../document/growth.ts'
import { escapeMarkdown } from '../../document/inline.ts'
import { referenceKey, type ReferenceTitles } from '../../document/reference-key.ts'
import { targetKey, type RstDefinitions } from './rst-part.ts'

/** The definitions on a page, titles of references, and the growth limit. */
export type InlineContext = RstDefinitions & {
  growth: GrowthLimit
  titles: ReferenceTitles | undefined
}

/**
 * Converts inline markup to Markdown. Roles become their text, references without text become the
 * title of their target, and named links get the URL that the page defines.
 */
export function inlineToMarkdown(text: string, context: InlineContext): string {
  const source = withNames(text, context)
  if (!/[`\\_<]/.test(source)) return source
  return source.replace(pieces, (...match) => {
    const [whole, literal, role, content, words, target, mark, note, name, escape] = match as Piece
    if (literal !== undefined) return codeSpan(literal)
    if (role !== undefined) return roleMarkdown(role, content!, context.titles)
    if (words !== undefined) return linkMarkdown({ words, target, mark }, context)
    if (note !== undefined) return `[${note}]`
    if (name !== undefined) {
      const url = context.targets.get(targetKey(name))
      if (url !== undefined) return linkTo(url, name)
      // An anonymous link has no target name.
      return whole.endsWith('__') ? escapeMarkdown(name) : whole
    }
    if (escape !== undefined) {
      return /\s/.test(escape) ? '' : /[*`<\\]/.test(escape) ? whole : escape
    }
    return `\\${whole}`
  })
}

type Maybe = string | undefined
type Piece = [string, Maybe, Maybe, Maybe, Maybe, Maybe, Maybe, Maybe, Maybe, Maybe]

/**
 * A literal, a role (possibly with an extra backtick at its end), text in backticks, a footnote, a
 * named link, an escape or a tag.
 */
const pieces = new RegExp(
  [
    /``([^]{1,2000}?)``(?!`)/,
    /(?<![\w`:]):([A-Za-z][\w:+.-]{0,60}):`([^`]{1,500}?)`(?:`(?=[\s.,;:)]|$))?(?!`)/,
    /(?<!`)`([^`<]{0,300}?)(?:\s*<([^<>`]{1,400})>)?`(__?)?(?!`)/,
    /\[([#*\w.-]{1,60})\]_(?!\w)/,
    /(?<![\w`.+:-])([A-Za-z][\w.+-]{0,80}?)__?(?!\w)/,
    /\\([^])/,
    /<(?=[A-Za-z/!])(?!https?:|mailto:)/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'g',
)

/** Replaces `|name|`. A replacement can contain one further name. */
function withNames(text: string, { names, growth }: InlineContext): string {
  if (names.size === 0 || !text.includes('|')) return text
  const once = (part: string) =>
    part.replace(substitution, (whole, name: string) => {
      const value = names.get(name)
      return value !== undefined && growth.take(value.length) ? value : whole
    })
  return once(once(text))
}

const substitution = /(?<![\w|])\|([^|\s](?:[^|\n]*[^|\s])?)\|_{0,2}(?!\w)/g

function linkMarkdown(
  { words, target, mark }: { words: string; target: Maybe; mark: Maybe },
  { targets }: InlineContext,
): string {
  const [, alias] = /^(.*)_$/s.exec(target ?? '') ?? []
  const url = alias === undefined ? target : targets.get(targetKey(alias))
  if (mark === undefined) return codeSpan(target === undefined ? words : words || target)
  return linkTo(url ?? targets.get(targetKey(words)), words || (target ?? ''))
}

/** Returns a link if the URL is absolute, otherwise only the words. */
function linkTo(url: string | undefined, words: string): string {
  const text = escapeMarkdown(words.replace(/\s+/g, ' ').replace(/\\(?=\S)/g, ''))
  if (!/^(?:https?:|mailto:)/.test(url ?? '')) return text
  return `[${text}](${url!.trim().replace(/[\s<>()]/g, encodeURIComponent)})`
}

const prose = new RegExp(
  '^(?:ref|doc|std:ref|std:doc|term|numref|any|download|abbr|guilabel|menuselection|dfn|title' +
    '|title-reference|t|emphasis|strong|sub|sup|subscript|superscript|eq|cite' +
    '|cite:\\w+|external.*' +
    '|raw-html|bolditalic|icon|octicon|fas|fab|far|bdg.*|tag|u|m|eval)$',
)

/** Roles whose text can start with a dot, such as a file name. */
const literals = /^(?:file|path|command|program|code|samp|kbd|literal|option|envvar|regexp|bash)$/

function roleMarkdown(role: string, content: string, titles: ReferenceTitles | undefined): string {
  const [, kind] = /^(?:std:)?(doc|ref|numref|any)$/i.exec(role) ?? []
  const key = kind && referenceKey(kind.toLowerCase() === 'doc' ? 'doc' : 'ref', content)
  const title = key && titles?.get(key)
  if (title !== undefined && title !== '') return escapeMarkdown(title)
  const { words, isCode } = roleText(role.toLowerCase(), content)
  return isCode ? codeSpan(words) : /^math$/i.test(role) ? words : escapeMarkdown(words)
}

/** Replaces roles in code with their text. */
export function withoutRoles(line: string): string {
  if (!line.includes(':`')) return line
  return line.replace(
    /(?<![\w`:]):([A-Za-z][\w:+.-]{0,60}):`([^`]{1,500}?)`(?!`)/g,
    (_, role: string, content: string) => roleText(role.toLowerCase(), content).words,
  )
}

function roleText(name: string, content: string): { words: string; isCode: boolean } {
  const [, before, target] = /^([^<]*)<([^<>]*)>$/.exec(content) ?? []
  const title = before?.trimEnd() ?? content
  // An empty title is a target in angle brackets: `<mod>`.
  const words = (title === '' ? (target ?? '') : title).replace(/\s+/g, ' ')
  const text = (label: string) => ({ words: label, isCode: false })
  if (name === 'pep' || name === 'rfc') return text(`${name.toUpperCase()} ${words}`)
  if (/^(?:guilabel|menuselection)$/.test(name)) return text(words.replace(/&(?=\w)/g, ''))
  if (name === 'math') return text(`$${words}$`)
  if (name === 'ticket' || name === 'issue' || name === 'gh' || name === 'pr') {
    return text(title === content && /^\d+$/.test(words) ? `#${words}` : words)
  }
  // A label of the extension autosectionlabel: `page:The Section`.
  if (/^(?:std:)?ref$/.test(name)) return text(words.replace(/^[\w./-]+:(?=\w[^:]* |[A-Z])/, ''))
  if (prose.test(name)) return text(words.replace(/^[!~/](?=\w)/, ''))
  const short = words.startsWith('~') ? words.slice(1).replace(/^.*\.(?=.)/, '') : words
  const isName = !literals.test(name)
  return { words: isName ? short.replace(/^(?:[!.]|@-?)(?=\w)/, '') : short, isCode: true }
}

/** The autodoc option with short module names that roles can use: `_orm _sql`. */
export const modulePrefixes = 'module-prefixes'

/** Replaces labels in documentation from source files with the titles of their sections. */
export function withReferences(text: string, titles: ReferenceTitles | undefined): string {
  if (!text.includes(referenceMark)) return text
  const mark = new RegExp(`${referenceMark}([^${referenceMark}]+)${referenceMark}`, 'g')
  return text.replace(mark, (_, label: string) => titles?.get(referenceKey('ref', label)) ?? label)
}

/** Removes the site's short module names: `_orm.Session` → `Session`. */
export function withoutModules(text: string, prefixes: readonly string[]): string {
  if (prefixes.length === 0 || !text.includes('`_')) return text
  return text.replace(/`(_\w+)\.(?=\w)/g, (whole, prefix: string) =>
    prefixes.includes(prefix) ? '`' : whole,
  )
}
