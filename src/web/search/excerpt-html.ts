import { indexTermsOf } from '../../chunk/terms.ts'
import { boxEndMark, isBoxTitle } from '../../document/box.ts'
import { termsToCover } from '../../search/coverage.ts'
import { fenceAfter, parseFence, type Fence } from '../../document/fence.ts'
import { renderPageHtml } from '../../page/show/page-html.ts'
import { openLruCache } from '../../platform/lru-cache.ts'
import type { Markup } from '../../document/headings.ts'

/** Maximum length of an excerpt, enough to see whether the hit answers the query. */
const mostChars = 900

type HitText = { text: string; markup: Markup; heading: string }

/** Returns the part of a hit with the most query terms, as safe markup that marks these terms. */
export function excerptHtml({ text, markup, heading }: HitText, query: string): string {
  const ofQuery = termMatcher(query)
  const blocks = blocksOf(withoutHeading(text, heading))
  const markdown = blocksInBoxes(blocks, bestRun(blocks, ofQuery)).join('\n\n')
  const render = () => renderPageHtml({ text: markdown, markup })
  const safe = excerptCache.of(`${markup} ${markdown}`, 4 * markdown.length, render)
  return markTerms(lowerHeadings(safe), ofQuery)
}

/** Returns one line of an excerpt around its first marked term, without markup other than marks. */
export function excerptLine(excerpt: string): string {
  const blocks = excerpt.split(/<\/(?:p|li|pre|h[1-6]|td|th|dd|dt|div)>/)
  const block = blocks.find((it) => it.includes('<mark>')) ?? blocks.find(hasText) ?? ''
  const pieces = block.match(/<\/?mark>|<[^>]*>|&[#\w]+;|\s+|[^<&\s]+/g) ?? []
  const visible = pieces.filter((it) => it[0] !== '<' || /^<\/?mark>$/.test(it))
  const first = Math.max(0, visible.indexOf('<mark>'))
  let from = first
  for (let before = 0; from > 0 && before < lineChars.before; from--) {
    before += visible[from - 1]!.length
  }
  let [line, chars, isMarked] = [from > 0 ? '… ' : '', 0, false]
  for (const piece of visible.slice(from)) {
    if (chars > lineChars.all && !isMarked) break
    if (piece[0] === '<') isMarked = piece === '<mark>'
    else chars += piece.length
    line += /^\s/.test(piece) ? ' ' : piece
  }
  return line.trim()
}

function hasText(block: string): boolean {
  return block.replace(/<[^>]*>/g, '').trim() !== ''
}

/** Maximum number of characters of a line, and of its part before the first mark. */
const lineChars = { before: 60, all: 200 }

/**
 * Lowers headings below the level of the hit's heading, so that screen-reader users can jump from
 * hit to hit.
 */
function lowerHeadings(safe: string): string {
  return safe.replace(/<(\/?)h[12](?=[ >])/g, '<$1h3')
}

/** Caches excerpts without marks, because most hits stay the same between two keystrokes. */
const excerptCache = openLruCache<string>(4e6)

/** Returns a word's terms that the query contains too. */
type TermMatcher = (word: string) => readonly string[]

function termMatcher(query: string): TermMatcher {
  const queried = new Set(termsToCover(query))
  const byWord = new Map<string, readonly string[]>()
  return (word) => {
    const held = byWord.get(word) ?? termsOf(word).filter((term) => queried.has(term))
    byWord.set(word, held)
    return held
  }
}

/** Caches a word's terms, because words repeat and stemming is slow. */
function termsOf(word: string): readonly string[] {
  return stemCache.of(word, word.length + 100, () => indexTermsOf(word))
}

const stemCache = openLruCache<readonly string[]>(2e6)

/** Marks the words of the query in the markup of `renderPageHtml`. */
function markTerms(safe: string, ofQuery: TermMatcher): string {
  return safe.replace(/<[^>]*>|&[#\w]+;|[\p{L}\p{N}\p{M}_$]+/gu, (piece) => {
    if (piece[0] === '<' || piece[0] === '&') return piece
    return ofQuery(piece).length > 0 ? `<mark>${piece}</mark>` : piece
  })
}

/** Removes the first heading of the text if it repeats the heading above the hit. */
function withoutHeading(text: string, heading: string): string {
  const [, marked, underlined, , rest] =
    /^\s*(?:#{1,6}[ \t]+([^\n]*)|([^\n]+)\n([^\w\s])\3{2,}[ \t]*(?=\n))\n*([^]*)$/.exec(text) ?? []
  const title = marked ?? underlined
  const last = heading.split(' > ').at(-1)
  const plain = (it: string) => it.replace(/[^\p{L}\p{N}]+/gu, '').toLowerCase()
  const isSaid = title !== undefined && last !== undefined && plain(title).startsWith(plain(last))
  return isSaid && rest!.trim() !== '' ? rest! : text
}

/**
 * Splits Markdown at empty lines but not inside code fences. The end of a box is a separate block.
 */
function blocksOf(text: string): string[] {
  const blocks: string[][] = [[]]
  let fence: Fence | null = null
  for (const line of text.split('\n')) {
    if (fence === null && line.trim() === '') {
      if (blocks.at(-1)!.length > 0) blocks.push([])
      if (line === boxEndMark) blocks.push([line], [])
      continue
    }
    fence = fenceAfter(line, fence)
    blocks.at(-1)!.push(line)
  }
  return blocks.filter((lines) => lines.length > 0).map((lines) => lines.join('\n'))
}

/** A run of blocks of a passage: `from` is inclusive, `to` exclusive. */
type Run = { from: number; to: number }

/**
 * Returns the run of blocks with the most query terms: within `mostChars`, or a single longer
 * block. The first such run wins.
 */
function bestRun(blocks: readonly string[], ofQuery: TermMatcher): Run {
  const held = blocks.map(
    (block) =>
      new Set((block.match(/[\p{L}\p{N}\p{M}_$]+/gu) ?? []).flatMap((word) => ofQuery(word))),
  )
  let best = { from: 0, to: 1, worth: -1 }
  for (let from = 0; from < blocks.length; from++) {
    let chars = 0
    let to = from
    const shared = new Set<string>()
    while (to < blocks.length && (to === from || chars + blocks[to]!.length <= mostChars)) {
      for (const term of held[to]!) shared.add(term)
      chars += blocks[to++]!.length
    }
    if (shared.size > best.worth) best = { from, to, worth: shared.size }
  }
  return best
}

/** Wraps a run of blocks in the boxes that are open at its start, and closes them at its end. */
function blocksInBoxes(blocks: readonly string[], { from, to }: Run): string[] {
  const titles: string[] = []
  const follow = (block: string) => {
    if (block === boxEndMark) titles.pop()
    else if (isBoxTitle(block)) titles.push(block.trimStart())
  }
  blocks.slice(0, from).forEach(follow)
  const above = titles.slice(-maxTitles)
  const run = blocks.slice(from, to)
  run.forEach(follow)
  return [...above, ...run.map(shorten), ...titles.map(() => boxEndMark)]
}

/**
 * Maximum number of box titles above a run, because untrusted pages can nest boxes without limit.
 */
const maxTitles = 3

/** Returns the first lines of a long block, and closes a code fence that it cuts. */
function shorten(block: string): string {
  const longest = 2 * mostChars
  if (block.length <= longest) return block
  const fence = parseFence(block.split('\n', 1)[0]!)
  const cut = block.slice(
    0,
    block.lastIndexOf('\n', longest) > 0 ? block.lastIndexOf('\n', longest) : longest,
  )
  return fence === null ? `${cut} …` : `${cut}\n…\n${fence.mark.repeat(fence.length)}`
}
