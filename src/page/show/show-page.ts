import type { PageToShow } from './shown-page.ts'

/**
 * Renders a page like `pageHtml`, with code that is loaded on first use because indexing does not
 * need it. `tell` gets each piece with its number, by which a receiver recognises a repeated piece.
 */
export async function showPage(
  page: PageToShow,
  tell: (piece: `${number} ${string}`) => Promise<unknown>,
): Promise<void> {
  const { pagePieces } = await import('./shown-page.ts')
  let told = 0
  for (const piece of pagePieces(page)) await tell(`${told++} ${piece}`)
}
