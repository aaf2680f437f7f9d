import { loadConfig } from '../../../config/load.ts'
import { readLog } from '../../../library/jobs/job-folder.ts'
import { followJob, startJob, type StartedJob } from '../../../library/jobs/start-job.ts'
import type { AddProgress, AddResult } from '../../../library/library.ts'
import { OgError } from '../../../platform/error.ts'
import { jsonText } from '../../../platform/json.ts'
import { renderSummary } from '../../answer/summary.ts'
import { commandOptions, type OperationInput } from '../../../operation/choice.ts'
import { ownLaunchCommand } from '../../clients/client.ts'
import type { Context } from '../../context.ts'
import { showProgress } from '../../progress.ts'

/** `name`: the library that the job indexes, if the user typed a package, a URL or a path. */
type Detached = { name?: string | null; options: readonly string[]; json: boolean }

/**
 * Runs an add as a job. Returns when the library version can be searched, or with the job's result
 * if the job ends first. Before that, Ctrl-C ends the job. @returns the exit code
 */
export async function addDetached(
  context: Context,
  { library, ...input }: DetachedInput,
  { name = library, options, json }: Detached,
): Promise<number> {
  await using og = await context.openOg(await loadConfig(context.env), { needsBucket: true })
  const { dbPath: store } = await og.places()
  const names = library === null ? [] : ['--', library]
  const { command, args } = ownLaunchCommand([])
  const about = { library: name ?? allIncomplete, json }
  const job = await startJob(store, {
    ...about,
    version: input.version,
    words: ['add', '--json', ...commandOptions(input), ...options, ...names],
    self: [command, ...args],
    env: context.env,
    cwd: process.cwd(),
  })
  const isEnough = ({ isSearchable }: AddProgress) => isSearchable
  const exitCode = await waitForJob(context, job, { ...about, isEnough })
  const signal = context.interruption()
  if (exitCode !== null || !signal.aborted) return exitCode ?? 0
  job.interrupt()
  throw signal.reason
}

type DetachedInput = { library: string | null; version: string | null } & OperationInput

const allIncomplete = 'all that is incomplete'

/**
 * Shows the progress of a job until it ends, `isEnough` returns true, or the user presses Ctrl-C.
 * @returns the exit code of the job, or null if the job continues
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
  let latest: AddProgress | null = null
  const end = await followJob(job, {
    signal: context.interruption(),
    onProgress(told) {
      latest = told
      progress.report(told)
    },
    ...(isEnough ? { isEnough } : {}),
  })
  progress[Symbol.dispose]()
  if (end !== null) return await printJobOutput(context, { ...end, library, json })
  if (context.interruption().aborted) return null
  const { version, pages } = latest!
  const isOne = library !== allIncomplete
  for (const note of (await readLog(job.path)).notes) terminal.note('plain', note)
  if (json) await terminal.write(jsonText({ library, version, status: 'searchable', pages }))
  else if (isOne) {
    await terminal.write(`${library} ${version}: can be asked now; its embeddings follow\n`)
  } else await terminal.write('The embeddings of all that is incomplete follow\n')
  terminal.note('hint', `og jobs ${isOne ? `${library} ` : ''}--follow shows how far they are`)
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
