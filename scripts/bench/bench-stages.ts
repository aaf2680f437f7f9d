/**
 * Times the stages of `og add` and of `og query` with the lines that OG_DEBUG=1 prints. The queries
 * after the first one of a process are read from stdin, so they show a warm search.
 */
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { OgError } from '../../src/platform/error.ts'
import type { FigureTable } from '../build/figure-tables.ts'

type Places = { og: string; docs: string; work: string; runs: number }
/** A traced step, with the milliseconds since the start of the process. */
type Step = { name: string; atMs: number }
type Stage = { name: string; ms: number }
type StageFigures = { cold: Stage[]; warm: Stage[]; add: Step[] }

const questions = [
  'how do I declare a path parameter',
  'how do I run work after the response is sent',
  'upload a file',
  'how do I test an endpoint',
  'add a header to the response',
  'how do I connect a database',
]

export async function benchStages({ og, docs, work, runs }: Places): Promise<StageFigures> {
  const home = join(work, 'home-stages')
  rmSync(home, { recursive: true, force: true })
  mkdirSync(home, { recursive: true })
  const run = (args: string[], stdin = '') => stepsOf([og, ...args], { home, stdin })
  // Unpacks the native libraries, which only the first start does.
  await run(['query', questions[0]!]).catch(() => {})
  const add = await run(['add', 'fastapi', '-s', docs])
  const [cold, warm]: Stage[][][] = [[], []]
  for (let i = 0; i < runs; i++) {
    const [first, ...later] = splitQueries(
      await run(['query', '-', '-l', 'fastapi'], questions.join('\n')),
    )
    cold!.push(stagesOf(first!, 0))
    // The second query is slower, because the compiler works at the same time.
    for (const steps of later.slice(1)) warm!.push(stagesOf(steps.slice(1), steps[0]!.atMs))
  }
  return { cold: medians(cold!), warm: medians(warm!), add: firstTimes(add) }
}

/** Runs a command and returns its traced steps. @throws OgError if it fails */
async function stepsOf(
  command: string[],
  { home, stdin }: { home: string; stdin: string },
): Promise<Step[]> {
  const env = { PATH: process.env.PATH, HOME: home, OG_DEBUG: '1' }
  const child = Bun.spawn(command, {
    env,
    cwd: home,
    stdin: new Blob([stdin]),
    stdout: 'ignore',
    stderr: 'pipe',
  })
  const text = await new Response(child.stderr).text()
  if ((await child.exited) !== 0) {
    throw new OgError(`Cannot run ${command.join(' ')}: exit code ${child.exitCode}: ${text}`)
  }
  return [...text.matchAll(/^\[og +([\d.]+) ms\] ((?:[^\s=]+(?: |$))+)/gm)].map(([, ms, name]) => ({
    name: name!.trim(),
    atMs: Number(ms),
  }))
}

/** Splits the steps of a process after the last step of each query. */
function splitQueries(steps: readonly Step[]): Step[][] {
  const queries: Step[][] = []
  let start = 0
  steps.forEach(({ name }, i) => {
    if (name !== 'judge hits') return
    // A later query starts at the end of the one before it.
    queries.push(steps.slice(start, i + 1))
    start = i
  })
  return queries
}

/** Converts points in time to durations; a repeated step counts as one stage. */
function stagesOf(steps: readonly Step[], startMs: number): Stage[] {
  const sums = new Map<string, number>()
  let last = startMs
  for (const { name, atMs } of steps) {
    sums.set(name, (sums.get(name) ?? 0) + atMs - last)
    last = atMs
  }
  return [...sums].map(([name, ms]) => ({ name, ms }))
}

/** Returns the phases of an add and its first publication; it publishes several generations. */
function firstTimes(steps: readonly Step[]): Step[] {
  const own = steps.filter(({ name }) => /^(?:load natives|finish .*|publish .*)$/.test(name))
  return own.filter(({ name }, i) => own.findIndex((it) => it.name === name) === i)
}

function medians(samples: readonly Stage[][]): Stage[] {
  return samples[0]!.map(({ name }) => {
    const times = samples.flatMap((stages) => stages.find((it) => it.name === name)?.ms ?? [])
    return { name, ms: times.sort((a, b) => a - b)[Math.floor(times.length / 2)]! }
  })
}

/** Rows: stages of a query; columns: the first query of a process, and later ones. */
export function queryStageTable({ cold, warm }: StageFigures): FigureTable {
  const rows = cold.map(({ name, ms }) => {
    const later = warm.find((it) => it.name === name)
    return [name, `${ms.toFixed(1)} ms`, later === undefined ? '' : `${later.ms.toFixed(1)} ms`]
  })
  const sum = (stages: Stage[]) => `${stages.reduce((all, { ms }) => all + ms, 0).toFixed(1)} ms`
  return {
    columns: ['new process', 'later query'],
    rows: [...rows, ['together', sum(cold), sum(warm)]],
  }
}

export function addStageTable({ add }: StageFigures): FigureTable {
  return {
    columns: ['after the start'],
    rows: add.map(({ name, atMs }) => [name, `${(atMs / 1000).toFixed(2)} s`]),
  }
}
