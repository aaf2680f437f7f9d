import type { SandboxJob } from './sandbox-message.ts'
import { usageOf } from '../system.ts'

export type SandboxOptions = {
  /** Starts the error message, such as `reading` in `reading it takes longer than 10 s`. */
  doing?: string
  /** Approximate size of the input. Small inputs are sent together. */
  bytes?: number
  answer?: (question: never) => Promise<unknown>
  signal?: AbortSignal | undefined
}

export type SandboxLimits = {
  /** Time limit for a job that computes. A sleeping job gets `patience` times as long. */
  jobMs: number
  /** Memory limit for all child processes combined, excluding shared pages. */
  memoryBytes: number
  startMs: number
  /** Idle child processes end after this time. */
  idleMs: number
  /**
   * If the only process is busy for this long, a second one starts for the same kinds of jobs. An
   * earlier start costs more than it gains. Reserved processes then run other jobs too.
   */
  aloneMs: number
}

export type SandboxTask = SandboxJob & {
  options: SandboxOptions
  tries: number
  /** Time of the job's unanswered question, or null. */
  askedAt: number | null
  isSettled: boolean
  resolve(output: never): void
  reject(error: unknown): void
}

export type SandboxProcess = {
  child: Bun.Subprocess
  /** Batches that were sent, without their finished jobs. The running job is in the first batch. */
  batches: SandboxTask[][]
  /** Latest time at which the running job may have started, plus the time its questions took. */
  since: number
  /** The running job, its CPU time at the first check, and its sleeping time after that check. */
  course: { id: number; cpuMs: number; waitedMs: number } | null
  isReady: boolean
  kind: string | null
  nJobs: number
  fault: { reason: string; isDelay: boolean } | null
}

export type SandboxState = {
  command: string[]
  limits: SandboxLimits
  queue: SandboxTask[]
  workers: SandboxProcess[]
  nJobs: number
  /** Start of the busy period. Pauses of up to `pauseMs` do not end it. */
  busySince: number
  idleSince: number
  isPumping: boolean
  tickTimer: ReturnType<typeof setInterval> | null
  tickedAt: number
  idleTimer: ReturnType<typeof setTimeout> | null
}

/** Interval between checks of time and memory. */
export const tickMs = 100
/** Factor for the time limit of a job that does not compute. */
const patience = 3

export function isIdle({ batches }: SandboxProcess): boolean {
  return batches.length === 0
}

/** Kills each process whose job takes too long, not counting `missedMs`. */
export function enforceTimeLimit({ workers, limits }: SandboxState, missedMs: number): void {
  for (const worker of workers) {
    worker.since += missedMs
    const [job] = worker.batches[0] ?? []
    if (job) follow(worker, job)
    const fault = job && worker.fault === null ? delayOf(worker, limits) : null
    if (fault !== null) killProcess(worker, { reason: fault, isDelay: true })
  }
}

function delayOf(worker: SandboxProcess, { jobMs, startMs }: SandboxLimits): string | null {
  const ms = performance.now() - worker.since
  if (!worker.isReady) {
    return ms > startMs ? `its process does not start within ${startMs / 1000} s` : null
  }
  const batch = worker.batches[0]!
  const isLate = ms > jobMs && isSlow(worker, jobMs)
  if (!isLate || batch.some(({ askedAt }) => askedAt !== null)) return null
  return `${doing(worker)} it takes longer than ${jobMs / 1000} s`
}

/**
 * True if a late job itself is slow. On a busy machine, a job gets only a share of the processors,
 * so only its CPU time and sleeping time count. All time counts if these are unknown.
 */
function isSlow({ child, course }: SandboxProcess, jobMs: number): boolean {
  const usage = usageOf(child.pid)
  if (usage === null || course === null) return true
  return usage.cpuMs - course.cpuMs > jobMs - 2 * tickMs || course.waitedMs > patience * jobMs
}

function follow(worker: SandboxProcess, { id, askedAt }: SandboxTask): void {
  const { cpuMs = 0, isWaiting = false } = usageOf(worker.child.pid) ?? {}
  if (worker.course?.id !== id) worker.course = { id, cpuMs, waitedMs: 0 }
  else if (isWaiting && askedAt === null) worker.course.waitedMs += tickMs
}

function doing({ batches }: SandboxProcess): string {
  return batches[0]?.[0]?.options.doing ?? 'working on'
}

/** If the memory limit is exceeded, kills an idle process or, if all are busy, the largest one. */
export function enforceMemoryLimit({ workers, limits: { memoryBytes } }: SandboxState): void {
  const sizes = workers
    .filter(({ fault }) => fault === null)
    .map((worker) => ({ worker, bytes: usageOf(worker.child.pid)?.bytes ?? 0 }))
  if (sizes.reduce((sum, { bytes }) => sum + bytes, 0) <= memoryBytes) return
  const order = ({ worker, bytes }: (typeof sizes)[0]) => (isIdle(worker) ? Infinity : bytes)
  const [{ worker }] = sizes.sort((a, b) => order(b) - order(a)) as [(typeof sizes)[0]]
  const reason = `${doing(worker)} it takes over ${Math.round(memoryBytes / 1e6)} MB of memory`
  killProcess(worker, { reason, isDelay: false })
}

/** Kills a process; its jobs are retried. */
export function killProcess(
  worker: SandboxProcess,
  fault: NonNullable<SandboxProcess['fault']>,
): void {
  worker.fault = fault
  worker.child.kill('SIGKILL')
}
