/**
 * Asks about packages as an agent does: `npm run eval -- facts [FILE]`, by default
 * test/eval/facts.jsonl. The client of each registry fetches the packages; one that cannot be
 * fetched is left out. `must` of a question has patterns of the name and of the detail that a
 * sufficient answer shows.
 *
 * - first, five: shares of questions whose first passage, or answer, matches all patterns.
 * - named1, named5: the same for one pattern that the question itself does not match.
 * - tokens: four characters each, of the whole answer.
 */
import { readFileSync } from 'node:fs'
import type { Og } from '../../src/open.ts'
import { hitLayout, renderHits } from '../../src/mcp/docs/render.ts'
import { search } from '../../src/operation/search.ts'
import { completeInput } from '../../src/operation/operation.ts'
import { addPackage } from './eval-api.ts'

type Fact = { id: string; package: string; version: string; question: string; must: string[] }
type Result = { id: string; first: boolean; five: boolean; named1: boolean; named5: boolean }

export async function measureFacts(og: Og, { file, work }: { file: string; work: string }) {
  const facts: Fact[] = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const report: Record<string, unknown> = {}
  const all: (Result & { tokens: number })[] = []
  for (const [key, some] of Map.groupBy(facts, (it) => `${it.package}@${it.version}`)) {
    const library = `facts-${key.replace(/\W+/g, '-')}`
    if (!(await addPackage(og, { library, key, work }))) continue
    const results = []
    for (const fact of some) results.push(await ask(og, library, fact))
    report[key] = summaryOf(results)
    all.push(...results)
  }
  return { ...report, all: summaryOf(all) }
}

async function ask(og: Og, library: string, { id, question, must }: Fact) {
  const layout = hitLayout
  const project = async () => ({ pins: [], warnings: [] })
  const context = { og, project, knownSources: async () => [], limit: 5, layout }
  const input = completeInput(search.input, { query: question, library })
  const { value } = await search.run(context, input)
  const answer = plain(renderHits(value.hits, { omitted: 0, further: value.further }))
  const first = plain(renderHits(value.hits.slice(0, 1), { omitted: 0 }))
  const patterns = must.map((pattern) => new RegExp(pattern))
  const unsaid = patterns.filter((pattern) => !pattern.test(question))
  const telling = unsaid.length > 0 ? unsaid : patterns
  return {
    id,
    first: patterns.every((pattern) => pattern.test(first)),
    five: patterns.every((pattern) => pattern.test(answer)),
    named1: telling.some((pattern) => pattern.test(first)),
    named5: telling.some((pattern) => pattern.test(answer)),
    tokens: answer.length / 4,
  }
}

/** Removes the backslashes before markup. */
function plain(text: string): string {
  return text.replace(/\\([\\`*_{}[\]<>#+.!|()-])/g, '$1')
}

function summaryOf(results: readonly (Result & { tokens: number })[]) {
  const mean = (value: (result: Result & { tokens: number }) => number) =>
    results.reduce((sum, result) => sum + value(result), 0) / Math.max(1, results.length)
  const share = (key: Exclude<keyof Result, 'id'>) =>
    Math.round(1000 * mean((result) => Number(result[key]))) / 1000
  return {
    questions: results.length,
    ...{ first: share('first'), five: share('five') },
    ...{ named1: share('named1'), named5: share('named5') },
    tokens: Math.round(mean(({ tokens }) => tokens)),
    missed: results.filter(({ named5 }) => !named5).map(({ id }) => id),
  }
}
