import { lineAt, linesOf, type Lines } from '../../chunk/line.ts'
import { headings, type Heading } from '../../page/headings.ts'
import type { Page } from '../../page/page.ts'
import { sha256 } from '../../platform/hash.ts'
import type { PageRow } from '../../store/pages/page-table.ts'
import { linkQuestions, type SelfLink } from './self-links.ts'

export type SelfKind = 'heading' | 'sentence' | 'link' | 'symbol'

/** A question from the library's own text, and the lines that answer it; 1-based, inclusive. */
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
 * Makes questions with known answers from a library's own pages, without a language model: from
 * headings, first sentences of sections, texts of links to a section or page, and names in code.
 * Each leads to exactly one section. Returns at most `limit`, equally many of each kind, and always
 * the same ones for the same pages.
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
  for (const question of linkQuestions(links, linkable)) keepUnique(byKey, question)
  return sample(
    [...byKey.values()].filter((question) => question !== null),
    limit,
  )
}

/** A question that several sections answer has no single answer, so it is dropped. */
function keepUnique(byKey: Map<string, SelfQuestion | null>, question: SelfQuestion): void {
  const key = `${question.kind} ${question.question.toLowerCase()}`
  const other = byKey.get(key)
  if (other === undefined) byKey.set(key, question)
  else if (other?.url !== question.url || other.startLine !== question.startLine) {
    byKey.set(key, null)
  }
}

function selfPage({ url, path, text, markup }: PageRow): SelfPage {
  const lines = linesOf(text)
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

/** Whether a title identifies its section; "Example" and "3.2" do not. */
function isTelling(title: string): boolean {
  if (/\p{Ll}\p{Lu}/u.test(title)) return true
  const first = /\p{L}{3}/u.exec(title)
  const last = [...title.matchAll(/\p{L}(?=\p{L})/gu)].at(-1)
  if (first === null || last === undefined) return false
  return /[\s_$.-]/.test(title.slice(first.index + first[0].length, last.index))
}

const plainLine = /^[\p{Lu}"'`*_[]/u

/**
 * Returns the first sentence of the section without markup; null if the section does not begin with
 * prose.
 */
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

/** Chooses by hash, so that a question stays in the sample when other questions change. */
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
