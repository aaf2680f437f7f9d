/**
 * Whether names that stand in a documentation are found: `npm run eval -- names [SET…]`. Up to 300
 * names of a library's own inline code, sampled by hash over all its pages, are asked alone and in
 * "what does X do", with two letters swapped, and as words, of the library alone and, where several
 * sets are named, of all at once. `headings` asks for headings that are one name. Reported: the
 * share whose first hit shows the name (`first`), of which one of five does (`five`), and which
 * were called weak or withheld (`weak`).
 */
import type { Hit } from '../../src/library/library.ts'
import type { Og } from '../../src/open.ts'
import { sha256 } from '../../src/platform/hash.ts'

type Asking = Pick<Og, 'search' | 'page' | 'pages'>
export type NameFigures = { names: number; first: number; five: number; weak: number }

const mostNames = 300

/** Of one library that is indexed: each way of asking, by its name. */
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

/** Names of fewer letters become other names by a swap. */
function isLong(name: string): boolean {
  return (name.match(/\p{L}/gu)?.length ?? 0) >= 5
}

/** The name with two neighbouring letters in the middle swapped. */
export function withSwap(name: string): string {
  const pairs = [...name.matchAll(/(?<=\p{L})\p{L}(?=\p{L})/gu)].map(({ index }) => index)
  const differing = pairs.filter((at) => name[at] !== name[at + 1])
  const at = differing[differing.length >> 1]
  if (at === undefined) return name
  return name.slice(0, at) + name[at + 1]! + name[at]! + name.slice(at + 2)
}

/** Paths of files are not typed as words. */
function hasWords(name: string): boolean {
  return !name.includes('/') && asWords(name).includes(' ')
}

/** The words of a name in lower case: `on aux click` for `onAuxClick`. */
export function asWords(name: string): string {
  const words = name.match(/\p{Lu}?\p{Ll}+|\p{Lu}+(?!\p{Ll})|\p{N}+/gu) ?? []
  return words.join(' ').toLowerCase()
}

/** Headings that are one name: the share whose section is the first hit, or among five. */
async function measureHeadings(og: Asking, library: string) {
  const names = new Set<string>()
  for (const url of (await og.pages({ library, version: null })).keys()) {
    const page = await og.page({ library, version: null, url })
    for (const [, name] of page!.text.matchAll(
      /^#{1,4} `?(\p{L}[\w.:-]{3,60})`?(?: \{#.*\})?$/gmu,
    )) {
      if (/[._:]|\p{Ll}\p{Lu}/u.test(name!)) names.add(name!)
    }
  }
  const sorted = [...names].sort((a, b) => (sha256(a) < sha256(b) ? -1 : 1)).slice(0, mostNames)
  const ask = (name: string) => name
  const isShown = ({ heading }: Hit, name: string) =>
    heading.split(' > ').at(-1)!.replace(/`/g, '') === name
  return await measured(og, sorted, { library, ask, isShown })
}

/** Always the same ones of the same pages. */
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

/** What stands between backquotes, one or two, and is one word of code. */
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
