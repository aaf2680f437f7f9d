import { followJob, startJob, type StartedJob } from '../../library/jobs/start-job.ts'
import type { AddProgress } from '../../library/library.ts'
import { parseJobResult, type JobResult } from './job-result.ts'

/**
 * Indexing jobs started by agents. Each job is an og process in its own session: it survives the
 * client and this server, and its memory use or a crash cannot harm the server.
 */
export type Jobs = { run(command: Command, watch: Watch): Promise<Outcome> }

type Command = { words: readonly string[]; library: string; version: string | null }

type Watch = {
  /**
   * An abort with `ConnectionClosed` means that the client has disconnected; the job then
   * continues. Any other abort ends the job.
   */
  signal: AbortSignal
  /** How long to wait for the end of the job, in milliseconds. */
  waitMs: number
  onProgress(progress: AddProgress): void
}

/**
 * `running` means that the wait ended before the job did. `searchable` means that the library
 * became searchable during this call and its embeddings are still being computed.
 */
export type Outcome = JobResult | 'running' | 'searchable'

type Variables = Readonly<Record<string, string | undefined>>

type RunningJob = { job: Promise<StartedJob>; watchers: Set<Watch> }

/**
 * `self` is the command line of this program: the executable, or bun and src/main.ts in
 * development.
 */
type Launch = { self: readonly string[]; env: Variables; store(): Promise<string> }

export function openJobs({ self, env, store }: Launch): Jobs {
  const runningJobs = new Map<string, RunningJob>()
  const start = async ({ words, library, version }: Command) =>
    startJob(await store(), { words: [...words], library, version, self, env, cwd: process.cwd() })
  return {
    async run(command, watch) {
      const key = JSON.stringify(command.words)
      const running = runningJobs.get(key) ?? { job: start(command), watchers: new Set() }
      runningJobs.set(key, running)
      try {
        return await watchJob(running, watch)
      } finally {
        if (running.watchers.size === 0) runningJobs.delete(key)
      }
    },
  }
}

async function watchJob(running: RunningJob, watch: Watch): Promise<Outcome> {
  running.watchers.add(watch)
  const stopSignal = AbortSignal.any([watch.signal, AbortSignal.timeout(watch.waitMs)])
  try {
    const job = await running.job
    let isSearchable = false
    // Stays false if the library was searchable at the start; the caller then waits for the end.
    let isNewlySearchable: boolean | null = null
    const end = await followJob(job, {
      signal: stopSignal,
      onProgress(progress) {
        isNewlySearchable ??= !progress.isSearchable
        isSearchable = progress.isSearchable
        watch.onProgress(progress)
      },
      isEnough: ({ isSearchable }) => isSearchable && isNewlySearchable === true,
    })
    if (end !== null) return parseJobResult(end)
    const isLast = running.watchers.size === 1
    if (watch.signal.aborted && !isDisconnected(watch.signal) && isLast) job.interrupt()
    return isSearchable && isNewlySearchable === true ? 'searchable' : 'running'
  } finally {
    running.watchers.delete(watch)
  }
}

/** The SDK sets this code. A cancelled call has the client's own reason or none. */
function isDisconnected({ reason }: AbortSignal): boolean {
  return (reason as { code?: unknown } | undefined)?.code === 'CONNECTION_CLOSED'
}
