import type { HtmlElement } from './article.ts'

/** The base address of relative links: the page's `<base>` or its own address; null for files. */
export function linkBase(root: HtmlElement, address: string): string | null {
  if (!/^https?:/i.test(address)) return null
  const said = root.querySelector('base')?.getAttribute('href')
  return said && said.length <= addressLimit ? URL.parse(said, address)?.href ?? address : address
}

/** Longest base address that is used, since each link repeats it. */
const addressLimit = 2000

/** Makes the targets of links and pictures absolute, so that they still work in a chunk. */
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
