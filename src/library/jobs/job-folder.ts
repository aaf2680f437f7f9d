import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseJsonOrUndefined } from '../../platform/json.ts'
import { writeFileAtomically } from '../../platform/file/files.ts'
import { createLockFile, lockExclusive, tryLockShared, type Lock } from '../../platform/lock.ts'
import type { LockRequest, VersionName } from '../lock.ts'
import { isTraceLine } from '../../platform/trace.ts'
import type { AddProgress } from '../library.ts'

export type JobRecord = {
  library: string
  version: string | null
  words: string[]
  pid: number
  startedAt: string
}

/** `killed` means that the job ended without writing an outcome. */
type JobState = 'running' | 'done' | 'failed' | 'stopped' | 'killed'

export type Job = JobRecord & {
  path: string
  state: JobState
  progress: AddProgress | null
  /** Null while the job runs, or if it was killed. */
  exitCode: number | null
}

/**
 * The files of a job, in `jobs/<id>` of the store: `job.json` (a `JobRecord`), `alive`, which the
 * process locks, `log` (its stderr: messages, and progress as JSON lines), `out` (its stdout) and,
 * after its end, `outcome.json`.
 */
export const jobFiles = {
  record: 'job.json',
  alive: 'alive',
  log: 'log',
  out: 'out',
  outcome: 'outcome.json',
} as const

export function jobsFolder(store: string): string {
  return join(store, 'jobs')
}

/** Returns all known jobs, newest first. */
export async function readJobs(store: string): Promise<Job[]> {
  const names = await readdir(jobsFolder(store)).catch(() => [])
  const jobs = await Promise.all(names.map((name) => readJob(join(jobsFolder(store), name))))
  return jobs.filter((job) => job !== null).sort((a, b) => (a.startedAt < b.startedAt ? 1 : -1))
}

export async function readJob(path: string): Promise<Job | null> {
  const record = await readJson<Partial<JobRecord>>(join(path, jobFiles.record))
  if (!isRecord(record)) return null
  // Test the lock first: if it is free, the files are complete.
  const running = isRunning(path)
  const outcome = await readJson<{ exitCode: number }>(join(path, jobFiles.outcome))
  const exitCode = running ? null : (outcome?.exitCode ?? null)
  const { progress } = await readLog(path)
  return { ...record, path, progress, exitCode, state: running ? 'running' : stateOf(exitCode) }
}

/** True for a job's record. A folder with other content is not a job. */
function isRecord(value: Partial<JobRecord> | null): value is JobRecord {
  if (typeof value !== 'object' || value === null) return false
  const { library, version, words, pid, startedAt } = value
  const isNamed = typeof library === 'string' && (version === null || typeof version === 'string')
  return (
    isNamed &&
    Array.isArray(words) &&
    Number.isSafeInteger(pid) &&
    pid! > 1 &&
    typeof startedAt === 'string'
  )
}

function stateOf(exitCode: number | null): JobState {
  if (exitCode === null) return 'killed'
  if (exitCode === 0 || exitCode === 1) return 'done'
  return signalCodes.includes(exitCode) ? 'stopped' : 'failed'
}

/** The exit codes for SIGHUP, SIGINT and SIGTERM. */
const signalCodes = [129, 130, 143]

/** Waits for the lock that is required to create or delete a job's folder. */
export function lockJobs(
  store: string,
  { lockTimeoutMs = 60_000, ...waiting }: Partial<Omit<LockRequest, keyof VersionName>> = {},
): Promise<Lock> {
  const options = { ...waiting, timeoutMs: lockTimeoutMs, what: `the jobs of ${store}`, pollMs: 10 }
  return lockExclusive(join(store, 'locks', 'jobs'), options)
}

/** True if a job's process is running. The kernel releases its lock when the process ends. */
export function isRunning(path: string): boolean {
  const alive = join(path, jobFiles.alive)
  if (!existsSync(alive)) return false
  using free = tryLockShared(alive)
  return free === null && existsSync(alive)
}

/** Registers this process as the job of a folder until `end` is called. */
export async function registerJob(
  path: string,
  record: Omit<JobRecord, 'pid' | 'startedAt'>,
): Promise<{ end(exitCode: number): Promise<void> }> {
  const alive = join(path, jobFiles.alive)
  createLockFile(alive)
  // Another process may hold the lock briefly to test it.
  const lock = await lockExclusive(alive, { timeoutMs: 10_000, what: `job ${path}`, pollMs: 5 })
  const { pid } = process
  const job: JobRecord = { ...record, pid, startedAt: new Date().toISOString() }
  await writeFileAtomically(join(path, jobFiles.record), JSON.stringify(job))
  return {
    async end(exitCode) {
      await writeFileAtomically(join(path, jobFiles.outcome), JSON.stringify({ exitCode }))
      lock[Symbol.dispose]()
    },
  }
}

export async function readLog(
  path: string,
): Promise<{ progress: AddProgress | null; notes: string[] }> {
  const log = Bun.file(join(path, jobFiles.log))
  const text = await log
    .slice(Math.max(0, log.size - logBytes))
    .text()
    .catch(() => '')
  // Skips an unfinished last line.
  const lines = text.split('\n').slice(0, -1)
  const progressLine = lines.filter((line) => line.startsWith(progressStart)).at(-1)
  const notes = lines.filter((line) => !line.startsWith(progressStart) && !isTraceLine(line))
  return {
    progress: (parseJsonOrUndefined(progressLine ?? '') ?? null) as AddProgress | null,
    notes,
  }
}

const progressStart = '{"phase"'
const logBytes = 256 * 1024

/** Returns null if the file is missing or incomplete. */
async function readJson<T>(path: string): Promise<T | null> {
  return (parseJsonOrUndefined(await readFile(path, 'utf8').catch(() => '')) ?? null) as T | null
}
