/**
 * Whether names that stand in a documentation are found: `npm run eval -- names [SET…]`. Up to 300
 * names of a library's own inline code, sampled by hash over all its pages, are asked alone and in
 * "what does X do", of the library alone and, where several sets are named, of all at once.
 * Reported: the share whose first hit shows the name (`first`), of which one of five does
 * (`five`), and which were called weak or withheld (`weak`).
 */
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
    beside: await measured(og, names, { library: null, ask: (name) => name }),
  }
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

type Way = { library: string | null; ask: (name: string) => string }

async function measured(og: Asking, names: string[], { library, ask }: Way) {
  let [first, five, weak] = [0, 0, 0]
  const missed: string[] = []
  for (const name of names) {
    const asked = { query: ask(name), library, version: null, limit: 5, judge: true }
    const { hits, doubt } = await og.search(asked)
    const shows = hits.map(({ text }) => text.includes(name.replace(/\(\)$/, '')))
    if (shows[0]) first++
    if (shows.includes(true)) five++
    else missed.push(name)
    if (doubt !== null) weak++
  }
  const share = (count: number) => Math.round((1000 * count) / names.length) / 1000
  return { names: names.length, first: share(first), five: share(five), weak: share(weak), missed }
}
