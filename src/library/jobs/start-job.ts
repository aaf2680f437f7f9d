import { createHash } from 'node:crypto'
import { closeSync, mkdirSync, openSync, rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { lockExclusive } from '../../platform/lock.ts'
import type { AddProgress } from '../library.ts'
import { forgetOldJobs } from './end-job.ts'
import { isRunning, jobFiles, jobsFolder, readJob, readLog, type JobRecord } from './job-folder.ts'

/** What a job runs: `og` with these words, in this folder and environment. */
export type JobWish = Pick<JobRecord, 'library' | 'version' | 'words'> & {
  /** How to run this program: the executable, in development bun and src/main.ts. */
  self: readonly string[]
  env: Readonly<Record<string, string | undefined>>
  cwd: string
}

/** A job that was started or found running; `exitCode` is null as long as it runs. */
export type StartedJob = { path: string; interrupt(): void; exitCode(): number | null | 'unknown' }

/** The command that a job's process begins with; `cli/commands/system/job.ts` has it. */
export const jobCommand = '__job'

/**
 * Starts a job in a session of its own, so that it goes on when this process, its terminal and its
 * client are gone. The same words from the same folder are one job: where it runs, it is joined.
 * @throws OgError where the store cannot be written
 */
export async function startJob(store: string, wish: JobWish): Promise<StartedJob> {
  const path = join(jobsFolder(store), idOf(wish))
  using _turn = await lockExclusive(join(store, 'locks', 'jobs'), {
    timeoutMs: 60_000,
    what: `the jobs of ${store}`,
    pollMs: 10,
  })
  await forgetOldJobs(store)
  const job = isRunning(path) ? await readJob(path) : null
  if (job !== null) return joined(path, job.pid)
  rmSync(path, { recursive: true, force: true })
  mkdirSync(path, { recursive: true })
  const child = spawn(path, wish)
  // Others may look for it from now on.
  while (child.exitCode === null && (await readJob(path)) === null) await Bun.sleep(5)
  child.unref()
  return {
    path,
    interrupt: () => child.kill('SIGINT'),
    exitCode: () => child.exitCode ?? (child.signalCode === null ? null : 'unknown'),
  }
}

function joined(path: string, pid: number): StartedJob {
  return {
    path,
    interrupt: () => void (isRunning(path) && process.kill(pid, 'SIGINT')),
    exitCode: () => (isRunning(path) ? null : 'unknown'),
  }
}

function spawn(path: string, { self, words, library, version, env, cwd }: JobWish) {
  const files = [jobFiles.out, jobFiles.log].map((name) => openSync(join(path, name), 'w', 0o600))
  // No value is taken for an option.
  const named = version === null ? [] : [`--version=${version}`]
  const about = [`--folder=${path}`, `--library=${library}`, ...named]
  const child = Bun.spawn([...self, jobCommand, ...about, '--', ...words], {
    cwd,
    env: { ...env, OG_PROGRESS: 'json' },
    stdin: 'ignore',
    stdout: files[0]!,
    stderr: files[1]!,
    // Not in our process group: what ends us does not end the job.
    detached: true,
    windowsHide: true,
  })
  files.forEach(closeSync)
  return child
}

/** Who may read what is part of it: a job of an agent is none of a person. */
function idOf({ words, env, cwd }: JobWish): string {
  const text = JSON.stringify([cwd, env.OG_REACH ?? null, words])
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}

/** How a job ended: `exitCode` is null where it was killed. */
export type JobEnd = { exitCode: number | null; stdout: string; notes: string[] }

/**
 * Tells the progress of a job until it has ended, `isEnough` of its progress, or the signal aborts;
 * null: it goes on.
 */
export async function followJob(
  job: Pick<StartedJob, 'path' | 'exitCode'>,
  {
    onProgress,
    isEnough,
    signal,
  }: {
    onProgress(progress: AddProgress): void
    isEnough?: (progress: AddProgress) => boolean
    signal: AbortSignal
  },
): Promise<JobEnd | null> {
  const { path } = job
  for (let told = ''; ; ) {
    // Asked first: what it leaves is whole once it has ended.
    const code = job.exitCode()
    const { progress, notes } = await readLog(path)
    if (progress !== null && JSON.stringify(progress) !== told) {
      told = JSON.stringify(progress)
      onProgress(progress)
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

/** A job that another process has started, by its folder. */
export function jobAt(path: string): Pick<StartedJob, 'path' | 'exitCode'> {
  return { path, exitCode: () => (isRunning(path) ? null : 'unknown') }
}
