import { indexTermsOf } from '../../chunk/terms.ts'
import { termsToCover } from '../../search/coverage.ts'
import { shortenExcerpt } from '../../search/excerpt/brief.ts'
import { focusFor } from '../../search/excerpt/excerpts.ts'
import { renderPageHtml } from '../../page/show/page-html.ts'
import { openLruCache } from '../../platform/lru-cache.ts'
import type { Markup } from '../../document/headings.ts'

/** Maximum length of an excerpt, enough to judge whether the hit answers the query. */
const mostChars = 900

type HitText = { text: string; markup: Markup; heading: string }

/** Returns the part of a hit with the most query terms, as safe markup with marked terms. */
export function excerptHtml({ text, markup, heading }: HitText, query: string): string {
  const ofQuery = termMatcher(query)
  const whole = { text: withoutHeading(text, heading), markup }
  const shape = { focus: focusFor(query, []), most: mostChars, wantsCode: false }
  const markdown = shortenExcerpt(whole, shape)
  const render = () => renderPageHtml({ text: markdown, markup })
  const safe = excerptCache.of(`${markup} ${markdown}`, 4 * markdown.length, render)
  return markTerms(lowerHeadings(safe), ofQuery)
}

/** Returns one line of an excerpt around its first marked term, with marks as the only markup. */
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

/** Maximum number of characters in a line, and before its first mark. */
const lineChars = { before: 60, all: 200 }

/**
 * Lowers headings below the level of the hit's heading, so that screen readers can jump from hit to
 * hit.
 */
function lowerHeadings(safe: string): string {
  return safe.replace(/<(\/?)h[12](?=[ >])/g, '<$1h3')
}

/** Caches excerpts without marks, because most hits stay the same between two keystrokes. */
const excerptCache = openLruCache<string>(4e6)

/** Returns the terms of a word that occur in the query. */
type TermMatcher = (word: string) => readonly string[]

function termMatcher(query: string): TermMatcher {
  const queried = new Set(termsToCover(query))
  const byWord = new Map<string, readonly string[]>()
  return (word) =>
    byWord.getOrInsertComputed(word, () => termsOf(word).filter((term) => queried.has(term)))
}

/** Caches the terms of words, because words repeat and stemming is slow. */
function termsOf(word: string): readonly string[] {
  return stemCache.of(word, word.length + 100, () => indexTermsOf(word))
}

const stemCache = openLruCache<readonly string[]>(2e6)

/** Marks query terms in markup from `renderPageHtml`. */
function markTerms(safe: string, ofQuery: TermMatcher): string {
  return safe.replace(/<[^>]*>|&[#\w]+;|[\p{L}\p{N}\p{M}_$]+/gu, (piece) => {
    if (piece[0] === '<' || piece[0] === '&') return piece
    return ofQuery(piece).length > 0 ? `<mark>${piece}</mark>` : piece
  })
}

/** Removes the first heading if it repeats the heading above the hit. */
function withoutHeading(text: string, heading: string): string {
  const [, marked, underlined, , rest] =
    /^\s*(?:#{1,6}[ \t]+([^\n]*)|([^\n]+)\n([^\w\s])\3{2,}[ \t]*(?=\n))\n*([^]*)$/.exec(text) ?? []
  const title = marked ?? underlined
  const last = heading.split(' > ').at(-1)
  const plain = (it: string) => it.replace(/[^\p{L}\p{N}]+/gu, '').toLowerCase()
  const isSaid = title !== undefined && last !== undefined && plain(title).startsWith(plain(last))
  return isSaid && rest!.trim() !== '' ? rest! : text
}
