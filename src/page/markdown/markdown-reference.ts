import { replaceOutsideCode } from '../../document/code-span.ts'
import { referenceKey, type ReferenceTitles } from '../reference/reference-key.ts'

/**
 * Replaces the references of a line of Markdown that have no text of their own: roles of MyST,
 * links with an empty label, MkDocs' `[][name]` and DocC's `<doc:Page#Section>`. They become the
 * title of their target, or their label. `{ref}`text <label>`` becomes `text`. Code stays
 * unchanged.
 */
export function withReferenceTitles(line: string, titles: ReferenceTitles): string {
  if (!sign.test(line)) return line
  const isHeading = /^\s{0,3}#/.test(line)
  return replaceOutsideCode(
    line,
    reference,
    ([, name, content = '', link, target = '', object]) => {
      if (name !== undefined) return roleText(name, { content, titles })
      if (link !== undefined) return linkText(link, { isHeading, titles })
      return object === undefined ? projectLink(target, titles) : `[\`${object}\`]`
    },
  )
}

const sign = /\}`|\[\]|<(?:project|inv|doc):/

const reference = new RegExp(
  [
    /\{([a-z][\w:-]*)\}`([^`]+)`/,
    /(?<![!\w-])\[\]\(([^()\s<>]{1,500})\)/,
    /<((?:project|inv|doc):[^<>\s]{1,500})>/,
    /\[\](?=\[([A-Za-z_][\w.]{1,200})\])/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'g',
)

type RoleOptions = { content: string; titles: ReferenceTitles }

function roleText(name: string, { content, titles }: RoleOptions): string {
  if (/^(?:octicon|fa[brs]?|material-[a-z]+)$/.test(name)) return ''
  const kind = name === 'doc' ? 'doc' : 'ref'
  const title = /^(?:ref|doc|numref|any)$/.test(name)
    ? titles.get(referenceKey(kind, content))
    : undefined
  if (title !== undefined) return title
  // A tab at the end of the line would begin or end a box.
  const text = withoutTarget(content.replace(/^[~!]?/, '').replaceAll('\t', ' '))
  const shown = content.startsWith('~') ? text.replace(/^.*\./, '') : text
  return /^(?:ref|doc|term|numref|eq|any|download|abbr|cite|sub|sup)/.test(name)
    ? shown
    : `\`${shown}\``
}

/** Converts `text <label>` to `text`. */
function withoutTarget(content: string): string {
  const open = content.endsWith('>') ? content.lastIndexOf('<') : -1
  const isTarget = open >= 0 && content.indexOf('>', open) === content.length - 1
  return isTarget ? content.slice(0, open).trimEnd() : content
}

/** Null if the link shows nothing, as the anchor of a heading does. */
function linkText(
  target: string,
  { isHeading, titles }: { isHeading: boolean; titles: ReferenceTitles },
): string | null {
  const title = titles.get(referenceKey('link', target))
  const isFile = /^[\w./~-]*[\w-](?:#|$)/.test(target)
  if (isHeading || (title === undefined && !isFile)) return null
  return `[${escaped(title ?? labelOf(target))}](${target})`
}

/** Converts `<project:a.md#b>` and `<inv:name#label>` of MyST, and `<doc:Page#Section>` of DocC. */
function projectLink(target: string, titles: ReferenceTitles): string {
  const title = titles.get(referenceKey('link', target))
  if (target.startsWith('doc:')) return escaped(title ?? doccName(target))
  if (target.startsWith('inv:')) return `\`${target.replace(/^.*[#*]/, '') || target}\``
  const written = target.slice('project:'.length)
  return `[${escaped(title ?? labelOf(written))}](${written})`
}

/** The name of a target: its anchor, or its file without folder and extension. */
function labelOf(target: string): string {
  return target
    .replace(/\/$/, '')
    .replace(/^.*[#/]/, '')
    .replace(/\.\w+$/, '')
}

/** `ControlFlow` and `Control-Flow` become `Control Flow`; a function becomes code. */
function doccName(target: string): string {
  const name = target.replace(/^.*[:#/](?=[^()#/]*(?:\(|$))/s, '')
  return name.includes('(')
    ? `\`${name.replace(/-\w+$/, '')}\``
    : name.replaceAll('-', ' ').replace(/(?<=[a-z])(?=[A-Z])/g, ' ')
}

function escaped(title: string): string {
  return title.replace(/(?<!\\)[[\]]/g, '\\$&')
}
