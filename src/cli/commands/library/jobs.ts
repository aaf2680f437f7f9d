import { loadConfig } from '../../../config/load.ts'
import { embeddedShare } from '../../../library/incomplete.ts'
import {
  stopJob,
  openJob,
  jobCommand,
  followJob,
  startJob,
  type StartedJob,
} from '../../../library/jobs/start-job.ts'
import { readJobs, type Job, registerJob } from '../../../library/jobs/job-folder.ts'
import type { AddProgress, AddResult } from '../../../library/library.ts'
import { OgError } from '../../../platform/error.ts'
import { jsonText } from '../../../platform/json.ts'
import { formatCount } from '../../../platform/text/count.ts'
import { renderTable } from '../../screen/layout.ts'
import { command, option } from '../../command.ts'
import type { Context } from '../../context.ts'
import type { Terminal } from '../../terminal.ts'
import { renderProgress, showProgress } from '../../progress.ts'
import { jsonOption } from '../../operation-options.ts'
import { renderSummary } from '../../answer/summary.ts'
import { commandOptions, type OperationInput } from '../../../operation/field.ts'
import { ownLaunchCommand } from '../../clients/client.ts'

export const jobs = command({
  name: 'jobs',
  summary: 'list, follow and stop background indexing jobs',
  positionals: {
    library: { doc: 'only jobs of this library', optional: true, suggest: 'library' },
  },
  options: {
    follow: option.flag('show the progress of a job until it ends'),
    stop: option.flag('end running jobs and keep their embeddings'),
    json: jsonOption,
  },
  async run(context, { library, follow, stop, json }) {
    if (follow && stop) throw new OgError('--follow cannot be used with --stop')
    await using og = await context.openOg(await loadConfig(context.env))
    const { dbPath } = await og.places()
    const all = (await readJobs(dbPath)).filter(
      (job) => library === null || job.library.toLowerCase() === library.toLowerCase(),
    )
    const running = all.filter(({ state }) => state === 'running')
    if (stop) return await stopAll(context, running, json)
    if (follow) return await followNewest(context, [...running, ...all], json)
    if (json) await context.terminal.write(jsonText(all.map(jobJson)))
    else if (all.length > 0) {
      await context.terminal.write(renderJobs(all, context.terminal.width()))
    } else context.terminal.note('plain', 'No jobs.')
    return 0
  },
})

async function stopAll({ terminal }: Context, running: Job[], json: boolean): Promise<number> {
  await Promise.all(running.map(stopJob))
  const stopped = await Promise.all(running.map(async (job) => ({ ...job, state: 'stopped' })))
  if (json) await terminal.write(jsonText(stopped.map(jobJson)))
  else terminal.note('plain', `Stopped ${formatCount(stopped.length, 'job')}.`)
  return 0
}

async function followNewest(
  context: Context,
  [newest]: readonly Job[],
  json: boolean,
): Promise<number> {
  if (newest === undefined) throw new OgError('No job to follow', { exitCode: 1 })
  const { path, library } = newest
  const end = await waitForJob(context, openJob(path), { library, json })
  return end ?? 130
}

/** Returns the object for `--json`. The names and order of its fields are stable. */
function jobJson(job: Omit<Job, 'state'> & { state: string }) {
  const { library, version, state, progress, startedAt, pid, exitCode, words } = job
  return {
    library,
    version: progress?.version ?? version,
    state,
    phase: progress?.phase ?? null,
    pages: progress?.pages ?? 0,
    chunks: progress?.chunks ?? 0,
    to_embed: progress?.toEmbed ?? 0,
    embedded: progress?.embedded ?? 0,
    is_searchable: progress?.isSearchable ?? false,
    started_at: startedAt,
    pid: state === 'running' ? pid : null,
    exit_code: exitCode,
    command: words,
  }
}

function renderJobs(all: readonly Job[], width: number | null): string {
  const rows = all.map(({ library, version, state, progress, startedAt }) => [
    library,
    progress?.version ?? version ?? '-',
    state,
    progress === null ? '-' : howFar(progress, state),
    `${startedAt.slice(0, 16).replace('T', ' ')}Z`,
  ])
  return renderTable([['LIBRARY', 'VERSION', 'STATE', 'PROGRESS', 'STARTED'], ...rows], width)
}

function howFar(progress: AddProgress, state: Job['state']): string {
  if (state === 'done') return `${formatCount(progress.pages, 'page')}`
  const { embedded, toEmbed: chunks } = progress
  const share = chunks > 0 ? `, ${embeddedShare({ embedded, chunks })} embedded` : ''
  return renderProgress({ ...progress, toEmbed: 0, chunks: 0 }, 0) + share
}

export const job = command({
  name: jobCommand,
  summary: 'run a command as the job of a folder',
  hidden: true,
  positionals: { words: { doc: 'the command', variadic: true } },
  options: {
    folder: option.text('DIR', 'folder of the job', { required: true }),
    library: option.text('NAME', 'what is indexed', { required: true }),
    version: option.text('VERSION', 'which version of it'),
  },
  async run(context, { folder, library, version, words }) {
    const registration = await registerJob(folder, { library, version, words: [...words] })
    const { run } = await import('../../run.ts')
    const exitCode = await run(words, context)
    await registration.end(exitCode)
    return exitCode
  },
})

/** `name` is the library if the user typed a package, URL or path. */
type Detached = { name?: string | null; options: readonly string[]; json: boolean }

/**
 * Runs `og add` as a job. Returns when the library version is searchable or the job has ended.
 * Until then, Ctrl-C ends the job. @returns the exit code
 */
export async function addDetached(
  context: Context,
  { library, ...input }: DetachedInput,
  { name = library, options, json }: Detached,
): Promise<number> {
  const about = { library: name ?? allIncomplete, json }
  const job = await startAddJob(context, { library, ...input }, { name, options })
  const isEnough = ({ isSearchable }: AddProgress) => isSearchable
  const exitCode = await waitForJob(context, job, { ...about, isEnough })
  const signal = context.interruption()
  if (exitCode !== null || !signal.aborted) return exitCode ?? 0
  job.interrupt()
  throw signal.reason
}

type DetachedInput = { library: string | null; version: string | null } & OperationInput

/** If `library` is null, the job resumes all incomplete libraries (`--resume`). */
export async function startAddJob(
  context: Context,
  { library, ...input }: DetachedInput,
  { name = library, options }: Pick<Detached, 'name' | 'options'>,
): Promise<StartedJob> {
  await using og = await context.openOg(await loadConfig(context.env), { needsBucket: true })
  const { dbPath: store } = await og.places()
  const names = library === null ? [] : ['--', library]
  const { command, args } = ownLaunchCommand([])
  return startJob(store, {
    library: name ?? allIncomplete,
    version: input.version,
    words: ['add', '--json', ...commandOptions(input), ...options, ...names],
    self: [command, ...args],
    env: context.env,
    cwd: process.cwd(),
  })
}

/**
 * Ends an add whose new version is searchable, so that a job can compute the remaining embeddings:
 * when the user presses Enter, or immediately if `atOnce` is set. `signal` also aborts on Ctrl-C.
 * The cache keeps computed embeddings.
 */
export function openHandover(
  { terminal, interruption }: Pick<Context, 'terminal' | 'interruption'>,
  { atOnce }: { atOnce: boolean },
): Handover {
  const left = new AbortController()
  const leave = () => left.abort(new Error('its embeddings are left to a job'))
  let wasSearchable: boolean | null = null
  let isOffered = false
  return {
    signal: AbortSignal.any([interruption(), left.signal]),
    isLeft: () => left.signal.aborted && !interruption().aborted,
    report({ isSearchable, phase, version }, library) {
      wasSearchable ??= isSearchable
      if (isOffered || wasSearchable || !isSearchable || phase !== 'embedding') return
      isOffered = true
      if (atOnce) return leave()
      if (!terminal.canAsk) return
      const offer = 'press Enter to compute its embeddings in the background'
      terminal.note('plain', `${library} ${version}: searchable now; ${offer}`)
      void nextLine(terminal).then((line) => line !== null && leave())
    },
  }
}

export type Handover = {
  signal: AbortSignal
  isLeft(): boolean
  report(progress: AddProgress, library: string): void
}

async function nextLine(terminal: Pick<Terminal, 'lines'>): Promise<string | null> {
  for await (const line of terminal.lines()) return line
  return null
}

const allIncomplete = 'all incomplete libraries'

/**
 * Shows the progress of a job until it ends, `isEnough` returns true, or the user presses Ctrl-C.
 * @returns the exit code of the job, or null if it continues
 */
export async function waitForJob(
  context: Context,
  job: Pick<StartedJob, 'path' | 'exitCode'>,
  {
    library,
    json,
    isEnough,
  }: { library: string; json: boolean; isEnough?: (progress: AddProgress) => boolean },
): Promise<number | null> {
  const { terminal } = context
  using progress = showProgress(terminal, { label: library })
  let latest: (AddProgress & { notes: readonly string[] }) | null = null
  const end = await followJob(job, {
    signal: context.interruption(),
    onProgress(now, notes) {
      latest = { ...now, notes }
      progress.report(now)
    },
    ...(isEnough ? { isEnough } : {}),
  })
  progress[Symbol.dispose]()
  if (end !== null) return await printJobOutput(context, { ...end, library, json })
  if (context.interruption().aborted) return null
  const { version, pages, notes } = latest!
  const isOne = library !== allIncomplete
  for (const note of notes) terminal.note('plain', note)
  if (json) await terminal.write(jsonText({ library, version, status: 'searchable', pages }))
  else if (isOne) {
    await terminal.write(`${library} ${version}: searchable now; its embeddings follow\n`)
  } else await terminal.write('The embeddings of all incomplete libraries follow\n')
  terminal.note('hint', `og jobs ${isOne ? `${library} ` : ''}--follow shows their progress`)
  return null
}

type JobOutput = { exitCode: number | null; stdout: string; notes: string[] }

async function printJobOutput(
  { terminal }: Context,
  { exitCode, stdout, notes, library, json }: JobOutput & { library: string; json: boolean },
): Promise<number> {
  for (const note of notes) terminal.note('plain', note)
  if (exitCode === null) {
    throw new OgError(`The job of "${library}" was killed`, {
      hint: 'og add --resume continues with the published part',
    })
  }
  if (exitCode > 1) return exitCode
  await terminal.write(json ? stdout : renderResults(JSON.parse(stdout)))
  return exitCode
}

function renderResults(done: AddResult | { results: AddResult[] }): string {
  return ('results' in done ? done.results : [done]).map(renderSummary).join('')
}
