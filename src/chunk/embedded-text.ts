import type { Page } from '../page/page.ts'
import type { Range } from './range.ts'
import type { Repeats } from './repeats.ts'

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

/** A chunk as it is kept, whose heading is its path joined by ` > `. */
type KeptChunk = {
  url: string
  title: string
  heading: string
  content: string
  start_offset: number
}

/**
 * What is embedded for chunks that are asked for in the order of their pages: `embeddedText` of
 * what is left of them without `repeats`; where nothing is left, that of the chunk above.
 */
export function embeddedTexts(repeats: Repeats): (chunk: KeptChunk) => string {
  let above = { url: '', text: '' }
  return ({ url, title, heading, content, start_offset }) => {
    const headings = heading === '' ? [] : heading.split(separator)
    const left = without(content, start_offset, repeats.get(url) ?? [])
    if (left.trim() === '' && above.url === url) return above.text
    above = { url, text: embeddedText({ title }, { headings, text: left }) }
    return above.text
  }
}

/** `content` stands at `offset` of its page, `ranges` are of the page, in their order. */
function without(content: string, offset: number, ranges: readonly Range[]): string {
  const end = offset + content.length
  let left = ''
  let at = offset
  for (const range of ranges) {
    if (range.end <= at || range.start >= end) continue
    left += content.slice(at - offset, Math.max(at, range.start) - offset)
    at = Math.min(range.end, end)
  }
  return left + content.slice(at - offset)
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
