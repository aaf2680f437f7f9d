import { closingBracket } from '../../../platform/text/bracket.ts'
import { codeSpanEnds } from '../../markdown/markdown-links.ts'
import { referenceKey, type ReferenceTitles } from '../../reference/reference-key.ts'
import { parseAttributes } from '../../../document/attributes.ts'
import { rewriteMarkdown } from '../markdown-lines.ts'

/**
 * Rewrites the extensions of DocFX and Microsoft Learn to Markdown: tabs, cross references,
 * monikers, zones, columns and images. References to a page become its title.
 */
export function docfxToMarkdown(text: string, titles: ReferenceTitles = new Map()): string {
  let openLevel = 0
  const closed = () => {
    const mark = openLevel > 0 ? '::::\n\n' : ''
    openLevel = 0
    return mark
  }
  const shown = rewriteMarkdown(text, {
    prose(line) {
      const [, marks, label] = /^(#{1,6})\s+\[(.+?)\]\(#tab\/[^()\s]{0,200}\)\s*$/.exec(line) ?? []
      if (marks !== undefined) {
        const end = closed()
        openLevel = marks.length
        return `${end}:::: tab ${plainLabel(label!)}\n`
      }
      if (openLevel > 0 && /^\s*(?:\*\s*\*\s*\*|---+|___+)\s*$/.test(line))
        return closed().trimEnd()
      const heading = /^(#{1,6})\s/.exec(line)?.[1]?.length ?? Infinity
      if (openLevel > 0 && heading <= openLevel) return closed() + withReferences(line, titles)
      if (/^\s*:::/.test(line)) return colons(line, titles)
      if (/^\s*>\s*\[!(?:div|VIDEO)\b/i.test(line)) return video(line)
      return withReferences(line, titles)
    },
  })
  return openLevel > 0 ? `${shown}\n${closed().trimEnd()}\n` : shown
}

function plainLabel(label: string): string {
  return label.replace(/[*`]/g, '')
}

/**
 * Removes or rewrites `:::moniker range="x"`, `:::zone`, `:::row:::` and `:::image …
 * alt-text="x":::`.
 */
function colons(line: string, titles: ReferenceTitles): string | null {
  const [, indent = '', name = '', written = ''] =
    /^(\s*):::\s*([\w-]+)([^]*?)(?::::)?$/.exec(line.trimEnd()) ?? []
  const attributes = parseAttributes(written)
  if (name === 'moniker') return `${indent}**${attributes.get('range') ?? ''}:**\n`
  if (name === 'zone')
    return `${indent}**${attributes.get('pivot') ?? attributes.get('target') ?? ''}:**\n`
  if (name === 'image') return indent + (attributes.get('alt-text') ?? '')
  if (name === 'no-loc') return indent + (attributes.get('text') ?? '')
  const isLayout = /^(?:row|column|moniker|zone|image)(?:-end)?$/.test(name)
  return isLayout ? null : withReferences(line, titles)
}

function video(line: string): string | null {
  const url = /\[!VIDEO\s+([^\]\s]+)/i.exec(line)?.[1]
  return url === undefined ? null : `Video: ${url}`
}

/**
 * Replaces `<xref:uid>` with a title or a name, `[text](xref:uid)` with its text, and `@uid` with
 * the title of a page.
 */
function withReferences(written: string, titles: ReferenceTitles): string {
  const line = withMentions(written, titles)
  if (!line.includes('xref:') && !line.includes(':::')) return line
  const [, definition, uid] = /^(\s*\[[^\]]+\]:\s*)xref:\s*(\S+)\s*$/.exec(line) ?? []
  if (definition !== undefined) return definition + uid
  const named = line
    .replace(/<xref:\s*([^<>\s]{1,500})>/g, (_, target: string) => shownAs(target, titles))
    .replace(/:::no-loc\s+text="([^"]*)"[^:]*:::/g, '$1')
  return withoutLinks(named, titles)
}

const linkStart = /\]\(\s*<?xref:\s*/g

/** Replaces links to references with their labels. */
function withoutLinks(line: string, titles: ReferenceTitles): string {
  let shown = ''
  let at = 0
  for (const { 0: mark, index } of line.matchAll(linkStart)) {
    const start = index < at ? -1 : openingBracket(line, index, at)
    const end = closingBracket(line, index + 1, { pair: '()', limit: labelLimit })
    if (start < 0 || end < 0) continue
    const label = line.slice(start + 1, index)
    const uid = line.slice(index + mark.length, end).replace(/>?(?:\s+"[^"]*")?\s*$/, '')
    shown += line.slice(at, start) + (label === '' ? shownAs(uid, titles) : label)
    at = end + 1
  }
  return shown + line.slice(at)
}

const mentionOrTicks = /(`+)|(?<![\w@.])@"?([A-Za-z][\w.-]{2,200}\w)"?/g

/** Replaces `@uid` with the title of the page; other words stay unchanged, as does code. */
function withMentions(line: string, titles: ReferenceTitles): string {
  if (titles.size === 0 || !line.includes('@')) return line
  const codeEnds = codeSpanEnds(line)
  let codeEnd = 0
  return line.replace(mentionOrTicks, (whole, ...groups) => {
    const [ticks, uid, at] = groups as [string | undefined, string | undefined, number]
    if (ticks !== undefined && at >= codeEnd) codeEnd = codeEnds.get(at) ?? 0
    if (uid === undefined || at < codeEnd) return whole
    return titles.get(referenceKey('uid', uid)) ?? whole
  })
}

/** The title of the page with a uid, or the name of an object. */
function shownAs(uid: string, titles: ReferenceTitles): string {
  return titles.get(referenceKey('uid', uid)) ?? nameOf(uid)
}

const labelLimit = 500

function openingBracket(line: string, end: number, least: number): number {
  let depth = 1
  for (let at = end - 1; at >= Math.max(least, end - labelLimit); at--) {
    if (line[at] === ']') depth++
    if (line[at] === '[' && --depth === 0) return at
  }
  return -1
}

/** Converts `System.String.Format*?displayProperty=nameWithType` to `` `String.Format` ``. */
function nameOf(uid: string): string {
  const [path = '', query = ''] = uid.split('?')
  const plain = percentDecoded(path)
    .replace(/\(.*$/, '')
    .replace(/\*$/, '')
    .replace(/``?\d+/g, '')
  if (plain.includes('/')) return plain.slice(plain.lastIndexOf('/') + 1).replace(/[-_]/g, ' ')
  const parts = plain.split('.')
  const count = /fullName/i.test(query) ? parts.length : /nameWithType/i.test(query) ? 2 : 1
  return `\`${parts.slice(-count).join('.').replaceAll('#', '')}\``
}

function percentDecoded(path: string): string {
  return path.replace(/%([0-7][\da-f])/gi, (_, code: string) => {
    return String.fromCharCode(Number.parseInt(code, 16))
  })
}
