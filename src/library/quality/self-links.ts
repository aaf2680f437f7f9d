import { unescape } from 'node:querystring'
import type { SelfPage, SelfQuestion } from './self-questions.ts'

/** A link on the page at path `from`. */
export type SelfLink = { question: string; from: string; target: string }

/**
 * Returns the questions that links to a page or section of the library ask: the text of the link.
 */
export function linkQuestions(
  links: readonly SelfLink[],
  pages: readonly SelfPage[],
): SelfQuestion[] {
  const byStem = new Map(pages.map((page) => [stem(page.path), page]))
  const byUrl = new Map(pages.map((page) => [page.url, page]))
  return links.flatMap(({ question, from, target }) => {
    const [place = '', anchor] = target.split('#', 2)
    const path = placeOf(place, from)
    const page = byUrl.get(place) ?? (path === null ? undefined : byStem.get(path))
    if (page === undefined) return []
    const section = anchor ? sectionAt(page, anchor) : null
    if (section === undefined) return []
    const { startLine, endLine } = section ?? { startLine: 1, endLine: page.lines }
    return [{ kind: 'link' as const, question, url: page.url, startLine, endLine }]
  })
}

/**
 * Returns the path of the linked page without the parts that sites leave out; null for a link to
 * another site.
 */
function placeOf(target: string, from: string): string | null {
  if (/^[a-z][\w+.-]*:|^\/\//i.test(target)) return null
  const { pathname } = new URL(target, `file:///${from}`)
  return stem(unescape(pathname).slice(1))
}

function stem(path: string): string {
  return path
    .replace(/\.\w+$/, '')
    .replace(/\/$/, '')
    .replace(/(^|\/)(index|README)$/i, '')
}

/** Returns the first section with this anchor, or with a title that gives this anchor. */
function sectionAt(page: SelfPage, anchor: string): SelfPage['sections'][number] | undefined {
  const own = anchors.get(page) ?? anchorsOf(page)
  anchors.set(page, own)
  const places = [own.byAnchor.get(anchor), own.bySlug.get(anchor.toLowerCase())]
  return page.sections[Math.min(...places.map((place) => place ?? Infinity))]
}

type Anchors = { byAnchor: Map<string, number>; bySlug: Map<string, number> }

const anchors = new WeakMap<SelfPage, Anchors>()

function anchorsOf({ sections }: SelfPage): Anchors {
  const reversed = sections.map(({ heading }, at) => ({ heading, at })).reverse()
  const named = reversed.filter(({ heading }) => heading.anchor !== undefined)
  return {
    byAnchor: new Map(named.map(({ heading, at }) => [heading.anchor!, at])),
    bySlug: new Map(reversed.map(({ heading, at }) => [slug(heading.title), at])),
  }
}

/** Makes an anchor from a title, as most sites do. */
function slug(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s+/g, '-')
}
