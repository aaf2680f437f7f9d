import { followJob, startJob, type StartedJob, type JobEnd } from '../../library/jobs/start-job.ts'
import type { AddProgress, AddResult } from '../../library/library.ts'
import { OgError } from '../../platform/error.ts'
import { formatCount } from '../../platform/text/count.ts'
import { escapeInline } from '../docs/quote.ts'
import type { Jobs, JobCommand, JobWatch, JobOutcome, JobResult } from '../docs/docs-tool.ts'

type Variables = Readonly<Record<string, string | undefined>>

type RunningJob = { job: Promise<StartedJob>; watchers: Set<JobWatch> }

/**
 * `self` is the command line of this program: the executable or, in development, bun with
 * src/main.ts.
 */
type Launch = { self: readonly string[]; env: Variables; store(): Promise<string> }

export function openJobs({ self, env, store }: Launch): Jobs {
  const runningJobs = new Map<string, RunningJob>()
  const start = async ({ words, library, version }: JobCommand) =>
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

async function watchJob(running: RunningJob, watch: JobWatch): Promise<JobOutcome> {
  running.watchers.add(watch)
  const stopSignal = AbortSignal.any([watch.signal, AbortSignal.timeout(watch.waitMs)])
  try {
    const job = await running.job
    let isSearchable = false
    // Stays false if the library was already searchable. The caller then waits for the end.
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

/** Only the SDK sets this code. A cancelled call has the client's own reason or none. */
function isDisconnected({ reason }: AbortSignal): boolean {
  return (reason as { code?: unknown } | undefined)?.code === 'CONNECTION_CLOSED'
}

/** Maximum number of failed pages in an answer. Its text also contains the total. */
const maxFailed = 5

/**
 * Parses the output of a finished job. Exit code 1 means that some pages or versions failed, and
 * the result lists them.
 * @throws OgError with the job's own error for any other exit code
 */
export function parseJobResult({ exitCode, stdout, notes }: JobEnd): JobResult {
  if (exitCode === 0 || exitCode === 1) {
    const printed: JobResult | AddResult = JSON.parse(stdout)
    return 'results' in printed ? printed : { results: [printed], failures: [] }
  }
  // A hint before the error line belongs to another message.
  const last = notes.slice(
    Math.max(
      0,
      notes.findIndex((line) => line.startsWith('error: ')),
    ),
  )
  const after = (word: string) => last.find((line) => line.startsWith(word))?.slice(word.length)
  const ended = exitCode === null ? 'was killed' : `ended with code ${exitCode}`
  const message = after('error: ') ?? `Indexing ${ended}`
  const hint = after('hint: ')
  throw new OgError(message, hint ? { hint } : {})
}

export function renderJobResult({ results, failures }: JobResult) {
  const lines = [...results.map(renderResult), ...failures.map(renderFailure)]
  const failed = failures.map(({ library, version, error }) => {
    return { library, version, status: 'failed' as const, error }
  })
  const structured = { status: 'done' as const, results: [...results.map(resultOf), ...failed] }
  return { text: lines.join(''), structured }
}

function resultOf(result: AddResult) {
  const { library, version, status, pages, chunks, embedded, failed, incomplete } = result
  const gap = incomplete ? { incomplete } : {}
  return {
    library,
    version,
    status,
    pages,
    chunks,
    embedded,
    failed: failed.slice(0, maxFailed),
    ...gap,
  }
}

function renderResult(result: AddResult): string {
  const { library, version, status, pages, chunks, embedded, failed, incomplete } = result
  const listed = failed.slice(0, maxFailed)
  const lines = listed.map(
    ({ url, reason }) => `Failed: ${escapeInline(url)}: ${escapeInline(reason)}\n`,
  )
  return (
    `${library} ${escapeInline(version)}: ${status}. ${formatCount(pages, 'page')}, ` +
    `${formatCount(chunks, 'chunk')}, ${embedded} embedded now, ` +
    `${formatCount(failed.length, 'page')} failed.\n${lines.join('')}` +
    (!incomplete ? '' : `Incomplete: ${escapeInline(incomplete)}.\n`)
  )
}

function renderFailure({ library, version, error, hint }: JobResult['failures'][number]): string {
  return `${library} ${escapeInline(version)}: failed. ${error}\n${hint ? `hint: ${hint}\n` : ''}`
}

/**
 * Converts progress to one growing number: pages read plus chunks embedded. The total is null until
 * it is known.
 */
export function progressOf({ phase, pages, toEmbed, embedded }: AddProgress) {
  const hasAllPages = phase === 'embedding' || phase === 'indexing'
  const chunks = toEmbed > 0 ? `, ${embedded} of ${toEmbed} chunks` : ''
  return {
    done: pages + embedded,
    total: hasAllPages ? pages + toEmbed : null,
    message: `${phase}, ${formatCount(pages, 'page')}${chunks}`,
  }
}
