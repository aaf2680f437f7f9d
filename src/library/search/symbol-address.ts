import { isApiPath } from '../../api/api-path.ts'
import { headings } from '../../page/headings.ts'
import type { PageHead } from '../../store/pages/page-table.ts'

type Heads = ReadonlyMap<string, Pick<PageHead, 'url' | 'path' | 'title'>>

/**
 * The pages of the API reference that may define a qualified name, the likeliest first: the page of
 * the name itself, the page of the class or module that it begins with, and the page with the
 * shortest name that ends in it, unless several are as short.
 */
export function symbolPages(typed: string, heads: Heads): string[] {
  if (!/^[\p{L}_$@][\p{L}\p{N}_$@.:#/-]*$/u.test(typed)) return []
  const pages = [...heads.values()].filter(({ path }) => isApiPath(path))
  const own = pages.filter(({ title }) => title === typed)
  const scopes = pages
    .filter(({ title }) => typed.startsWith(title) && /^(::|[.#/])/.test(typed.slice(title.length)))
    .sort((a, b) => b.title.length - a.title.length)
  const tails = pages.filter(
    ({ title }) => title.endsWith(typed) && /(::|[.#/])$/.test(title.slice(0, -typed.length)),
  )
  const depths = tails.map(({ title }) => title.split(/::|[.#/]/).length)
  const least = depths.reduce((a, b) => Math.min(a, b), Infinity)
  const shortest = tails.filter((_, i) => depths[i] === least)
  return [...own, ...scopes, ...(shortest.length === 1 ? shortest : [])].map(({ url }) => url)
}

/**
 * The part of a page of the API reference that defines a name: the anchor of its section; `whole`
 * for the page itself or a value in one of its lists; null: it does not define the name.
 */
export function symbolPart(
  page: { title: string; text: string },
  typed: string,
): { anchor: string } | 'whole' | null {
  if (page.title === typed || page.title.endsWith(typed)) return 'whole'
  const titles = headings(page.text, 'markdown').map(({ title }) => title)
  if (titles.includes(typed)) return { anchor: typed }
  const name = typed.slice(page.title.length).replace(/^(::|[.#/])/, '')
  const listed = new RegExp(`^- \`\`? ?(?:[a-z]+ )*${RegExp.escape(name)}(?![\\p{L}\\p{N}_])`, 'mu')
  return name !== '' && listed.test(page.text) ? 'whole' : null
}
