import type { AsideJob } from './aside-message.ts'
import { usageOf } from '../usage.ts'

export type AsideOptions = {
  /** The first word of a job's error message: `reading` in `reading it takes longer than 10 s`. */
  doing?: string
  /** Approximate size of the input; small inputs are sent together. */
  bytes?: number
  /** Answers the questions of the work. */
  answer?: (question: string) => Promise<unknown>
  signal?: AbortSignal | undefined
}

export type AsideLimits = {
  /** Time limit of a job that computes; a job that sleeps has `patience` times as long. */
  jobMs: number
  /** Limit for the memory of all child processes together, without shared pages. */
  memoryBytes: number
  startMs: number
  /** Time without jobs after which the child processes are ended. */
  idleMs: number
  /** Busy time before a second process starts; an earlier start costs more than it gains. */
  aloneMs: number
}

/** A queued or sent job. */
export type Waiting = AsideJob & {
  options: AsideOptions
  tries: number
  /** Time of its unanswered question, or null. */
  askedAt: number | null
  isSettled: boolean
  resolve(output: never): void
  reject(error: unknown): void
}

/** A child process. */
export type Hand = {
  child: Bun.Subprocess
  /** Batches sent, without finished jobs; a job of the first batch is running. */
  batches: Waiting[][]
  /** Latest possible start of the running job, moved forward by the time of its questions. */
  since: number
  /** The running job, its first CPU reading, and the time it has slept since. */
  course: { id: number; cpuMs: number; waitedMs: number } | null
  isReady: boolean
  /** Number of jobs sent to this process. */
  nJobs: number
  fault: { reason: string; isDelay: boolean } | null
}

/** The state of a sandbox. */
export type Crew = {
  command: string[]
  limits: AsideLimits
  queue: Waiting[]
  hands: Hand[]
  nJobs: number
  /** Start of the busy period; pauses up to `pauseMs` do not end it. */
  busySince: number
  /** Time when the last busy process became idle. */
  idleSince: number
  isPumping: boolean
  ticking: ReturnType<typeof setInterval> | null
  tickedAt: number
  idling: ReturnType<typeof setTimeout> | null
}

/** Interval of the time and memory checks. */
export const tickMs = 100
/** Factor for the time limit of a job that computes nothing. */
const patience = 3

export function isIdle({ batches }: Hand): boolean {
  return batches.length === 0
}

/** Kills each process whose job takes too long, not counting `missedMs`. */
export function boundTime({ hands, limits }: Crew, missedMs: number): void {
  for (const hand of hands) {
    hand.since += missedMs
    const [job] = hand.batches[0] ?? []
    if (job) follow(hand, job)
    const fault = job && hand.fault === null ? delayOf(hand, limits) : null
    if (fault !== null) end(hand, { reason: fault, isDelay: true })
  }
}

function delayOf(hand: Hand, { jobMs, startMs }: AsideLimits): string | null {
  const ms = performance.now() - hand.since
  if (!hand.isReady) {
    return ms > startMs ? `its process does not start within ${startMs / 1000} s` : null
  }
  const batch = hand.batches[0]!
  const isLate = ms > jobMs && isSlow(hand, jobMs)
  if (!isLate || batch.some(({ askedAt }) => askedAt !== null)) return null
  return `${doing(hand)} it takes longer than ${jobMs / 1000} s`
}

/**
 * True if a late job is slow itself. On a busy machine a job gets only a share of the processors,
 * so its CPU time and its sleeping time count. If these are unknown, all time counts.
 */
function isSlow({ child, course }: Hand, jobMs: number): boolean {
  const usage = usageOf(child.pid)
  if (usage === null || course === null) return true
  return usage.cpuMs - course.cpuMs > jobMs - 2 * tickMs || course.waitedMs > patience * jobMs
}

function follow(hand: Hand, { id, askedAt }: Waiting): void {
  const { cpuMs = 0, isWaiting = false } = usageOf(hand.child.pid) ?? {}
  if (hand.course?.id !== id) hand.course = { id, cpuMs, waitedMs: 0 }
  else if (isWaiting && askedAt === null) hand.course.waitedMs += tickMs
}

function doing({ batches }: Hand): string {
  return batches[0]?.[0]?.options.doing ?? 'working on'
}

/** Over the memory limit, kills a process: an idle one, otherwise the largest. */
export function boundMemory({ hands, limits: { memoryBytes } }: Crew): void {
  const sizes = hands
    .filter(({ fault }) => fault === null)
    .map((hand) => ({ hand, bytes: usageOf(hand.child.pid)?.bytes ?? 0 }))
  if (sizes.reduce((sum, { bytes }) => sum + bytes, 0) <= memoryBytes) return
  const order = ({ hand, bytes }: (typeof sizes)[0]) => (isIdle(hand) ? Infinity : bytes)
  const [{ hand }] = sizes.sort((a, b) => order(b) - order(a)) as [(typeof sizes)[0]]
  const reason = `${doing(hand)} it takes over ${Math.round(memoryBytes / 1e6)} MB of memory`
  end(hand, { reason, isDelay: false })
}

/** Kills a process; its jobs are tried again. */
export function end(hand: Hand, fault: NonNullable<Hand['fault']>): void {
  hand.fault = fault
  hand.child.kill('SIGKILL')
}
