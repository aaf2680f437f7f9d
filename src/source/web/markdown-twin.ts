/** The form of the URLs of a site's Markdown twins. */
export type TwinForm = 'page.md' | 'index.md' | 'page.html.md'

const forms: TwinForm[] = ['page.md', 'page.html.md', 'index.md']

/** The URL of a page's twin in this form; null if the form does not apply to that URL. */
export function twinAddress(form: TwinForm, page: string): string | null {
  const url = new URL(page)
  const { pathname } = url
  if (url.search !== '' || /\.(?!html?$)[a-z0-9]{1,5}$/i.test(pathname)) return null
  const path = twinPath(form, pathname)
  url.pathname = path ?? ''
  return path === null ? null : url.href
}

/** The path of the twin. `/a/b`, `/a/b/` and `/a/b.html` are all paths of pages. */
function twinPath(form: TwinForm, path: string): string | null {
  if (form === 'page.md') return `${path.replace(/\/$|\.html?$/i, '') || '/index'}.md`
  if (form === 'index.md') return path.endsWith('/') && path !== '/' ? `${path}index.md` : null
  if (path.endsWith('/')) return `${path}index.html.md`
  return /\.html?$/i.test(path) ? `${path}.md` : null
}

/**
 * The form of a site's twins, tested on two of its pages: both twins must be Markdown, and they
 * must differ. Null if there are no twins; finding that out takes at most three requests.
 */
export async function findTwinForm(
  pages: string[],
  markdownOf: (url: string) => Promise<string | null>,
): Promise<TwinForm | null> {
  const inner = pages.filter((page) => new URL(page).pathname !== '/')
  const samples = [...new Set([inner[0] ?? pages[0], inner[Math.floor(inner.length / 2)]])]
  for (const form of forms) {
    const texts = new Set<string>()
    for (const sample of samples) {
      const address = sample === undefined ? null : twinAddress(form, sample)
      const text = address === null ? null : await markdownOf(address)
      if (text === null || !/[\p{L}\p{N}]/u.test(text)) break
      texts.add(text)
    }
    if (texts.size > 0 && texts.size === samples.filter(Boolean).length) return form
  }
  return null
}

export function twinFormOf(page: string, twin: string): TwinForm | null {
  return forms.find((form) => twinAddress(form, page) === twin) ?? null
}
