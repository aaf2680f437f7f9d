/**
 * Measures German and French queries on English documentation: `npm run eval -- translated`. The
 * queries are the 40 questions about four libraries in test/eval/translated.jsonl, and headings of
 * FastAPI's own translations: up to 200 per language, sampled by hash, each with the English page
 * of the same path as its gold page. Reports, for each language and library, the share with a gold
 * page among five hits (`five`) and the share rated weak; for the questions, also in English.
 */
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Og } from '../../src/open.ts'
import { sha256 } from '../../src/platform/hash.ts'

type Asked = { library: string; query: string; gold: readonly string[] }
type TranslatedFigures = { questions: number; five: number; weak: number; missed: string[] }
type Translated = { library: string; en: string; de: string; fr: string; gold: string[] }

const languages = ['en', 'de', 'fr'] as const
const mostHeadings = 200

/** The libraries must be indexed. `folder` contains FastAPI's English pages. */
export async function measureTranslated(
  og: Pick<Og, 'search'>,
  { questions, folder }: { questions: string; folder: string },
): Promise<Record<string, Record<string, TranslatedFigures>>> {
  const all: Translated[] = readFileSync(questions, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const report: Record<string, Record<string, TranslatedFigures>> = {}
  for (const language of languages) {
    const asked = all.map((one) => ({ ...one, query: one[language] }))
    const figures: Record<string, TranslatedFigures> = {}
    for (const [library, mine] of Map.groupBy(asked, (one) => one.library)) {
      figures[library] = await measured(og, mine)
    }
    figures.all = await measured(og, asked)
    if (language !== 'en') figures.headings = await measured(og, headings(folder, language))
    report[language] = figures
  }
  return report
}

async function measured(
  og: Pick<Og, 'search'>,
  asked: readonly Asked[],
): Promise<TranslatedFigures> {
  let [five, weak] = [0, 0]
  const missed: string[] = []
  for (const { library, query, gold } of asked) {
    const asking = { query, library, version: null, limit: 5, judge: true }
    const { hits, doubt } = await og.search(asking)
    const urls = hits.map(({ url }) => decodeURIComponent(url))
    const isFound = urls.some((url) => gold.some((page) => url.endsWith(`/${page}`)))
    if (isFound) five++
    else missed.push(query)
    if (doubt !== null) weak++
  }
  const share = (count: number) => Math.round((1000 * count) / asked.length) / 1000
  return { questions: asked.length, five: share(five), weak: share(weak), missed }
}

/**
 * Samples headings of translated pages that have an English page; the sample is always the same.
 */
function headings(english: string, language: string): Asked[] {
  const folder = join(english, '..', '..', language, 'docs')
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (path) => path.endsWith('.md') && existsSync(join(english, path)),
  )
  const all = paths.flatMap((path) => {
    const prose = readFileSync(join(folder, path), 'utf8').replace(/^(`{3,}).*\n(?:.*\n)*?\1/gm, '')
    return [...prose.matchAll(/^#{1,3} +(.+?) *(?:\{.*\})?$/gm)].map(([, query]) => ({
      library: 'fastapi',
      query: query!.replace(/[`*]/g, ''),
      gold: [path],
    }))
  })
  return all
    .map((asked) => ({ asked, key: sha256(asked.gold + asked.query) }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .slice(0, mostHeadings)
    .map(({ asked }) => asked)
}
