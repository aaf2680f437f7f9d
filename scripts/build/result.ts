import { spawnSync } from 'node:child_process'
import { availableParallelism, cpus, loadavg } from 'node:os'
import { join } from 'node:path'

/** Figures of `npm run bench` or `npm run eval`, with the place and time of their measurement. */
export type Result = {
  name: string
  /** ISO 8601, UTC. */
  date: string
  processor: string
  threads: number
  /** Load average of the last minute before the measurement. */
  load: number
  /** Ends in `-dirty` if there were uncommitted changes. */
  commit: string
  figures: unknown
}

const root = join(import.meta.dirname, '../..')
// Read when the script starts, because the measurement itself raises it.
const loadAtStart = loadavg()[0]!

/** Prints a result as JSON on stdout, for `npm run docs -- --figures FILE`. */
export function printResult(name: string, figures: unknown): void {
  const commit = ['describe', '--always', '--dirty', '--exclude=*', '--abbrev=8']
  const result: Result = {
    name,
    date: new Date().toISOString(),
    processor: cpus()[0]?.model.trim() ?? process.arch,
    threads: availableParallelism(),
    load: Math.round(loadAtStart * 10) / 10,
    commit: spawnSync('git', commit, { cwd: root, encoding: 'utf8' }).stdout.trim(),
    figures,
  }
  process.stdout.write(`${JSON.stringify(result, null, 2)}\n`)
}
