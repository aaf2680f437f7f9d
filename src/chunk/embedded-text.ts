import type { Page } from '../page/page.ts'

/** Longest prefix in UTF-8 bytes, and so in tokens: what one monstrous heading may cost. */
const prefixBytes = 200
const titleBytes = 96
const separator = ' > '

const target = String.raw`(?=https?:|mailto:|[\w\-]*[./#])[^()\s]*(?: +"[^"\n]*")?`
const letter = String.raw`[\p{L}\p{N}_]`
/** `[text](target "title")` and `![alt](target)` whose target is an address or a path. */
const link = new RegExp(
  String.raw`(?<!${letter})!?\[([^[\]\n]*)\]\(${target}\)(?!${letter})`,
  'gu',
)
/** The address in `text <https://…>`_ of reStructuredText, and in <https://…> of Markdown. */
const address = /<https?:[^<>\s]*>/g

/**
 * What is embedded for a chunk: page title and heading path in one line, then the chunk without
 * the whitespace around it and without the targets of its links: addresses are many tokens that
 * say little, a quarter of a page of release notes. Never longer in tokens than the chunk itself.
 */
export function embeddedText(
  page: Pick<Page, 'title'>,
  chunk: { headings: readonly string[]; text: string },
): string {
  return prefixOf(page.title, chunk.headings) + withoutTargets(chunk.text).trim()
}

/** The same of a chunk as it is kept, whose heading is its path joined by ` > `. */
export function embeddedTextOf(
  { title, heading, content }: { title: string; heading: string; content: string },
): string {
  const headings = heading === '' ? [] : heading.split(separator)
  return embeddedText({ title }, { headings, text: content })
}

function withoutTargets(text: string): string {
  return text.replace(link, '$1').replace(address, ' ')
}

/**
 * The line before the chunk, newline included; empty without title and headings. Of a path that
 * is too long the outer headings go first: the title and the nearest heading say most.
 */
export function prefixOf(title: string, headings: readonly string[]): string {
  const path = oneLine(headings[0] ?? '') === oneLine(title) ? headings.slice(1) : headings
  const parts = [title, ...path].map((part) => clipped(oneLine(part))).filter((part) => part !== '')
  while (parts.length > 2 && bytes(parts.join(separator)) > prefixBytes) parts.splice(1, 1)
  return parts.length === 0 ? '' : parts.join(separator) + '\n'
}

/** Only its beginning: the rest would be clipped for every chunk of the page again. */
function oneLine(title: string): string {
  return title.trimStart().slice(0, 1000).replace(/\s+/g, ' ').trim()
}

function clipped(title: string): string {
  if (bytes(title) <= titleBytes) return title
  let clip = ''
  let left = titleBytes - bytes('…')
  for (const point of title) {
    left -= bytes(point)
    if (left < 0) break
    clip += point
  }
  return clip.trimEnd() + '…'
}

function bytes(text: string): number {
  return Buffer.byteLength(text)
}
