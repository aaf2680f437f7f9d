import { unescape } from 'node:querystring'
import type { SelfPage, SelfQuestion } from './self-questions.ts'

/** A link of the page at path `from`. */
export type Link = { question: string; from: string; target: string }

/** Of links that lead to a page or section of these: their text asks for it. */
export function linkQuestions(links: readonly Link[], pages: readonly SelfPage[]): SelfQuestion[] {
  const byStem = new Map(pages.map((page) => [stem(page.path), page]))
  const byUrl = new Map(pages.map((page) => [page.url, page]))
  return links.flatMap(({ question, from, target }) => {
    const [place = '', anchor] = target.split('#', 2)
    const path = placeOf(place, from)
    const page = byUrl.get(place) ?? (path === null ? undefined : byStem.get(path))
    if (page === undefined) return []
    const section = anchor ? page.sections.find(({ heading }) => isAnchor(heading, anchor)) : null
    if (section === undefined) return []
    const { startLine, endLine } = section ?? { startLine: 1, endLine: page.lines }
    return [{ kind: 'link' as const, question, url: page.url, startLine, endLine }]
  })
}

/** The page's path without what sites leave out; null for what lies elsewhere. */
function placeOf(target: string, from: string): string | null {
  if (/^[a-z][\w+.-]*:|^\/\//i.test(target)) return null
  const { pathname } = new URL(target, `file:///${from}`)
  return stem(unescape(pathname).slice(1))
}

function stem(path: string): string {
  return path.replace(/\.\w+$/, '').replace(/\/$/, '').replace(/(^|\/)(index|README)$/i, '')
}

function isAnchor({ title, anchor }: { title: string; anchor?: string }, wanted: string): boolean {
  return anchor === wanted || slug(title) === wanted.toLowerCase()
}

/** As most sites make them. */
function slug(title: string): string {
  return title.toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, '').trim().replace(/\s+/g, '-')
}
