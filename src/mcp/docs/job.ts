import { OgError } from '../../platform/error.ts'
import type { AddProgress, AddResult } from '../../library/library.ts'

/**
 * Indexing that an agent asked for. Each job is another og in a session of its own, so that it
 * goes on when the client, and this server with it, are gone, and so that neither its memory nor
 * a crash of it are the server's.
 */
export type Jobs = {
  /** Starts the command, or attaches to the job that runs it already. */
  run(argv: readonly string[], watch: Watch): Promise<JobOutcome>
}

export type Watch = {
  /** Aborted with `ConnectionClosed` the client is gone, and the job goes on; else it is ended. */
  signal: AbortSignal
  /** How long to wait for the end; milliseconds. */
  waitMs: number
  onProgress(progress: AddProgress): void
}

/** What was done, and what of several could not be; `null`: it is still running. */
export type JobOutcome = Done | null

export type Done = { results: AddResult[]; failures: Failure[] }

type Failure = { library: string; version: string; error: string; hint?: string | null }

type Variables = Readonly<Record<string, string | undefined>>

type Job = {
  ended: Promise<Done>
  watchers: Set<Watch>
  progress: AddProgress | null
  interrupt(): void
}

/** @param self how to run this program: the executable, in development bun and src/main.ts. */
export function openJobs(self: readonly string[], env: Variables): Jobs {
  const jobs = new Map<string, Job>()
  return {
    async run(argv, watch) {
      const key = JSON.stringify(argv)
      const job = jobs.get(key) ?? startJob([...self, ...argv], env)
      jobs.set(key, job)
      void job.ended.catch(() => {}).finally(() => jobs.delete(key))
      return await watchJob(job, watch)
    },
  }
}

async function watchJob(job: Job, watch: Watch): Promise<JobOutcome> {
  const over = Promise.withResolvers<null>()
  const timer = setTimeout(() => over.resolve(null), watch.waitMs)
  const stop = () => {
    job.watchers.delete(watch)
    if (!isGone(watch.signal) && job.watchers.size === 0) job.interrupt()
    over.resolve(null)
  }
  watch.signal.addEventListener('abort', stop, { once: true })
  job.watchers.add(watch)
  // Cancelled before it came to this: nothing else will tell.
  if (watch.signal.aborted) stop()
  if (job.progress !== null) watch.onProgress(job.progress)
  try {
    return await Promise.race([job.ended, over.promise])
  } finally {
    clearTimeout(timer)
    watch.signal.removeEventListener('abort', stop)
    job.watchers.delete(watch)
  }
}

/** The SDK's name of the reason; a cancelled call has the client's own words, or none. */
function isGone({ reason }: AbortSignal): boolean {
  return (reason as { code?: unknown } | undefined)?.code === 'CONNECTION_CLOSED'
}

function startJob(command: string[], env: Variables): Job {
  const child = Bun.spawn(command, {
    env: { ...env, OG_PROGRESS: 'json' },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    // Not in our process group: what ends the server does not end the job.
    detached: true,
    windowsHide: true,
  })
  const watchers = new Set<Watch>()
  const job: Job = {
    watchers,
    progress: null,
    interrupt: () => child.kill('SIGINT'),
    ended: Promise.all([
      child.exited,
      new Response(child.stdout).text(),
      readNotes(child.stderr, (progress) => {
        job.progress = progress
        for (const watch of watchers) watch.onProgress(progress)
      }),
    ]).then(([exitCode, stdout, notes]) => resultOf(exitCode, stdout, notes)),
  }
  return job
}

/** Progress is JSON on lines of its own; the other lines are for people. */
async function readNotes(
  stderr: ReadableStream<Uint8Array>,
  onProgress: (progress: AddProgress) => void,
): Promise<string[]> {
  const notes: string[] = []
  const decoder = new TextDecoder()
  let rest = ''
  for await (const bytes of stderr) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n')
    rest = lines.pop()!
    for (const line of lines) {
      if (line.startsWith('{"phase"')) onProgress(JSON.parse(line))
      else if (notes.length < 100) notes.push(line)
    }
  }
  return notes
}

/** Exit code 1: done, but some pages failed; the result says which. */
function resultOf(exitCode: number | null, stdout: string, notes: string[]): Done {
  if (exitCode === 0 || exitCode === 1) {
    const printed: Done | AddResult = JSON.parse(stdout)
    return 'results' in printed ? printed : { results: [printed], failures: [] }
  }
  // A hint before it is about something else.
  const last = notes.slice(Math.max(0, notes.findIndex((line) => line.startsWith('error: '))))
  const after = (word: string) => last.find((line) => line.startsWith(word))?.slice(word.length)
  const message = after('error: ') ?? `Indexing ended with code ${exitCode}`
  const hint = after('hint: ')
  throw new OgError(message, hint ? { hint } : {})
}
