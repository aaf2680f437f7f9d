import type { PageToShow } from './shown-page.ts'

/**
 * Renders a page as `pageHtml` does, with code that is loaded on first use, since indexing does not
 * need it. `tell` gets each piece after its number, which identifies a piece that is sent twice.
 */
export async function showPage(
  page: PageToShow,
  tell: (piece: `${number} ${string}`) => Promise<unknown>,
): Promise<void> {
  const { pagePieces } = await import('./shown-page.ts')
  let told = 0
  for (const piece of pagePieces(page)) await tell(`${told++} ${piece}`)
}
