/**
 * Measures whether search finds the names in a library's documentation: `npm run eval -- names
 * [SET…]`. Samples up to 300 names by hash from the inline code on all pages of a library. Each
 * name is searched alone, in "what does X do", with two letters swapped, and split into words; if
 * several sets are given, also alone across all libraries. `headings` searches for headings that
 * consist of a single name. Reports the share whose first hit shows the name (`first`), the share
 * with the name in one of five hits (`five`), and the share of answers rated weak or withheld
 * (`weak`).
 */
import type { Hit } from '../../src/library/library.ts'
import type { Og } from '../../src/open.ts'
import { exactName } from '../../src/search/name/exact-name.ts'
import { isHeadingOf, titlesIn } from '../../src/search/name/names-first.ts'
import { sha256 } from '../../src/platform/hash.ts'
import { headings } from '../../src/document/headings.ts'

type Asking = Pick<Og, 'search' | 'page' | 'pages'>
export type NameFigures = { names: number; first: number; five: number; weak: number }

const mostNames = 300

/** Measures one indexed library. Returns the figures, by the form of the query. */
export async function measureNames(
  og: Asking,
  library: string,
): Promise<Record<string, NameFigures & { missed: string[] }>> {
  const names = await namesOf(og, library)
  process.stderr.write(`${library}: ${names.length} names\n`)
  return {
    alone: await measured(og, names, { library, ask: (name) => name }),
    sentence: await measured(og, names, { library, ask: (name) => `what does ${name} do` }),
    swapped: await measured(og, names.filter(isLong), { library, ask: withSwap }),
    words: await measured(og, names.filter(hasWords), { library, ask: asWords }),
    beside: await measured(og, names, { library: null, ask: (name) => name }),
    headings: await measureHeadings(og, library),
  }
}

/** Excludes short names, because swapping letters turns them into other names. */
function isLong(name: string): boolean {
  return (name.match(/\p{L}/gu)?.length ?? 0) >= 5
}

/** Returns the name with two neighbouring letters in the middle swapped. */
export function withSwap(name: string): string {
  const pairs = [...name.matchAll(/(?<=\p{L})\p{L}(?=\p{L})/gu)].map(({ index }) => index)
  const differing = pairs.filter((at) => name[at] !== name[at + 1])
  const at = differing[differing.length >> 1]
  if (at === undefined) return name
  return name.slice(0, at) + name[at + 1]! + name[at]! + name.slice(at + 2)
}

/** Excludes file paths, because nobody types a path as words. */
function hasWords(name: string): boolean {
  return !name.includes('/') && asWords(name).includes(' ')
}

/** Returns the words of a name in lower case: `on aux click` for `onAuxClick`. */
export function asWords(name: string): string {
  const words = name.match(/\p{Lu}?\p{Ll}+|\p{Lu}+(?!\p{Ll})|\p{N}+/gu) ?? []
  return words.join(' ').toLowerCase()
}

/**
 * Searches for headings that consist of one name, and checks whether their section is among the
 * hits.
 */
async function measureHeadings(og: Asking, library: string) {
  const names = new Set<string>()
  for (const url of (await og.pages({ library, version: null })).keys()) {
    const { text, markup } = (await og.page({ library, version: null, url }))!
    for (const { title } of headings(text, markup)) {
      const [, name] = /^`?(\p{L}[\w.:-]{3,60})`?$/u.exec(title) ?? []
      if (name && /[._:]\w|\p{Ll}\p{Lu}/u.test(name)) names.add(name)
    }
  }
  const sorted = [...names].sort((a, b) => (sha256(a) < sha256(b) ? -1 : 1)).slice(0, mostNames)
  const ask = (name: string) => name
  const isShown = ({ heading, text: content }: Hit, name: string) =>
    titlesIn({ heading, content }).some((title) => isHeadingOf(title, exactName(name)!))
  return await measured(og, sorted, { library, ask, isShown })
}

/** Samples names by hash, so that the same pages always give the same names. */
async function namesOf(og: Asking, library: string): Promise<string[]> {
  const names = new Set<string>()
  for (const url of (await og.pages({ library, version: null })).keys()) {
    const page = await og.page({ library, version: null, url })
    for (const name of inlineNames(page!.text)) names.add(name)
  }
  return [...names]
    .map((name) => ({ name, key: sha256(name) }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .slice(0, mostNames)
    .map(({ name }) => name)
}

/** Returns the spans in single or double backquotes that consist of one word of code. */
export function inlineNames(text: string): string[] {
  const prose = text.replace(/^([`~]{3,}).*\n(?:.*\n)*?\1.*$/gm, '')
  const spans = [...prose.matchAll(/(?<!`)(`{1,2})([^`\s]{2,60})\1(?!`)/g)].map((it) => it[2]!)
  return spans.filter((span) => /^[@$.-]{0,2}\p{L}[\p{L}\p{N}_.:/@-]*(\(\))?$/u.test(span))
}

type Way = {
  library: string | null
  ask: (name: string) => string
  isShown?: (hit: Hit, name: string) => boolean
}

function showsName({ text }: Hit, name: string): boolean {
  return text.includes(name.replace(/\(\)$/, ''))
}

async function measured(og: Asking, names: string[], { library, ask, isShown = showsName }: Way) {
  let [first, five, weak] = [0, 0, 0]
  const missed: string[] = []
  for (const name of names) {
    const asked = { query: ask(name), library, version: null, limit: 5, judge: true }
    const { hits, doubt } = await og.search(asked)
    const shows = hits.map((hit) => isShown(hit, name))
    if (shows[0]) first++
    if (shows.includes(true)) five++
    else missed.push(name)
    if (doubt !== null) weak++
  }
  const share = (count: number) => Math.round((1000 * count) / names.length) / 1000
  return { names: names.length, first: share(first), five: share(five), weak: share(weak), missed }
}
