/**
 * Measures searches that do not name a library: `npm run eval -- beside [SET…]`. Each question of
 * every set searches all libraries of the store at once, including libraries that were added by
 * hand. Reports the share whose first hit is in the set's own library (`first`), the share with a
 * gold page among five hits (`five`), and the latter if only the set's own library is searched
 * (`alone`).
 */
import type { Question } from '../../src/library/quality/evaluate.ts'
import type { Og } from '../../src/open.ts'

type Asked = { library: string; questions: readonly Question[] }
export type BesideFigures = { questions: number; first: number; five: number; alone: number }

export async function measureBeside(
  og: Pick<Og, 'search' | 'pages' | 'list'>,
  sets: Record<string, Asked>,
): Promise<Record<string, BesideFigures>> {
  const report: Record<string, BesideFigures> = {}
  const all = (await og.list()).map(({ library }) => library).join(',')
  for (const [name, { library, questions }] of Object.entries(sets)) {
    const pages = [...(await og.pages({ library, version: null })).values()]
    let [first, five, alone] = [0, 0, 0]
    for (const { question: query, gold } of questions) {
      const urls = new Set(
        pages.filter(({ path }) => gold.some((end) => isEnd(path, end))).map(({ url }) => url),
      )
      const asked = { query, version: null, limit: 5 }
      const beside = (await og.search({ ...asked, library: all })).hits
      const own = (await og.search({ ...asked, library })).hits
      if (beside[0]?.library === library) first++
      if (beside.some((hit) => hit.library === library && urls.has(hit.url))) five++
      if (own.some(({ url }) => urls.has(url))) alone++
    }
    const share = (count: number) => Math.round((1000 * count) / questions.length) / 1000
    report[name] = {
      questions: questions.length,
      first: share(first),
      five: share(five),
      alone: share(alone),
    }
  }
  return report
}

function isEnd(path: string, end: string): boolean {
  return path === end || path.endsWith(`/${end}`)
}
