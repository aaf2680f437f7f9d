/**
 * Measures whether the text of a search result contains the answer: `npm run eval -- sufficiency`.
 * Searches as the MCP tool does, with its default hit sizes: for the how-to questions of
 * test/eval/sufficiency.jsonl, and for the questions of sufficiency-control.jsonl whose library is
 * in the store. Reports the share of questions whose answer (one of several strings of code) is in
 * the heading or text of the first hit, of the first two and of all five, the same for whole
 * sections, and the mean number of tokens of a result (characters / 4).
 *
 * `npm run eval -- examples` does the same for the questions of examples.jsonl, which ask for an
 * example; there, only the code of a hit counts.
 */
import { readFileSync } from 'node:fs'
import type { Hit } from '../../src/library/library.ts'
import { hitLayout, renderHits } from '../../src/mcp/docs/render.ts'
import type { Og } from '../../src/open.ts'
import { completeInput } from '../../src/operation/operation.ts'
import { search } from '../../src/operation/search.ts'
import { addPackage } from './eval-api.ts'

type Asked = { library: string; question: string; answer: string[] }
type Figures = { one: number; two: number; five: number; tokens: number }

export function sufficiencyQuestions(...paths: string[]): Asked[] {
  const lines = paths.flatMap((path) => readFileSync(path, 'utf8').trim().split('\n'))
  return lines.map((line) => JSON.parse(line))
}

export async function measureSufficiency(
  og: Pick<Og, 'search' | 'list'>,
  asked: readonly Asked[],
  { codeOnly = false } = {},
): Promise<Record<string, { questions: number; shown: Figures; whole: Figures }>> {
  const report: Awaited<ReturnType<typeof measureSufficiency>> = {}
  const indexed = new Set((await og.list()).map(({ library }) => library))
  for (const [library, questions] of Map.groupBy(asked, (it) => it.library)) {
    if (!indexed.has(library)) continue
    const shown = await figuresOf(og, questions, { codeOnly, sizes: hitLayout.sizes })
    const whole = await figuresOf(og, questions, { codeOnly })
    report[library] = { questions: questions.length, shown, whole }
  }
  return report
}

async function figuresOf(
  og: Pick<Og, 'search'>,
  asked: readonly Asked[],
  { codeOnly, sizes }: { codeOnly: boolean; sizes?: readonly number[] },
): Promise<Figures> {
  const [found, missed]: [number[], string[]] = [[], []]
  let characters = 0
  for (const { library, question: query, answer } of asked) {
    const { hits } = await og.search({ query, library, version: null, limit: 5, sizes })
    const searched = ({ heading, text }: Hit) => (codeOnly ? codeOf(text) : `${heading}\n${text}`)
    const at = hits.findIndex((hit) => answer.some((one) => searched(hit).includes(one)))
    if (at === -1 || at > 1) missed.push(`${query} (${at === -1 ? 'not shown' : `hit ${at + 1}`})`)
    if (at !== -1) found.push(at)
    characters += renderHits(hits, { omitted: 0 }).length
  }
  const kind = sizes ? 'sized' : 'whole'
  for (const one of missed) process.stderr.write(`${kind}: not in two hits: ${one}\n`)
  const share = (most: number) => found.filter((at) => at < most).length / asked.length
  const round = (value: number) => Math.round(1000 * value) / 1000
  return {
    one: round(share(1)),
    two: round(share(2)),
    five: round(share(5)),
    tokens: Math.round(characters / 4 / asked.length),
  }
}

/** The lines of a text that are inside fences or indented. */
function codeOf(text: string): string {
  let isFenced = false
  const code = text.split('\n').filter((line) => {
    const isFence = /^\s*(?:`{3}|~{3})/.test(line)
    if (isFence) isFenced = !isFenced
    return !isFence && (isFenced || /^\s{2}/.test(line))
  })
  return code.join('\n')
}

type Fact = Record<'id' | 'package' | 'version' | 'question', string> & {
  must: string[]
  held_out?: true
}
type Result = { id: string; first: boolean; five: boolean; named1: boolean; named5: boolean }

/**
 * Asks about packages as an agent does: `npm run eval -- facts [FILE]`, by default
 * test/eval/facts.jsonl. The client of each registry fetches the packages; one that cannot be
 * fetched is left out. `must` of a question has patterns of the name and of the detail that a
 * sufficient answer shows.
 *
 * - first, five: shares of questions whose first passage, or answer, matches all patterns.
 * - named1, named5: the same for one pattern that the question itself does not match.
 * - tokens: four characters each, of the whole answer.
 * - heldOut: the mean of packages with `held_out`, on which no weight may be chosen.
 */
export async function measureFacts(og: Og, { file, work }: { file: string; work: string }) {
  const facts: Fact[] = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const report: Record<string, unknown> = {}
  const all: (Result & { tokens: number; isHeldOut: boolean })[] = []
  for (const [key, some] of Map.groupBy(facts, (it) => `${it.package}@${it.version}`)) {
    const library = `facts-${key.replace(/\W+/g, '-')}`
    if (!(await addPackage(og, { library, key, work }))) continue
    const results = []
    for (const fact of some) results.push(await ask(og, library, fact))
    report[key] = summaryOf(results)
    const isHeldOut = some[0]!.held_out === true
    all.push(...results.map((result) => ({ ...result, isHeldOut })))
  }
  const heldOut = summaryOf(all.filter((result) => result.isHeldOut))
  return { ...report, heldOut, all: summaryOf(all) }
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
