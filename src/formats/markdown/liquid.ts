import { replaceOutsideCode } from '../../document/code-span.ts'
import { wordSet } from '../../document/word-set.ts'
import { parseAttributes } from '../../document/attributes.ts'
import { toTitle } from '../../document/block-lines.ts'
import type { Container } from './container.ts'
import { closesFence, parseFence, withoutFences, type Fence } from '../../document/fence.ts'

/**
 * Resolves Liquid tags of Jekyll and GitBook. `{% highlight x %}` and `{% codeblock %}` become
 * fences, comments and invisible tags are removed, and `{% raw %}` keeps its content. Blocks such
 * as `{% hint %}` stay on separate lines for `parseLiquidBlock`. Leaves code unchanged, and text
 * without such tags unless `isOfSite` is set.
 */
export function resolveLiquidTags(text: string, isOfSite = false): string {
  if (!text.includes('{%') || !(isOfSite || isLiquid(text))) return text
  const ends = new Set(Array.from(text.matchAll(/\{%-?\s*end(\w+)/g), ([, name]) => name!))
  const scan: Scan = { out: [], fence: null, verbatim: null, ends }
  for (const line of text.split('\n')) scanLine(scan, line)
  return scan.out.join('\n')
}

type Scan = {
  out: string[]
  fence: Fence | null
  /** The tag that ends an unparsed range, such as `endraw` or `endcomment`. */
  verbatim: string | null
  /** The names of tags that are closed in the text. */
  ends: ReadonlySet<string>
}

/** Tags that occur only in Jekyll, GitBook and similar generators. */
const siteTags = wordSet(`
  hint tabs tab embed content-ref stepper step swagger openapi columns include include_relative
  highlight codeblock link post_url octicon data ifversion note raw
`)

const tagPattern = /(?<!\{)\{%-?\s*([\w-]+)(?![\w-])([^%{]*(?:(?:%(?!\})|\{(?!%))[^%{]*)*)%\}/g

function isLiquid(text: string): boolean {
  const lines = withoutFences(text).split('\n')
  return lines.some((line) => tagsOf(line).some(({ name }) => siteTags.has(name)))
}

type Tag = { at: number; end: number; name: string; rest: string }

/** Returns the tags in a line outside code spans. */
function tagsOf(line: string): Tag[] {
  const tags: Tag[] = []
  if (!line.includes('{%')) return tags
  replaceOutsideCode(line, tagPattern, ({ 0: whole, 1: name = '', 2: rest = '', index: at }) => {
    tags.push({ at, end: at + whole.length, name, rest: rest.replace(/-$/, '').trim() })
    return null
  })
  return tags
}

function scanLine(scan: Scan, line: string): void {
  const { out } = scan
  if (scan.fence) {
    if (closesFence(scan.fence, line)) scan.fence = null
    out.push(line)
    return
  }
  if (scan.verbatim === null) {
    scan.fence = parseFence(line)
    if (scan.fence) return void out.push(line)
  }
  let result = ''
  let at = 0
  const { verbatim } = scan
  const tags = verbatim === null ? tagsOf(line) : endOf(line, verbatim)
  if (verbatim === null && tags.length === 0) return void out.push(withoutOutput(line))
  if (tags.length === 1 && isBlock(tags[0]!) && tags[0]!.end - tags[0]!.at === line.trim().length) {
    return void out.push(line)
  }
  for (const one of tags) {
    if (scan.verbatim !== 'endcomment') result += line.slice(at, one.at)
    result += replaced(scan, one)
    at = one.end
  }
  const isHidden = scan.verbatim === 'endcomment'
  if (!isHidden) result += line.slice(at)
  // Omits a line with only invisible tags.
  if (result.trim() === '' && (tags.length > 0 || isHidden)) return
  const whole = verbatim === null ? withoutOutput(result) : result
  for (const part of whole.split('\n')) {
    if (tags.length === 0) out.push(part)
    else if (part.trim() !== '') out.push(part.trimEnd())
  }
}

function isBlock({ name }: Tag): boolean {
  return blocks.has(name.replace(/^end/, ''))
}

function withoutOutput(line: string): string {
  return line.includes('{{') && !line.includes('`') ? line.replace(output, '') : line
}

/** Output tags with unknown values. */
const output = /(?<!\{)\{\{-?\s*(?:site|page|include|layout)\.[\w.-]+\s*(?:\|[^{}]*)?-?\}\}/g

function endOf(line: string, name: string): Tag[] {
  const [whole = ''] = new RegExp(`\\{%-?\\s*${name}\\s*-?%\\}`).exec(line) ?? []
  const at = line.indexOf(whole)
  return whole === '' ? [] : [{ at, end: at + whole.length, name, rest: '' }]
}

/** Returns the replacement for a tag. A block becomes a separate line. */
function replaced(scan: Scan, tag: Tag): string {
  const { name, rest } = tag
  if (name === scan.verbatim) {
    scan.verbatim = null
    return name === 'endraw' || name === 'endcomment' ? '' : '\n```\n'
  }
  if (name === 'raw' || name === 'comment') {
    scan.verbatim = `end${name}`
    return ''
  }
  if (name === 'highlight' || name === 'codeblock') {
    scan.verbatim = `end${name}`
    const isNamed = name === 'codeblock'
    const language = (isNamed ? /(?:^|\s)lang:([\w+#-]+)/ : /^([\w+#-]+)/).exec(rest)?.[1] ?? ''
    // The title of a code block precedes its options and URL.
    const [title = ''] = isNamed ? rest.split(/(?:^|\s+)(?:\w+:|\/)/) : []
    return `${title === '' ? '' : `\n${title}:\n`}\n\`\`\`${language}\n`
  }
  if (isBlock(tag)) return `\n{% ${name} ${rest} %}\n`
  const attributes = parseAttributes(rest)
  if (name === 'link' || name === 'post_url') return addressOf(rest)
  if (name === 'octicon') return attributes.get('aria-label') ?? ''
  if (name === 'embed' || name === 'file') {
    const target = attributes.get('url') ?? attributes.get('src') ?? ''
    return target === '' ? '' : `[${target}](${target})`
  }
  const isInclude = name.startsWith('include')
  const words = isInclude
    ? ['content', 'text', 'title', 'caption', 'alt', 'version']
        .map((key) => attributes.get(key))
        .filter(Boolean)
        .join(' ')
    : labelOf(rest)
  const hasNoText = rest === '' || textless.test(name) || scan.ends.has(name)
  // An unknown tag with arguments stays as written, and counts as a leftover.
  return words !== '' || hasNoText || (isInclude && !/=/.test(rest))
    ? words
    : `{% ${name} ${rest} %}`
}

/** Tags of the language itself, which show no text, and those that close a block. */
const textless = new RegExp(
  '^(?:end\\w*|if|unless|els(?:e|if)|case|when|for|break|continue|tablerow|cycle|assign|capture' +
    '|(?:in|de)crement|seo|toc)$',
)

/** Returns the URL path of a file on a Jekyll site: `/guide/types` for `_guide/types.md`. */
function addressOf(path: string): string {
  if (!/^\/?[\w.]/.test(path)) return path
  return path
    .replace(/^\/?(?:_posts\/)?/, '/')
    .replace(/^((?:\/[\w-]+)*\/)(\d{4})-(\d\d)-(\d\d)-/, '$1$2/$3/$4/')
    .replace(/^\/_(?=\w)/, '/')
    .replace(/(?:(?<=\/)index)?\.(?:md|markdown)$/, '')
}

const blocks = wordSet(`
  hint tabs tab code content-ref stepper step columns column note tip warning danger swagger
`)

/** Returns the quoted words at the start of a tag's arguments in bold, or ''. */
function labelOf(rest: string): string {
  const words = /^(["'])([^"'\n]{1,100})\1/.exec(rest)?.[2] ?? ''
  return /^\p{Lu}|\s/u.test(words) && !/[/\\]/.test(words) ? `\n**${words}**\n` : ''
}

/** Parses the block that a line such as `{% hint style="info" %}` opens, or returns null. */
export function parseLiquidBlock(line: string): Container | null {
  const [, name, rest = ''] =
    /^\{%-?\s*([\w-]+)(?![\w-])([^%]*(?:%(?!\})[^%]*)*)%\}\s*$/.exec(line) ?? []
  if (name === undefined || !blocks.has(name)) return null
  const attributes = parseAttributes(rest)
  const [, , quoted] = /^\s*(["'])([^"'\n]+)\1/.exec(rest) ?? []
  // jekyll-tabs writes `{% tab group npm %}`.
  const [, bare] = (name === 'tab' && /^\s*\S+\s+([^=]+?)\s*-?$/.exec(rest)) || []
  const title = attributes.get('title') ?? attributes.get('summary') ?? quoted ?? bare ?? ''
  const kind = name === 'hint' ? (attributes.get('style') ?? 'info') : name
  const isNote = name === 'hint' || /^(?:note|tip|warning|danger)$/.test(name)
  const label = name === 'tab' || name === 'code' ? `${title}:` : `**${title}**`
  return {
    replacement: title !== '' ? label : isNote ? `**${toTitle(kind)}**` : '',
    closer: `end${name}`,
  }
}

/** Returns the closing tag on a line, such as `endhint` for `{% endhint %}`, or null. */
export function parseLiquidEnd(line: string): string | null {
  return /^\s*\{%-?\s*(end[\w-]+)\s*-?%\}\s*$/.exec(line)?.[1] ?? null
}
