/**
 * Which constants of the ranking carry over to a documentation that they were not chosen on:
 * `node scripts/setup.mjs scripts/eval/fit.ts FOLDER`, FOLDER as fit-dump.ts has written it.
 *
 * Printed as JSON: for each library the constants that are best on the mean of the other libraries'
 * sets, and nDCG@10 of its own sets by them (`leftOut`), by the constants in force (`served`), by
 * either lane alone; and the mean of the sets. The formula is that of src/search, page by page:
 * names inside longer questions and copies are not looked at, which moves a set by 0.005 at most.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { printResult } from '../build/result.ts'
import { mean } from '../../src/library/quality/bootstrap.ts'
import { metrics } from '../../src/library/quality/metrics.ts'
import { asksForChanges } from '../../src/search/changes.ts'
import { shareAboveRest } from '../../src/search/fuse.ts'
import { weights } from '../../src/search/weights.ts'
import type { Asked, Found } from './fit-dump.ts'

/** What words count (vectors have the rest), the page in each lane, the page's next passages. */
type Constants = Record<'words' | 'pageWords' | 'pageVectors' | 'evidence', number>
type Sets = Record<string, Asked[]>

const served: Constants = {
  words: weights.text,
  pageWords: weights.pageText,
  pageVectors: weights.pageVector,
  evidence: weights.evidence,
}

/** Every combination of these. */
const tried = {
  words: [0.3, 0.4, 0.5, 0.6, 0.7],
  pageWords: [0.2, 0.3, 0.4, 0.5, 0.6],
  pageVectors: [0.2, 0.3, 0.4, 0.5, 0.6],
  evidence: [0, 0.1, 0.2],
}

function main(folder: string): void {
  const sets: Sets = Object.fromEntries(
    readdirSync(folder).map((file) => [
      file.replace('.json', ''),
      JSON.parse(readFileSync(join(folder, file), 'utf8')),
    ]),
  )
  const names = Object.keys(sets)
  const all = combinations().map((constants) => ({
    constants,
    figures: new Map(names.map((name) => [name, figure(sets[name]!, constants)])),
  }))
  const report = Object.fromEntries(
    names.map((name) => {
      const others = names.filter((other) => libraryOf(other) !== libraryOf(name))
      const meanOf = (it: (typeof all)[number]) =>
        mean(others.map((other) => it.figures.get(other)!))
      const chosen = all.reduce((best, it) => (meanOf(it) > meanOf(best) ? it : best))
      return [
        name,
        {
          questions: sets[name]!.length,
          words: figure(sets[name]!, { ...served, words: 1, evidence: 0 }),
          vectors: figure(sets[name]!, { ...served, words: 0, evidence: 0 }),
          served: figure(sets[name]!, served),
          leftOut: chosen.figures.get(name)!,
          chosen: chosen.constants,
        },
      ]
    }),
  )
  const means = Object.fromEntries(
    (['words', 'vectors', 'served', 'leftOut'] as const).map((arm) => [
      arm,
      mean(Object.values(report).map((it) => it[arm])),
    ]),
  )
  printResult('fit', { ...report, means })
}

/** `tasks-ray` asks the library of `ray`. */
const libraryOf = (set: string) => set.replace('tasks-', '')

function combinations(): Constants[] {
  return tried.words.flatMap((words) =>
    tried.pageWords.flatMap((pageWords) =>
      tried.pageVectors.flatMap((pageVectors) =>
        tried.evidence.map((evidence) => ({ words, pageWords, pageVectors, evidence })),
      ),
    ),
  )
}

function figure(asked: readonly Asked[], constants: Constants): number {
  return mean(asked.map((one) => metrics(one.gold, rankedPages(one, constants)).ndcg10))
}

/** Pages, best first. */
function rankedPages({ question, found }: Asked, constants: Constants): string[] {
  const { words: text, pageWords, pageVectors, evidence } = constants
  const ofText = found.filter(({ bm25 }) => bm25 !== null)
  const best = Math.max(...ofText.map(({ bm25 }) => bm25!))
  const bestPage = Math.max(...ofText.map(({ pageBm25 }) => pageBm25 ?? 0))
  const words = lane(
    ofText,
    null,
    ({ bm25, pageBm25 }) =>
      (1 - pageWords) * (bm25! / best) + pageWords * ((pageBm25 ?? 0) / (bestPage || 1)),
  )
  const ofVectors = found.filter(({ cosine }) => cosine !== null)
  const vectors = lane(
    ofVectors,
    weights.span,
    ({ cosine, pageCosine }) => (1 - pageVectors) * cosine! + pageVectors * (pageCosine ?? cosine!),
  )
  const isWanted = asksForChanges(question)
  const scored = found
    .map((it) => {
      const fused = text * (words.get(it) ?? 0) + (1 - text) * (vectors.get(it) ?? 0)
      return { it, score: fused * (it.isChangelog && !isWanted ? weights.changelog : 1) }
    })
    .sort((a, b) => b.score - a.score)
  const pages = [...Map.groupBy(scored, ({ it }) => it.url)].map(([url, chunks]) => {
    const next = chunks.slice(1, 3).reduce((sum, { score }) => sum + score, 0)
    const tier = Math.min(...chunks.map(({ it }) => it.tier))
    return { url, tier, score: chunks[0]!.score + evidence * next }
  })
  return pages.sort((a, b) => a.tier - b.tier || b.score - a.score).map(({ url }) => url)
}

/** Of the best of a lane, what each is worth. */
function lane(
  found: readonly Found[],
  span: number | null,
  scoreOf: (it: Found) => number,
): Map<Found, number> {
  const scored = found.map((it) => ({ it, score: scoreOf(it) })).sort((a, b) => b.score - a.score)
  const { depth } = weights
  const share = shareAboveRest(scored, { depth, span: span ?? scored[0]?.score ?? 0 })
  return new Map(scored.slice(0, depth).map(({ it, score }) => [it, share(score)]))
}

if (import.meta.main) main(process.argv[2]!)
