import { cached } from '../../platform/lru-cache.ts'
import { lineAt, indexLines, type Lines } from '../../chunk/line.ts'
import type { Page } from '../../page/page.ts'
import { sha256 } from '../../platform/hash.ts'
import type { PageRow } from '../../store/pages/page-table.ts'
import { unescape } from 'node:querystring'
import { headings, type Heading } from '../../document/headings.ts'

export type SelfKind = 'heading' | 'sentence' | 'link' | 'symbol'

/** A question from the library's own text, and the 1-based lines that answer it. */
export type SelfQuestion = {
  kind: SelfKind
  question: string
  url: string
  startLine: number
  endLine: number
}

type SelfSection = { heading: Heading; body: string; startLine: number; endLine: number }
export type SelfPage = Pick<PageRow, 'url' | 'path'> & { lines: number; sections: SelfSection[] }

/**
 * Generates questions with known answers from a library's own pages, without a language model: from
 * headings, first sentences of sections, link texts, and names in code. Each question has exactly
 * one section as its answer. Returns at most `limit` questions, equally many of each kind. The same
 * pages always produce the same questions.
 */
export async function selfQuestions(
  pages: AsyncIterable<PageRow[]>,
  { limit }: { limit: number },
): Promise<SelfQuestion[]> {
  const byKey = new Map<string, SelfQuestion | null>()
  const linkable: SelfPage[] = []
  const links: SelfLink[] = []
  for await (const rows of pages) {
    for (const row of rows) {
      const page = selfPage(row)
      linkable.push(page)
      for (const question of sectionQuestions(page)) keepUnique(byKey, question)
      for (const link of linksOf(row)) links.push(link)
    }
  }
  for (const question of questionsFromLinks(links, linkable)) keepUnique(byKey, question)
  return sample(
    [...byKey.values()].filter((question) => question !== null),
    limit,
  )
}

function keepUnique(byKey: Map<string, SelfQuestion | null>, question: SelfQuestion): void {
  const key = `${question.kind} ${question.question.toLowerCase()}`
  const other = byKey.get(key)
  if (other === undefined) byKey.set(key, question)
  else if (other?.url !== question.url || other.startLine !== question.startLine) {
    byKey.set(key, null)
  }
}

function selfPage({ url, path, text, markup }: PageRow): SelfPage {
  const lines = indexLines(text)
  const list = headings(text, markup as Page['markup'])
  const sections = list.map((heading, i) => {
    const end = list[i + 1]?.offset ?? text.length
    return { heading, body: text.slice(heading.end, end), ...linesBetween(lines, heading, end) }
  })
  return { url, path, lines: lines.count, sections }
}

function linesBetween(lines: Lines, heading: Heading, end: number) {
  const endLine = lineAt(lines, Math.max(heading.offset, end - 1)) + 1
  return { startLine: lineAt(lines, heading.offset) + 1, endLine }
}

function sectionQuestions({ url, sections }: SelfPage): SelfQuestion[] {
  return sections.flatMap(({ heading, body, startLine, endLine }) => {
    const place = { url, startLine, endLine }
    const sentence = firstSentence(body)
    return [
      ...(isTelling(heading.title) && body.trim() !== ''
        ? [{ kind: 'heading' as const, question: heading.title, ...place }]
        : []),
      ...(sentence === null ? [] : [{ kind: 'sentence' as const, question: sentence, ...place }]),
      ...symbols(body).map((question) => ({ kind: 'symbol' as const, question, ...place })),
    ]
  })
}

/** True if a title identifies its section, unlike "Example" and "3.2". */
function isTelling(title: string): boolean {
  if (/\p{Ll}\p{Lu}/u.test(title)) return true
  const first = /\p{L}{3}/u.exec(title)
  const last = [...title.matchAll(/\p{L}(?=\p{L})/gu)].at(-1)
  if (first === null || last === undefined) return false
  return /[\s_$.-]/.test(title.slice(first.index + first[0].length, last.index))
}

const plainLine = /^[\p{Lu}"'`*_[]/u

/** Returns a section's first sentence without markup, or null if it does not begin with prose. */
function firstSentence(body: string): string | null {
  const [paragraph = ''] = body.trim().split(/\n\s*\n/, 1)
  if (!plainLine.test(paragraph) || paragraph.startsWith('```')) return null
  const text = paragraph
    .slice(0, 1000)
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[`*]+|__/g, '')
    .replace(/\s+/g, ' ')
  const sentence = /^.*?[.!?](?= |$)/.exec(text)?.[0] ?? ''
  const words = sentence.split(' ').length
  return words >= 6 && sentence.length <= 240 ? sentence : null
}

const code = /`{1,2}([^`\n]{3,60})`{1,2}/g
const symbol = new RegExp(
  String.raw`^(--[a-z][\w-]+|\$[a-zA-Z]\w+|[A-Za-z_]\w*(\.\w+)+|[A-Za-z_]\w*_\w+` +
    String.raw`|[a-z]+[A-Z]\w*)(?=(\(\))?$)`,
)

/** Returns names in code spans: flags, operators, dotted names, snake_case and camelCase. */
function symbols(body: string): string[] {
  const names = [...body.matchAll(code)].map(([, span]) => symbol.exec(span!.trim())?.[0])
  return [...new Set(names.filter((name) => name !== undefined))]
}

const markdownLink = /(?<!!)\[([^\]\n]{3,100})\]\(([^)\s]{1,300})(?:[^\S\n][^)\n]{0,300})?\)/g

function linksOf({ path, text, markup }: PageRow): SelfLink[] {
  if (markup !== 'markdown') return []
  return [...text.matchAll(markdownLink)].flatMap(([, label, target]) => {
    const question = label!.replace(/[`*]+/g, '').trim()
    return isTelling(question) ? [{ question, from: path, target: target! }] : []
  })
}

/** Selects by hash, so that a question stays in the sample when other questions change. */
function sample(questions: SelfQuestion[], limit: number): SelfQuestion[] {
  const order = (it: SelfQuestion) => sha256(`${it.kind} ${it.question} ${it.url}`)
  const ordered = questions
    .map((question) => ({ question, key: order(question) }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ question }) => question)
  const kinds = [...Map.groupBy(ordered, ({ kind }) => kind).values()]
  const taken: SelfQuestion[] = []
  for (let i = 0; taken.length < limit && kinds.some((kind) => i < kind.length); i++) {
    for (const kind of kinds) if (i < kind.length && taken.length < limit) taken.push(kind[i]!)
  }
  return taken
}

type SelfLink = { question: string; from: string; target: string }

function questionsFromLinks(
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

/** Returns the linked page's path without parts that sites omit, or null for other sites. */
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

/** Returns the first section with this anchor, or with a title that produces this anchor. */
function sectionAt(page: SelfPage, anchor: string): SelfPage['sections'][number] | undefined {
  const own = anchorsOf(page)
  const places = [own.byAnchor.get(anchor), own.bySlug.get(anchor.toLowerCase())]
  return page.sections[Math.min(...places.map((place) => place ?? Infinity))]
}

type Anchors = { byAnchor: Map<string, number>; bySlug: Map<string, number> }

const anchorsOf = cached(({ sections }: SelfPage): Anchors => {
  const reversed = sections.map(({ heading }, at) => ({ heading, at })).reverse()
  const anchors = reversed.filter(({ heading }) => heading.anchor !== undefined)
  return {
    byAnchor: new Map(anchors.map(({ heading, at }) => [heading.anchor!, at])),
    bySlug: new Map(reversed.map(({ heading, at }) => [slug(heading.title), at])),
  }
})

/** Derives an anchor from a title as most sites do. */
function slug(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s+/g, '-')
}
