import { withoutPageExtension } from '../../page/formats.ts'
import { decodePercent } from '../percent.ts'
import { trimCharacters } from '../../platform/text/trim.ts'

export type LlmsFilePart = { url: string; path: string; text: string }

/**
 * The number of characters of a list item that are searched for its link, which is at the
 * beginning.
 */
const maxItem = 2000

export function parseLlmsLinks(text: string, base: string): string[] {
  const links = proseLines(text).flatMap(({ line, isCode }) => {
    const item = /^\s*[-*+]\s+(?!\s)(.*)$/.exec(line.slice(0, maxItem))?.[1]
    if (isCode || item === undefined) return []
    return (
      /\[(?:[^\][]|\[[^\]]{0,200}\])*\]\(\s*<?([^)\s>]+)/.exec(item)?.[1] ??
      /^<?(https?:\/\/[^\s>]+)/.exec(item)?.[1] ??
      []
    )
  })
  const urls = links
    .filter((typed) => URL.canParse(typed, base))
    .map((typed) => {
      const url = new URL(typed, base)
      url.hash = ''
      return url.href
    })
  return [...new Set(urls)].filter((url) => /^https?:/.test(url))
}

/**
 * The pages of an llms-full.txt, which contains many pages one after another. Each begins with its
 * URL (`Source: https://…` below its title, or `url:` in front matter), otherwise with a heading of
 * level 1.
 */
export function splitLlmsFull(text: string, base: string): LlmsFilePart[] {
  const lines = proseLines(text)
  const starts = [...sourcedStarts(lines, base), ...frontMatterStarts(lines, base)]
  const cuts = starts.length > 0 ? starts.sort((a, b) => a.at - b.at) : titledStarts(lines, base)
  const first = cuts[0]?.at ?? lines.length
  const lead = lines.slice(0, first).some(({ line }) => line.trim() !== '')
  const all = lead ? [{ at: 0, url: base }, ...cuts] : cuts
  const parts = all.map(({ at, url }, i) => {
    const own = lines.slice(at, all[i + 1]?.at).map(({ line }) => line)
    return { url, path: partPath(url), text: `${own.join('\n').trim()}\n` }
  })
  return mergeParts(parts)
}

type Line = { line: string; isCode: boolean }
type Start = { at: number; url: string }

function proseLines(text: string): Line[] {
  let fence = ''
  return text.split('\n').map((line) => {
    const mark = /^\s*(`{3,}|~{3,})/.exec(line)?.[1] ?? ''
    const wasCode = fence !== ''
    if (!wasCode) fence = mark
    else if (mark[0] === fence[0] && mark.length >= fence.length && line.trim() === mark) fence = ''
    return { line, isCode: wasCode || fence !== '' }
  })
}

const sourceLine =
  /^(?:\*\*)?(?:Source|URL)(?::\*\*|\*\*:|:)\s*<?(https?:\/\/[^\s>]+|\/[^\s>]+)>?\s*$/i

function sourcedStarts(lines: Line[], base: string): Start[] {
  return lines.flatMap(({ line, isCode }, i) => {
    const typed = sourceLine.exec(line)?.[1]
    if (isCode || typed === undefined || !URL.canParse(typed, base)) return []
    const above = [1, 2].find((up) => /^#\s/.test(lines[i - up]?.line ?? ''))
    return [{ at: above === undefined ? i : i - above, url: new URL(typed, base).href }]
  })
}

/** Pages that begin with front matter: `---`, fields including `url:`, `---`. */
function frontMatterStarts(lines: Line[], base: string): Start[] {
  return lines.flatMap(({ line, isCode }, i) => {
    if (isCode || line.trim() !== '---') return []
    const end = lines.slice(i + 1, i + 40).findIndex((after) => after.line.trim() === '---')
    const fields = lines.slice(i + 1, i + 1 + end).map((field) => field.line)
    if (end < 1 || !fields.every((field) => /^(\s|[\w-]+:|-\s|$)/.test(field))) return []
    const typed = fields.map((field) => /^url:\s*["']?([^\s"']+)/.exec(field)?.[1]).find(Boolean)
    return typed && URL.canParse(typed, base) ? [{ at: i, url: new URL(typed, base).href }] : []
  })
}

function titledStarts(lines: Line[], base: string): Start[] {
  const titles = lines.flatMap(({ line, isCode }, at) => {
    const title = isCode ? undefined : /^#\s+(?!\s)(.+)$/.exec(line)?.[1]
    return title === undefined ? [] : [{ at, title }]
  })
  const seen = new Map<string, number>()
  return titles.map(({ at, title }) => {
    const words = title.toLowerCase().match(/[\p{L}\p{N}]+/gu)
    const slug = words?.join('-') ?? 'page'
    const count = (seen.get(slug) ?? 0) + 1
    seen.set(slug, count)
    const name = count > 1 ? `${slug}-${count}` : slug
    return { at, url: titles.length > 1 ? `${base}#${encodeURIComponent(name)}` : base }
  })
}

function partPath(url: string): string {
  const { pathname, hash } = new URL(url)
  const path = trimCharacters(decodePercent(pathname), '/')
  const stem = withoutPageExtension(path)
  return `${stem || 'index'}${decodePercent(hash)}.md`
}

function mergeParts(parts: LlmsFilePart[]): LlmsFilePart[] {
  const byUrl = new Map<string, LlmsFilePart>()
  for (const part of parts) {
    const first = byUrl.get(part.url)
    if (first) first.text += `\n${part.text}`
    else byUrl.set(part.url, part)
  }
  return [...byUrl.values()]
}
