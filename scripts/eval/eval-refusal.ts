/**
 * Whether og knows that it does not know: `npm run eval -- refusal`. Every set's questions are
 * asked of every set's library. Reported for each library: `lost`, of its own questions with a gold
 * page among five hits the share that is called weak, and by the name of another set the share of
 * that one's questions that is called weak.
 */
import type { Og } from '../../src/open.ts'
import type { Question } from '../../src/library/quality/metrics.ts'

type Shares = { good: number; lost: number } & Record<string, number>

/** Of libraries that are indexed by the names of their sets. */
export async function measureRefusal(
  og: Pick<Og, 'search'>,
  sets: Record<string, Question[]>,
): Promise<Record<string, Shares>> {
  const report: Record<string, Shares> = {}
  for (const [library, own] of Object.entries(sets)) {
    process.stderr.write(`${library}: asked\n`)
    const ask = (query: string) =>
      og.search({ query, library, version: null, limit: 5, judge: true })
    const good = await those(own, async ({ question, gold }) => {
      const urls = (await ask(question)).hits.map(({ url }) => decodeURIComponent(url))
      return urls.some((url) => gold.some((page) => url.endsWith(`/${page}`)))
    })
    const isWeak = async ({ question }: Question) => (await ask(question)).doubt !== null
    const shares: Shares = { good: good.length, lost: await share(good, isWeak) }
    for (const [name, questions] of Object.entries(sets)) {
      if (name !== library) shares[name] = await share(questions, isWeak)
    }
    report[library] = shares
  }
  return report
}

async function those(questions: Question[], is: (question: Question) => Promise<boolean>) {
  const found: Question[] = []
  for (const question of questions) if (await is(question)) found.push(question)
  return found
}

async function share(questions: Question[], is: (question: Question) => Promise<boolean>) {
  return (await those(questions, is)).length / questions.length
}
