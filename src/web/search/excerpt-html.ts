import { terms } from '../../chunk/terms.ts'
import { coveredTerms } from '../../search/coverage.ts'
import { closesFence, openedFence, type Fence } from '../../page/markdown/fence.ts'
import type { Markup } from '../../page/page.ts'
import { pageHtml } from '../../page/show/shown-page.ts'

/** What is shown of a hit: enough to see whether it answers. */
const mostChars = 900

type Passing = { text: string; markup: Markup; heading: string }

/** The part of a hit that holds most of what was asked, as safe markup, with those words marked. */
export function excerptHtml({ text, markup, heading }: Passing, query: string): string {
  const asked = new Set(coveredTerms(query))
  const blocks = blocksOf(withoutHeading(text, heading))
  const shown = telling(blocks, asked).join('\n\n')
  return markedHtml(pageHtml({ text: shown, markup }), asked)
}

/** The words that were asked for, marked in markup that `pageHtml` wrote. */
export function markedHtml(safe: string, asked: ReadonlySet<string>): string {
  if (asked.size === 0) return safe
  return safe.replace(/<[^>]*>|&[#\w]+;|[\p{L}\p{N}\p{M}_$]+/gu, (piece) => {
    if (piece[0] === '<' || piece[0] === '&') return piece
    return terms(piece).some((term) => asked.has(term)) ? `<mark>${piece}</mark>` : piece
  })
}

/** The heading that stands above the hit is not said twice. */
function withoutHeading(text: string, heading: string): string {
  const [, title, rest] = /^\s*#{1,6}[ \t]+([^\n]*)\n*([^]*)$/.exec(text) ?? []
  const last = heading.split(' > ').at(-1)
  const plain = (it: string) => it.replace(/[^\p{L}\p{N}]+/gu, '').toLowerCase()
  const isSaid = title !== undefined && last !== undefined && plain(title).startsWith(plain(last))
  return isSaid && rest!.trim() !== '' ? rest! : text
}

/** Parts of Markdown between empty lines; code stays whole. */
function blocksOf(text: string): string[] {
  const blocks: string[][] = [[]]
  let fence: Fence | null = null
  for (const line of text.split('\n')) {
    if (fence === null && line.trim() === '') {
      if (blocks.at(-1)!.length > 0) blocks.push([])
      continue
    }
    if (fence === null) fence = openedFence(line)
    else if (closesFence(fence, line)) fence = null
    blocks.at(-1)!.push(line)
  }
  return blocks.filter((lines) => lines.length > 0).map((lines) => lines.join('\n'))
}

/** Neighbouring blocks that hold the most of the words, the first such; at least one. */
function telling(blocks: readonly string[], asked: ReadonlySet<string>): string[] {
  const held = blocks.map((block) => new Set(terms(block).filter((term) => asked.has(term))))
  let best = { from: 0, to: 1, worth: -1 }
  for (let from = 0; from < blocks.length; from++) {
    let chars = 0
    let to = from
    const found = new Set<string>()
    while (to < blocks.length && (to === from || chars + blocks[to]!.length <= mostChars)) {
      for (const term of held[to]!) found.add(term)
      chars += blocks[to++]!.length
    }
    if (found.size > best.worth) best = { from, to, worth: found.size }
  }
  return blocks.slice(best.from, best.to).map((block) => shortened(block))
}

/** A long block by its first lines; code that was open is closed. */
function shortened(block: string): string {
  const longest = 2 * mostChars
  if (block.length <= longest) return block
  const fence = openedFence(block.split('\n', 1)[0]!)
  const cut = block.slice(0, block.lastIndexOf('\n', longest) > 0
    ? block.lastIndexOf('\n', longest)
    : longest)
  return fence === null ? `${cut} …` : `${cut}\n…\n${fence.mark.repeat(fence.length)}`
}
