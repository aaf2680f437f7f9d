import type { PageToShow } from './page-html.ts'

/**
 * Renders a page like `renderPageHtml`, but loads the code on first use. `send` receives each piece
 * with its number, so that the receiver can recognize a repeated piece.
 */
export async function showPage(
  page: PageToShow,
  send: (piece: `${number} ${string}`) => Promise<unknown>,
): Promise<void> {
  const { renderPagePieces } = await import('./page-html.ts')
  let nSent = 0
  for (const piece of renderPagePieces(page)) await send(`${nSent++} ${piece}`)
}
