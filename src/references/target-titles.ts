import { findFrontBlock } from '../formats/front-block.ts'
import { formatOf } from '../formats/formats.ts'
import { markdownHeadings, type Heading } from '../document/headings.ts'
import { definitionsIn } from '../formats/rst/rst-part.ts'
import { rstHeadings } from '../formats/rst/rst.ts'
import { plainMarkdown, plainRst, shorten } from '../document/inline.ts'
import { titleFromHeadings } from '../document/title.ts'
import { labelKey } from '../document/reference-key.ts'

/** Maximum number of characters to search for a page's title. */
const headLength = 16_000

/** Returns a page's title from its front matter or first heading, or null. */
export function pageTitleOf(path: string, text: string): string | null {
  const head = text.slice(0, headLength)
  const format = formatOf(path, head)
  if (format === 'notebook') return plainMarkdown(/"#\s+([^"\\\n]+)/.exec(head)?.[1] ?? '') || null
  if (format === 'rst') return titleFromHeadings(rstHeadings(withNames(head, text)), head, path)
  if (format === 'asciidoc') return asciidocTitle(head)
  const block = findFrontBlock(head)
  const [, value = ''] =
    /^(?:title|\s*"title")[ \t]*[:=][ \t]*(.+?),?$/m.exec(block?.source ?? '') ?? []
  const own = value.trim().replace(/^(["'])(.*)\1$/, '$2')
  if (own !== '' && !/^[>|]/.test(own)) return shorten(own, 300)
  const intro = path.endsWith('.tutorial') && /@Intro\(title:\s*"([^"\n]+)"/.exec(head)?.[1]
  if (intro) return plainMarkdown(intro)
  const body = head.slice(block?.end ?? 0)
  return format === 'markdown' || format === 'mdx'
    ? titleFromHeadings(markdownHeadings(body), body, path)
    : null
}

function asciidocTitle(head: string): string | null {
  const title = /^=[ \t]+(\S.*)$/m.exec(head)?.[1]
  return title === undefined ? null : asciidocWords(title)
}

/** Returns the text of an AsciiDoc title. The page that refers to it fills in attributes. */
function asciidocWords(title: string): string | null {
  return plainMarkdown(title) || null
}

/**
 * Returns the lower-case labels that other pages can refer to, with the titles of their sections.
 * Labels are rst's `.. _label:`, MyST's `(label)=`, Pandoc's `{#label}`, AsciiDoc's `[[label]]` and
 * `[#label]`, Doxygen's `@page label Title`, and the `uid` of a DocFX page.
 */
export function labelsOf(path: string, text: string): Map<string, string> {
  const format = formatOf(path, text.slice(0, headLength))
  if (format === 'rst') return rstLabels(text)
  if (format === 'asciidoc') return asciidocLabels(text)
  if (format !== 'markdown' && format !== 'mdx' && format !== 'doxygen') return new Map()
  const labels = text.includes(')=') || text.includes('{#') ? markdownLabels(text) : new Map()
  for (const [, label, title = '', brief = ''] of text.matchAll(doxygenLabel)) {
    if (labels.size >= mostLabels) break
    const words = plainMarkdown(title.trim())
    if (words !== '') labels.set(labelKey(label!), words)
    if (brief !== '') labels.set(labelKey(`brief:${label}`), brief.replace(/\s*\n\s*/g, ' ').trim())
  }
  const uid = /^uid:[ \t]*["']?([^\s"']+)/m.exec(findFrontBlock(text)?.source ?? '')?.[1]
  const title = uid === undefined ? null : pageTitleOf(path, text)
  if (uid !== undefined && title !== null) labels.set(uid.toLowerCase(), title)
  return labels
}

/** Maximum number of characters between a label and the end of its heading. */
const headingLength = 600
const mostLabels = 5_000

const rstLabel = /^[ \t]*\.\. _(?:`([^`\n]{1,300})`|((?:[^:\\\n`]|\\.|:(?=\S)){1,300})):[ \t]*$/gm

/** Further labels and invisible directives between a label and its heading. */
const notShown = new RegExp(
  '^(?:\\s*\\n[ \\t]*\\.\\. (?:_[^\\n]*:|(?:(?:py:)?(?:current)?module|highlight|index' +
    '|(?:rst-)?class|include|meta|tags|(?:default-)?role)::[^\\n]*)' +
    '[ \\t]*(?:\\n[ \\t]+:[^\\n]*)*(?=\\n))+',
)

/** Returns the titles below matches of `mark`. `titleOf` reads the text below a label. */
function titlesBelow(
  text: string,
  mark: RegExp,
  titleOf: (below: string, match: RegExpExecArray) => string | null | undefined,
): Map<string, string> {
  const labels = new Map<string, string>()
  for (const match of text.matchAll(mark).take(mostLabels)) {
    const from = match.index + match[0].length
    const title = titleOf(text.slice(from, from + headingLength), match)
    if (title) labels.set(labelKey(match[1] ?? match.groups?.id ?? match[2]!), title)
  }
  return labels
}

function firstTitle([first]: readonly Heading[]): string | undefined {
  return first?.offset === 0 ? first.title : undefined
}

function rstLabels(text: string): Map<string, string> {
  if (!text.includes('.. _')) return new Map()
  return titlesBelow(withNames(text, text), rstLabel, (sourceText) => {
    const below = sourceText.replace(notShown, '').replace(/^\s*\n/, '')
    return firstTitle(rstHeadings(below)) ?? captionOf(below)
  })
}

/** Replaces names such as `|name|` in `part` with their definitions in `text`. */
function withNames(part: string, text: string): string {
  if (!part.includes('|') || !text.includes('.. |')) return part
  const { names } = definitionsIn(text.split('\n'))
  return part.replace(/(?<!\.\. )\|([^|\n]+)\|/g, (whole, name: string) => names.get(name) ?? whole)
}

const captioned = new RegExp(
  '^[ \\t]*\\.\\. (?:(?<table>(?:list-|csv-)?table)|figure|code-block|literalinclude)::[ \\t]*' +
    '(?<title>[^\\n]*)(?<options>(?:\\n[ \\t]+:[^\\n]*)*)' +
    '(?:\\n[ \\t]*\\n[ \\t]+(?<caption>[^\\s.][^\\n]*(?:\\n[ \\t]+[^\\s.][^\\n]*)*))?',
)

/** Returns the caption of the figure, table or listing at the start of the text. */
function captionOf(text: string): string | undefined {
  const { table, title, options = '', caption } = captioned.exec(text)?.groups ?? {}
  const listing = /\n[ \t]+:caption:[ \t]+(\S[^\n]*)/.exec(options)?.[1]
  const isFigure = /^[ \t]*\.\. figure::/.test(text)
  const words = table === undefined ? (isFigure ? caption : listing) : title
  return plainRst(words?.replace(/\s+/g, ' ') ?? '') || undefined
}

/** A Doxygen page or section, with the brief description below it. */
const doxygenLabel = new RegExp(
  String.raw`^[ \t]*(?:/\*[*!][ \t]*)?[@\\](?:page|(?:sub){0,2}section)[ \t]+` +
    String.raw`([\w:.-]{1,200})[ \t]+(\S(?:(?!\*/)[^\n]){0,300})` +
    String.raw`(?:\n[ \t]*[@\\]brief[ \t]+((?:(?!\n[ \t]*(?:[@\\]|\n)|\*/)[^]){1,500}))?`,
  'gm',
)

const mystLabel = /^\(([^()\n]{1,200})\)=[ \t]*$/gm

function markdownLabels(text: string): Map<string, string> {
  const labels = titlesBelow(text, mystLabel, (below) => {
    const others = /^(?:\s*\n\([^()\n]{1,200}\)=[ \t]*(?=\n))+/
    return firstTitle(markdownHeadings(below.replace(others, '').trimStart()))
  })
  if (!text.includes('{#')) return labels
  for (const { anchor, title } of markdownHeadings(text)) {
    if (anchor !== undefined && !labels.has(labelKey(anchor))) labels.set(labelKey(anchor), title)
  }
  return labels
}

const asciidocLabel = new RegExp(
  '^(?:\\[\\[([^\\],\\n]{1,200})(?:,(?<title>[^\\]\\n]{1,300}))?\\]\\]' +
    '|\\[#(?<id>[\\w:.-]{1,200})[^\\]\\n]{0,300}\\])[ \\t]*\\n',
  'gm',
)

function asciidocLabels(text: string): Map<string, string> {
  return titlesBelow(text, asciidocLabel, (below, { groups }) => {
    const heading = /^(?:\[[^\]\n]*\]\]?[ \t]*\n)*(?:={1,6}[ \t]+|\.(?=[^\s.]))(\S[^\n]*)/.exec(
      below,
    )
    return groups?.title ?? (heading === null ? null : asciidocWords(heading[1]!))
  })
}

/** Returns the titles of a page's sections by label and heading id. */
export function sectionTitlesOf(path: string, text: string): Map<string, string> {
  const format = formatOf(path, text.slice(0, headLength))
  const titles = new Map<string, string>()
  if (format === 'asciidoc') {
    for (const [, title = ''] of text.matchAll(/^={2,6}[ \t]+(\S[^\n]*)$/gm)) {
      const words = asciidocWords(title)
      if (words === null) continue
      titles.set(`_${slugOf(words, '_')}`, words).set(slugOf(words, '-'), words)
      titles.set(labelKey(words), words)
    }
  } else {
    for (const heading of format === 'rst' ? rstHeadings(text) : markdownHeadings(text)) {
      // Fumadocs writes the id of a heading as `[#id]`.
      const [, words, id] = /^(.*\S)\s+\[#([^\s[\]]+)\]$/.exec(heading.title) ?? []
      const { title, anchor } = words === undefined ? heading : { title: words, anchor: id }
      titles.set(slugOf(title, '-'), title)
      if (anchor !== undefined) titles.set(labelKey(anchor), title)
    }
  }
  for (const [label, title] of labelsOf(path, text)) titles.set(label, title)
  return titles
}

/** Returns a generated heading id: letters and digits, joined by `separator`. */
export function slugOf(title: string, separator: '-' | '_'): string {
  const words = title.toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, '')
  return words.trim().replace(separator === '_' ? /[\s_-]+/g : /\s+/g, separator)
}
