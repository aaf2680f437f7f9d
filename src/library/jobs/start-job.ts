import { createHash } from 'node:crypto'
import { closeSync, mkdirSync, openSync, rmSync } from 'node:fs'
import { readFile, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { signalProcess } from '../../platform/subprocess.ts'
import type { AddProgress } from '../library.ts'
import {
  isRunning,
  jobFiles,
  jobsFolder,
  lockJobs,
  readJob,
  readLog,
  type JobRecord,
  type Job,
} from './job-folder.ts'
import { OgError } from '../../platform/error.ts'
import { writeFileAtomically } from '../../platform/file/files.ts'

export type JobRequest = Pick<JobRecord, 'library' | 'version' | 'words'> & {
  /** The command line of this program: the executable, or bun and src/main.ts in development. */
  self: readonly string[]
  env: Readonly<Record<string, string | undefined>>
  cwd: string
}

/** A job that was started or was already running. `exitCode` is null while the job runs. */
export type StartedJob = { path: string; interrupt(): void; exitCode(): number | null | 'unknown' }

/** The first argument of a job's process (cli/commands/system/job.ts). */
export const jobCommand = '__job'

/**
 * Starts a job in its own session, so that it survives the end of this process, its terminal and
 * its client. Joins a running job with the same arguments in the same folder.
 * @throws OgError if the store cannot be written
 */
export async function startJob(store: string, request: JobRequest): Promise<StartedJob> {
  const path = join(jobsFolder(store), idOf(request))
  using _turn = await lockJobs(store)
  await deleteOldJobs(store)
  const job = isRunning(path) ? await readJob(path) : null
  if (job !== null) {
    const interrupt = () => void (isRunning(path) && signalProcess(job.pid, 'SIGINT'))
    return { ...openJob(path), interrupt }
  }
  rmSync(path, { recursive: true, force: true })
  mkdirSync(path, { recursive: true })
  const child = spawn(path, request)
  // A signal can end the process before it registers as a job that other processes can find.
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null
  while (!hasEnded() && (await readJob(path)) === null) await Bun.sleep(5)
  child.unref()
  return {
    path,
    interrupt: () => child.kill('SIGINT'),
    exitCode: () => child.exitCode ?? (child.signalCode === null ? null : 'unknown'),
  }
}

function spawn(path: string, { self, words, library, version, env, cwd }: JobRequest) {
  const files = [jobFiles.out, jobFiles.log].map((name) => openSync(join(path, name), 'w', 0o600))
  // With `=`, no value is parsed as an option.
  const versionOption = version === null ? [] : [`--version=${version}`]
  const about = [`--folder=${path}`, `--library=${library}`, ...versionOption]
  const child = Bun.spawn([...self, jobCommand, ...about, '--', ...words], {
    cwd,
    env: { ...env, OG_PROGRESS: 'json' },
    stdin: 'ignore',
    stdout: files[0]!,
    stderr: files[1]!,
    // The job has its own process group, so that it survives this process.
    detached: true,
    windowsHide: true,
  })
  files.forEach(closeSync)
  return child
}

/** Includes the reach in the id, so that an agent's job is never a person's job. */
function idOf({ words, env, cwd }: JobRequest): string {
  const text = JSON.stringify([cwd, env.OG_REACH ?? null, words])
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}

/** `exitCode` is null if the job was killed. */
export type JobEnd = { exitCode: number | null; stdout: string; notes: string[] }

/**
 * Reports a job's progress until the job has ended, `isEnough` returns true, or the signal aborts.
 * Returns null if the job is still running.
 */
export async function followJob(
  job: Pick<StartedJob, 'path' | 'exitCode'>,
  {
    onProgress,
    isEnough,
    signal,
  }: {
    onProgress(progress: AddProgress, notes: readonly string[]): void
    isEnough?: (progress: AddProgress) => boolean
    signal: AbortSignal
  },
): Promise<JobEnd | null> {
  const { path } = job
  for (let last = ''; ; ) {
    // Test this first: if the job has ended, the files are complete.
    const code = job.exitCode()
    const { progress, notes } = await readLog(path)
    if (progress !== null && JSON.stringify(progress) !== last) {
      last = JSON.stringify(progress)
      onProgress(progress, notes)
    }
    if (code !== null) {
      const exitCode = code === 'unknown' ? ((await readJob(path))?.exitCode ?? null) : code
      const stdout = await readFile(join(path, jobFiles.out), 'utf8').catch(() => '')
      return { exitCode, stdout, notes }
    }
    if (signal.aborted || (progress !== null && isEnough?.(progress))) return null
    await Bun.sleep(pollMs)
  }
}

const pollMs = 100

export function openJob(path: string): Pick<StartedJob, 'path' | 'exitCode'> {
  return { path, exitCode: () => (isRunning(path) ? null : 'unknown') }
}

/** Stops a job as Ctrl-C does and keeps its embeddings. Waits until the job has ended. */
export async function stopJob({ path, pid, library }: Job): Promise<void> {
  const latest = performance.now() + stopMs
  if (!isRunning(path)) return
  signalProcess(pid, 'SIGINT')
  while (isRunning(path)) {
    if (performance.now() > latest) {
      throw new OgError(`Cannot stop the job of "${library}": process ${pid} is still running`, {
        hint: `kill -9 ${pid}; published versions are not lost`,
      })
    }
    await Bun.sleep(20)
  }
  // A job that does not yet handle signals ends without writing an outcome.
  if ((await readJob(path))?.state !== 'killed') return
  await writeFileAtomically(join(path, jobFiles.outcome), JSON.stringify({ exitCode: interrupted }))
}

/** The exit code for SIGINT. */
const interrupted = 130

const stopMs = 15_000

/** Deletes the folders of jobs that ended more than a week (or `olderMs`) ago. */
export async function deleteOldJobs(store: string, olderMs = jobRetentionMs): Promise<void> {
  const root = jobsFolder(store)
  for (const name of await readdir(root).catch(() => [])) {
    const path = join(root, name)
    const { mtimeMs } = await stat(path)
    if (Math.max(0, Date.now() - mtimeMs) < olderMs || isRunning(path)) continue
    await rm(path, { recursive: true, force: true })
  }
}

/** Time that a job's folder stays after the job has ended. */
const jobRetentionMs = 7 * 24 * 3_600_000
