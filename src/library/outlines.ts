import type { Markup } from '../page/page.ts'
import { outlineOf, type Outline } from '../search/outline.ts'
import type { OpenGeneration } from '../store/reading.ts'

/**
 * Outlines of pages that were asked for before, least recently used first. A generation never
 * changes, so they hold as long as it is open: a server is asked about the same pages again.
 */
type Kept = { outlines: Map<string, Outline>; characters: number }
const keptOf = new WeakMap<object, Kept>()
/** Of all pages kept of one generation. */
const mostCharacters = 2_000_000

/** Reads these pages, all of which are there; an outline is made when it is first asked for. */
export async function readOutlines(
  open: Pick<OpenGeneration, 'generation' | 'pageTexts'>,
  urls: readonly string[],
): Promise<(url: string) => Outline> {
  const kept = keptOf.get(open.generation) ?? { outlines: new Map(), characters: 0 }
  keptOf.set(open.generation, kept)
  const known = new Map(urls.map((url) => [url, kept.outlines.get(url)]))
  const pages = await open.pageTexts(urls.filter((url) => known.get(url) === undefined))
  return (url) => {
    const { text, markup } = known.get(url) ?? pages.get(url)!
    const outline = known.get(url) ?? outlineOf({ text, markup: markup as Markup })
    known.set(url, outline)
    keep(kept, url, outline)
    return outline
  }
}

/** As the one used last; the oldest go where there are too many. */
function keep(kept: Kept, url: string, outline: Outline): void {
  const { outlines } = kept
  if (!outlines.delete(url)) kept.characters += outline.text.length
  outlines.set(url, outline)
  for (const [oldest, { text }] of outlines) {
    if (kept.characters <= mostCharacters || oldest === url) return
    outlines.delete(oldest)
    kept.characters -= text.length
  }
}
