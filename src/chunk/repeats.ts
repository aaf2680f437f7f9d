import { isApiPagePath } from '../api/api-path.ts'
import type { Page } from '../page/page.ts'
import { splitIntoBlocks } from './block.ts'
import { firstLineFrom, indexLines, type Lines } from './line.ts'
import type { Range } from './range.ts'
import { ownBodyEnd, sectionTree, type Section } from './section.ts'
import { findVariantGroups, type BlockRange } from './variants.ts'
import { headings, type Markup } from '../document/headings.ts'

/** The parts of pages that are not embedded, by page URL. Most pages have none. */
export type RepeatedRanges = ReadonlyMap<string, readonly Range[]>

/** Minimum length of a repeat in characters. Short repeats cost little and may be useful. */
const fewestCharacters = 200

/**
 * Returns the parts of a page that repeat earlier text: all variants of a sample except the first,
 * and code that differs from earlier code only in its highlighting. Returns none for the API
 * reference. The ranges are in text order and do not overlap.
 */
export function findRepeats({
  text,
  markup,
  url = '',
}: Pick<Page, 'text' | 'markup'> & { url?: string }): Range[] {
  if (isApiPagePath(url)) return []
  if (!severalFences.test(text)) return []
  const seenCode = new Set<string>()
  return bodies(indexLines(text), markup).flatMap((blocks) => {
    const groups = findVariantGroups(text, blocks)
    const variants = new Map(groups.flat().map((variant) => [variant.end, variant]))
    const others = new Set<Range>(groups.flatMap((group) => group.slice(1)))
    return blocks
      .filter(({ kind }) => kind === 'fence')
      .flatMap((block) => {
        const { start, end } = variants.get(block.end) ?? block
        const isOther = others.has(variants.get(block.end) ?? block)
        return isOther || isKnown(text.slice(block.start, end)) ? [{ start, end }] : []
      })
  })

  function isKnown(fence: string): boolean {
    const code = codeIn(fence)
    if (code.length < fewestCharacters) return false
    if (seenCode.has(code)) return true
    seenCode.add(code)
    return false
  }
}

const opening = String.raw`^[ \t]*(?:\`{3}|~{3}|<\w)`
/** Quickly finds pages with two fences. It may mistake a closing mark for an opening one. */
const severalFences = new RegExp(`${opening}[^]*?${opening}`, 'm')

/** Returns the repeated parts of all pages, by page URL. */
export async function findRepeatsByPage(
  pages: AsyncIterable<readonly { url: string; text: string; markup: string }[]>,
): Promise<RepeatedRanges> {
  const places = new Map<string, Range[]>()
  for await (const batch of pages) {
    for (const { url, text, markup } of batch) {
      const repeats = findRepeats({ url, text, markup: markup as Markup })
      if (repeats.length > 0) places.set(url, repeats)
    }
  }
  return places
}

/** Returns the outermost blocks under each heading, in page order. */
function bodies(lines: Lines, markup: Markup): BlockRange[][] {
  const groups: BlockRange[][] = []
  const open: Section[] = [sectionTree(lines, headings(lines.text, markup))]
  for (let section = open.pop(); section !== undefined; section = open.pop()) {
    const from = firstLineFrom(lines, section.bodyStart)
    const to = firstLineFrom(lines, ownBodyEnd(section))
    groups.push(
      splitIntoBlocks(lines, { from, to }).map((block) => ({
        kind: block.kind,
        start: lines.starts[block.from]!,
        end: lines.starts[block.to]!,
      })),
    )
    open.push(...section.children.toReversed())
  }
  return groups
}

/** Returns a fence's code without its options, which only change the highlighting. */
function codeIn(fence: string): string {
  const block = fence.trim()
  const code = block.slice(block.indexOf('\n') + 1)
  return code.replace(/\n[`~]{3,}$/, '').trim()
}
