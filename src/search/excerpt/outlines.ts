import type { Markup } from '../../page/page.ts'
import { outlineOf, type Outline } from './outline.ts'
import type { OpenGeneration } from '../../store/reading.ts'

/**
 * Pages that were asked for before, least recently used first. A generation never changes, so they
 * hold as long as it is open: a server is asked about the same pages again.
 */
type Kept = { pages: Map<string, Page>; characters: number }
type Page = { text: string; markup: string; outline: Outline | null }
const keptOf = new WeakMap<object, Kept>()
/** Of all pages kept of one generation. */
const mostCharacters = 2_000_000

/** Reads these pages, all of which are there; an outline is made when it is first asked for. */
export async function readOutlines(
  open: Pick<OpenGeneration, 'generation' | 'pageTexts'>,
  urls: readonly string[],
): Promise<(url: string) => Outline> {
  const kept = keptOf.get(open.generation) ?? { pages: new Map(), characters: 0 }
  keptOf.set(open.generation, kept)
  // Before anything is awaited: another search may drop them meanwhile.
  const inMemory = new Map(urls.map((url) => [url, kept.pages.get(url)]))
  const missing = urls.filter((url) => inMemory.get(url) === undefined)
  const read = missing.length === 0 ? null : await open.pageTexts(missing)
  const pages = new Map(urls.map((url): [string, Page] =>
    [url, inMemory.get(url) ?? { ...read!.get(url)!, outline: null }]))
  for (const [url, page] of pages) keep(kept, url, page)
  return (url) => {
    const page = pages.get(url)!
    const { text, markup } = page
    page.outline ??= outlineOf({ text, markup: markup as Markup })
    return page.outline
  }
}

/** As the one used last; the oldest go where there are too many. */
function keep(kept: Kept, url: string, page: Page): void {
  const { pages } = kept
  if (!pages.delete(url)) kept.characters += page.text.length
  pages.set(url, page)
  for (const [oldest, { text }] of pages) {
    if (kept.characters <= mostCharacters || oldest === url) return
    pages.delete(oldest)
    kept.characters -= text.length
  }
}
