import type { PageToShow } from './shown-page.ts'

/** `pageHtml`, loaded when it is asked for: who indexes shows nothing. */
export async function showPage(page: PageToShow): Promise<string> {
  const { pageHtml } = await import('./shown-page.ts')
  return pageHtml(page)
}
