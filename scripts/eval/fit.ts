/**
 * Measures which ranking constants also suit documentation that they were not chosen on: `node
 * scripts/setup.mjs scripts/eval/fit.ts FOLDER`, with a FOLDER written by fit-dump.ts.
 *
 * Prints JSON. Each set has the constants with the best mean over the other libraries' sets
 * (`chosen`), and its nDCG@10 with them (`leftOut`), with the current constants (`served`) and with
 * each lane alone; `means` contains the means over all sets. The script ranks pages with the
 * formula of src/search, but ignores names inside longer questions and duplicates, which changes a
 * set by at most 0.005.
 */
import { mean } from '../../src/search/confidence.ts'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { printResult } from '../build/result.ts'
import { metrics } from '../../src/library/quality/evaluate.ts'
import { asksForChanges } from '../../src/search/changes.ts'
import { toShare } from '../../src/search/fuse.ts'
import { weights } from '../../src/search/weights.ts'
import type { Asked, Found } from './fit-dump.ts'

/**
 * Weights of the full-text lane (the vector lane has the rest), of the page score in each lane, and
 * of the next passages of the page.
 */
type Constants = Record<'words' | 'pageWords' | 'pageVectors' | 'evidence', number>
type Sets = Record<string, Asked[]>

const served: Constants = {
  words: weights.text,
  pageWords: weights.pageText,
  pageVectors: weights.pageVector,
  evidence: weights.evidence,
}

/** Values to try, in all combinations. */
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

/** `tasks-ray` searches the library of `ray`. */
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

/** Returns page URLs, best first. */
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

/** Maps the best chunks of a lane to the share that each of them contributes (`shareAboveRest`). */
function lane(
  found: readonly Found[],
  span: number | null,
  scoreOf: (it: Found) => number,
): Map<Found, number> {
  const scored = found.map((it) => ({ it, score: scoreOf(it) })).sort((a, b) => b.score - a.score)
  const { depth } = weights
  const share = toShare(scored, { depth, span: span ?? scored[0]?.score ?? 0 })
  return new Map(scored.slice(0, depth).map(({ it, score }) => [it, share(score)]))
}

if (import.meta.main) main(process.argv[2]!)
