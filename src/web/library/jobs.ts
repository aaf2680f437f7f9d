import { basename } from 'node:path'
import { userPaths } from '../../config/paths.ts'
import { stopJob, startJob, type JobRequest } from '../../library/jobs/start-job.ts'
import { readJobs, readLog, type Job } from '../../library/jobs/job-folder.ts'
import { checkMayAdd, checkVisible, parseNameToAdd } from '../../library/sources/add-command.ts'
import { commandOptions } from '../../operation/field.ts'
import { remove, rollback } from '../../operation/library.ts'
import { OgError } from '../../platform/error.ts'
import { formatCount } from '../../platform/text/count.ts'
import { action, redirect, safeHeaders } from '../frame.ts'
import { html, htmlText, type Html } from '../html.ts'
import type { Route, PageContent, Visit, Ingest } from '../visit.ts'

export const jobRoutes: readonly Route[] = [
  { method: 'GET', path: '/jobs/events', answer: async (visit) => events(visit) },
  { method: 'POST', path: '/libraries/add', answer: addLibrary },
  { method: 'POST', path: '/libraries/update', answer: updateLibrary },
  { method: 'POST', path: '/libraries/resume', answer: resumeLibrary },
  { method: 'POST', path: '/libraries/rollback', answer: rollBack },
  { method: 'GET', path: '/libraries/remove', answer: async (visit) => askRemoval(visit) },
  { method: 'POST', path: '/libraries/remove', answer: removeLibrary },
  { method: 'POST', path: '/jobs/stop', answer: stop },
]

/** Maximum wait for another process that writes the library version, in seconds. */
const lockSeconds = 10

/** @throws OgError if this server is read-only */
function ingestOf({ ingest }: Visit): Ingest {
  if (ingest !== null) return ingest
  throw new OgError('This server is read-only: it cannot change libraries', {
    code: 'denied',
    hint: 'start it with og serve --allow-ingest to allow changes',
  })
}

function field({ form }: Visit, name: string): string {
  return (form.get(name) ?? '').trim()
}

async function addLibrary(visit: Visit): Promise<Response> {
  const ingest = ingestOf(visit)
  const [name = '', source = '', typed = ''] = ['library', 'source', 'version'].map((name) =>
    field(visit, name),
  )
  const { library, version } = parseNameToAdd({ library: name, source, version: typed || null })
  if (library === '') throw new OgError('Cannot add: the library has no name')
  if (visit.right.visitor !== null) await checkMayAdd(visit, { library, source })
  if (source) await ingest.checkSource(source)
  const words = ['add', ...commandOptions({ source, version })]
  return startJobOf(visit, { library, version, words })
}

async function updateLibrary(visit: Visit): Promise<Response> {
  const [library, version] = [field(visit, 'library'), field(visit, 'version')]
  return startJobOf(visit, { library, version, words: ['update', ...commandOptions({ version })] })
}

async function resumeLibrary(visit: Visit): Promise<Response> {
  const [library, version] = [field(visit, 'library'), field(visit, 'version')]
  const words = ['add', '--resume', ...commandOptions({ version })]
  return startJobOf(visit, { library, version, words })
}

async function startJobOf(
  visit: Visit,
  { words: [command = '', ...words], ...about }: Pick<JobRequest, 'library' | 'version' | 'words'>,
): Promise<Response> {
  const { self, env } = ingestOf(visit)
  checkVisible(visit.canSee, { library: about.library, command })
  const { dbPath } = await visit.og.places()
  const all = [command, '--json', ...words, '--', about.library]
  await startJob(dbPath, { ...about, words: all, self, env, cwd: process.cwd() })
  return redirect('/libraries')
}

async function rollBack(visit: Visit): Promise<Response> {
  ingestOf(visit)
  const [library, version] = [field(visit, 'library'), field(visit, 'version')]
  await rollback.run(visit, { library, version, lock_timeout: lockSeconds })
  return redirect('/libraries')
}

function askRemoval(visit: Visit): PageContent {
  ingestOf(visit)
  const [library = '', version = ''] = ['library', 'version'].map(
    (name) => visit.params.get(name) ?? '',
  )
  const button = { path: '/libraries/remove', name: `Remove ${library} ${version}` }
  const main = html`<div class="libraries">
<h1>Remove ${library} ${version}?</h1>
<p>Its pages and embeddings are deleted from this machine.</p>
<div class="doing">${action(visit, button, { library, version })}
<a href="/libraries">Keep it</a></div>
</div>`
  return { title: `Remove ${library} ${version}`, main, place: 'libraries' }
}

async function removeLibrary(visit: Visit): Promise<Response> {
  const { env } = ingestOf(visit)
  const [library, version] = [field(visit, 'library'), field(visit, 'version')]
  const input = { library, version, all: false, lock_timeout: lockSeconds }
  const context = { og: visit.og, confirm: async () => true, lists: userPaths(env).lists() }
  await remove.run(context, input)
  return redirect('/libraries')
}

async function stop(visit: Visit): Promise<Response> {
  ingestOf(visit)
  const { dbPath } = await visit.og.places()
  const job = (await readJobs(dbPath)).find(
    ({ path, library }) => basename(path) === field(visit, 'job') && visit.canSee(library),
  )
  if (job === undefined) {
    throw new OgError('The job no longer exists', { code: 'absent' })
  }
  await stopJob(job)
  return redirect('/libraries')
}

/**
 * Renders the jobs of libraries that the visitor can see. Finished jobs are folded, except a failed
 * job without a later job for the same library.
 */
export async function jobList(visit: Visit): Promise<Html> {
  const { dbPath } = await visit.og.places()
  const all = await readJobs(dbPath)
  const jobs = all.filter(({ library }) => visit.canSee(library)).slice(0, mostJobs)
  const running = jobs.filter(({ state }) => state === 'running').length
  const isLatest = ({ library, path }: Job) =>
    all.find((other) => other.library === library)?.path === path
  const isShown = (job: Job) => job.state === 'running' || (job.state !== 'done' && isLatest(job))
  const lines = (some: readonly Job[]) => Promise.all(some.map((job) => jobLine(visit, job)))
  const finished = jobs.filter((job) => !isShown(job))
  const folded =
    finished.length > 0 &&
    html`<details><summary>${formatCount(finished.length, 'finished job')}</summary>
<ul class="jobs">${await lines(finished)}</ul></details>`
  return html`<ul class="jobs" data-running="${running}">${await lines(jobs.filter(isShown))}</ul>
${folded}`
}

const mostJobs = 5

async function jobLine(visit: Visit, job: Job): Promise<Html> {
  const { library, version, state, progress, path, words } = job
  const { phase, pages = 0, embedded = 0, toEmbed = 0 } = progress ?? {}
  const isRunning = state === 'running'
  const said = isRunning || state === 'done' ? [] : (await readLog(path)).notes
  const error = said.find((line) => line.startsWith('error: '))?.slice('error: '.length)
  const chunks = toEmbed > 0 ? `, ${embedded} of ${toEmbed} chunks` : ''
  const far = isRunning && pages > 0 && `${formatCount(pages, 'page')}${chunks}`
  const bar =
    isRunning &&
    toEmbed > 0 &&
    html`<progress max="${toEmbed}" value="${embedded}" aria-label="embedded"></progress>`
  return html`<li><span class="name">${words[0]} ${library} ${version}</span>
<span class="badge ${state}">${isRunning && phase ? phase : state}</span>
${far} ${bar} ${error}
${
  isRunning &&
  visit.ingest !== null &&
  action(visit, { path: '/jobs/stop', name: 'Stop' }, { job: basename(path) })
}</li>
`
}

/** Sends the job list as server-sent events whenever it changes. */
function events(visit: Visit): Response {
  const gone = new AbortController()
  const signal = AbortSignal.any([visit.request.signal, visit.closing, gone.signal])
  const encoder = new TextEncoder()
  async function tell(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    for (let told = ''; !signal.aborted; await Bun.sleep(pollMs)) {
      const text = htmlText(await jobList(visit))
      if (text === told || signal.aborted) continue
      told = text
      const lines = text.split('\n').map((line) => `data: ${line}\n`)
      controller.enqueue(encoder.encode(`${lines.join('')}\n`))
    }
    if (!gone.signal.aborted) controller.close()
  }
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => void tell(controller).catch((error) => controller.error(error)),
    cancel: () => gone.abort(),
  })
  return new Response(body, { headers: { ...safeHeaders, 'Content-Type': 'text/event-stream' } })
}

const pollMs = 300
