import type { PageToShow } from './page-html.ts'

/**
 * Like `renderPageHtml`, but loads the rendering code on first use, because indexing does not need
 * it. `send` receives each piece with its number, by which a receiver recognises a repeated piece.
 */
export async function showPage(
  page: PageToShow,
  send: (piece: `${number} ${string}`) => Promise<unknown>,
): Promise<void> {
  const { renderPagePieces } = await import('./page-html.ts')
  let nSent = 0
  for (const piece of renderPagePieces(page)) await send(`${nSent++} ${piece}`)
}
