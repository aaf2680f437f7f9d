import type { HtmlElement } from './article.ts'

/** What links are relative to: the page's address, or what its `<base>` says; null for files. */
export function linkBase(root: HtmlElement, address: string): string | null {
  if (!/^https?:/i.test(address)) return null
  const said = root.querySelector('base')?.getAttribute('href')
  return said && said.length <= addressLimit ? URL.parse(said, address)?.href ?? address : address
}

/** A longer base would be repeated in each link. */
const addressLimit = 2000

/** Writes targets of links and pictures in full, so that they lead there from a chunk, too. */
export function absoluteLinks(element: HtmlElement, base: string): void {
  for (const link of element.querySelectorAll('a[href]')) complete(link, { name: 'href', base })
  for (const picture of element.querySelectorAll('img[src]')) {
    complete(picture, { name: 'src', base })
  }
}

function complete(element: HtmlElement, { name, base }: { name: string; base: string }): void {
  const written = (element.getAttribute(name) ?? '').trim()
  if (written === '' || /^[a-z][a-z\d+.-]*:/i.test(written)) return
  const url = URL.parse(written, base)
  if (url) element.setAttribute(name, url.href)
}
