import type { PageToShow } from './shown-page.ts'

/**
 * `pageHtml`, loaded when it is asked for: who indexes shows nothing. `tell` gets each piece behind
 * its number, so that one that comes again is known.
 */
export async function showPage(
  page: PageToShow,
  tell: (piece: `${number} ${string}`) => Promise<unknown>,
): Promise<void> {
  const { pagePieces } = await import('./shown-page.ts')
  let told = 0
  for (const piece of pagePieces(page)) await tell(`${told++} ${piece}`)
}
