import { availableParallelism } from 'node:os'
import {
  errorOf, refusedOf, type FromChild, type AsideJob, type AsideOutcome, type ToChild,
} from './aside-message.ts'
import { usageOf } from '../usage.ts'
import { ownCommand } from './own-command.ts'

/**
 * Runs work on untrusted text in child processes, and kills one where a job takes too long or too
 * much memory. Threads would not do: a thread cannot be ended while it matches a regular
 * expression.
 */
export type Aside = Disposable & {
  /**
   * The output of the work `kind` for `input`.
   * @throws Error with the reason alone; OgError where the work threw one; the signal's reason
   */
  run<Output>(kind: string, input: unknown, options?: AsideOptions): Promise<Output>
}

type AsideOptions = {
  /** The first word of the error of a job: `reading` in `reading it takes longer than 10 s`. */
  doing?: string
  /** Approximate size of the input; small inputs are sent together. */
  bytes?: number
  /** Answers the questions that the work asks. */
  answer?: (question: string) => Promise<unknown>
  signal?: AbortSignal | undefined
}

export type AsideLimits = {
  /** Time of one job that computes; a job that sleeps has `patience` times as long. */
  jobMs: number
  /** Memory of all child processes together, without shared pages. */
  memoryBytes: number
  startMs: number
  /** Time without jobs after which the child processes are ended. */
  idleMs: number
  /** Busy time before a second process starts: before, its start costs more than it gains. */
  aloneMs: number
}

const usual: AsideLimits = {
  jobMs: 10_000, memoryBytes: 340e6, startMs: 60_000, idleMs: 3_000, aloneMs: 3_000,
}

let own: Aside | null = null

/** The shared Aside of og: its processes start with the first job, and end when idle. */
export function ownAside(): Aside {
  return (own ??= openAside(ownCommand()))
}

/** @param command how to start a process that runs `serveAside` */
export function openAside(command: string[], limits: Partial<AsideLimits> = {}): Aside {
  const crew: Crew = {
    command, limits: { ...usual, ...limits }, queue: [], hands: [], nJobs: 0, busySince: 0,
    idleSince: -Infinity, isPumping: false, ticking: null, tickedAt: 0, idling: null,
  }
  process.on('exit', () => endAll(crew))
  return {
    run: (kind, input, options = {}) => new Promise((resolve, reject) => {
      const { signal } = options
      if (signal?.aborted) return reject(signal.reason)
      const drop = () => {
        crew.queue = crew.queue.filter((it) => it !== job)
        job.reject(signal!.reason)
      }
      const settle = () => {
        job.isSettled = true
        signal?.removeEventListener('abort', drop)
      }
      const job: Waiting = {
        id: crew.nJobs++, kind, input, options, tries: 0, askedAt: null, isSettled: false,
        resolve: (output) => (settle(), resolve(output)),
        reject: (error) => (settle(), reject(error)),
      }
      signal?.addEventListener('abort', drop, { once: true })
      crew.queue.push(job)
      pumpSoon(crew)
    }),
    [Symbol.dispose]: () => endAll(crew),
  }
}

/** A pause up to this long, as while a caller stores results, does not end a busy period. */
const pauseMs = 1_000
const mostHands = Math.min(2, availableParallelism())
/** Limits of a batch, which is one message: a message costs more than parsing a small page. */
const batchJobs = 16
const batchBytes = 64 * 1024
const tickMs = 100
/** Batches over this size take turns, since each takes much memory. */
const largeBytes = 2e6
/** Share of `memoryBytes` that JavaScriptCore takes for the RAM when it schedules collections. */
const heapShare = 0.6
/** Factor of the time limit for a job that computes nothing. */
const patience = 3

/** A job that is queued or sent. */
type Waiting = AsideJob & {
  options: AsideOptions
  tries: number
  /** Time of its question that is not yet answered; null: there is none. */
  askedAt: number | null
  isSettled: boolean
  resolve(output: never): void
  reject(error: unknown): void
}

/** A child process. */
type Hand = {
  child: Bun.Subprocess
  /** Batches sent, without the jobs that are done; a job of the first is under way. */
  batches: Waiting[][]
  /** Latest start of the job under way, moved forward by the time of its questions. */
  since: number
  /** The job under way, its first CPU reading, and the time it has slept since. */
  course: { id: number; cpuMs: number; waitedMs: number } | null
  isReady: boolean
  /** Number of jobs sent to it so far. */
  nJobs: number
  fault: { reason: string; isDelay: boolean } | null
}

/** The state of an Aside. */
type Crew = {
  command: string[]
  limits: AsideLimits
  queue: Waiting[]
  hands: Hand[]
  nJobs: number
  /** Start of the busy period; pauses up to `pauseMs` do not end it. */
  busySince: number
  /** When the last busy process became idle. */
  idleSince: number
  isPumping: boolean
  ticking: ReturnType<typeof setInterval> | null
  tickedAt: number
  idling: ReturnType<typeof setTimeout> | null
}

/** Calls `pump` after the current events, so that jobs that arrive together go together. */
function pumpSoon(crew: Crew): void {
  if (crew.isPumping) return
  crew.isPumping = true
  setImmediate(() => {
    crew.isPumping = false
    pump(crew)
  })
}

function pump(crew: Crew): void {
  const now = performance.now()
  if (crew.hands.every(isIdle) && now - crew.idleSince > pauseMs) crew.busySince = now
  for (let batch = nextBatch(crew); batch.length > 0; batch = nextBatch(crew)) {
    const hand = handFor(batch, crew)
    if (hand === null) break
    crew.queue.splice(0, batch.length)
    if (hand instanceof Error) for (const job of batch) job.reject(hand)
    else give(batch, hand)
  }
  watch(crew)
}

function isIdle({ batches }: Hand): boolean {
  return batches.length === 0
}

/** The next batch: jobs from the head of the queue; a job that failed before goes alone. */
function nextBatch({ queue }: Crew): Waiting[] {
  let [end, bytes] = [0, 0]
  for (; end < Math.min(queue.length, batchJobs); end++) {
    const { tries, options } = queue[end]!
    bytes += options.bytes ?? 0
    if (end > 0 && (tries > 0 || queue[0]!.tries > 0 || bytes > batchBytes)) break
  }
  return queue.slice(0, end)
}

function bytesOf(batch: Waiting[]): number {
  return batch.reduce((sum, { options }) => sum + (options.bytes ?? 0), 0)
}

function give(batch: Waiting[], hand: Hand): void {
  if (isIdle(hand)) hand.since = performance.now()
  hand.child.ref()
  hand.batches.push(batch)
  hand.nJobs += batch.length
  const jobs = batch.map(({ id, kind, input }) => ({ id, kind, input }))
  send(hand, { jobs })
}

function handFor(batch: Waiting[], crew: Crew): Hand | Error | null {
  const { hands } = crew
  const [{ tries }] = batch as [Waiting]
  if (tries > 0) return handForRetry(tries, crew)
  const isLarge = (it: Waiting[]) => bytesOf(it) > largeBytes
  const isTaken = isLarge(batch) && hands.some(({ batches }) => batches.some(isLarge))
  if (isTaken || hands.some(isRetrying)) return null
  // A large batch is sent to a busy process ahead of time, so that it never waits for work.
  const isMuch = 2 * batch.length >= batchJobs || 2 * bytesOf(batch) > batchBytes
  const isFree = ({ batches, fault }: Hand) => fault === null && (batches.length === 0 || (
    isMuch && batches.length === 1))
  const [free] = hands.filter(isFree).sort((a, b) => a.batches.length - b.batches.length)
  const isWorth = hands.length === 0 || performance.now() - crew.busySince > crew.limits.aloneMs
  const isBusy = !free || !isIdle(free)
  return isBusy && isWorth && hands.length < mostHands ? started(crew) : free ?? null
}

function isRetrying({ batches }: Hand): boolean {
  return (batches[0]?.[0]?.tries ?? 0) > 0
}

/** For a job tried again: alone, to have all the memory; after a second failure a new process. */
function handForRetry(tries: number, crew: Crew): Hand | Error | null {
  if (!crew.hands.every(isIdle)) return null
  const idle = crew.hands.find(({ fault }) => fault === null)
  if (idle && tries === 1) return idle
  endAll(crew)
  crew.hands = []
  return started(crew)
}

/** A new process; an error where the system cannot start one. */
function started(crew: Crew): Hand | Error {
  try {
    const hand = start(crew)
    crew.hands.push(hand)
    return hand
  } catch (error) {
    return error as Error
  }
}

function start(crew: Crew): Hand {
  const child = Bun.spawn(crew.command, {
    cwd: '/',
    env: { ...process.env, BUN_JSC_forceRAMSize: String(heapShare * crew.limits.memoryBytes) },
    stdio: ['ignore', 'ignore', 'ignore'],
    serialization: 'advanced',
    ipc: (message: FromChild) => take(message, hand, crew),
    onExit: (_, code, signal) => ended(`its process ended (${signal ?? code})`, hand, crew),
  })
  const since = performance.now()
  const hand: Hand = {
    child, batches: [], since, course: null, isReady: false, nJobs: 0, fault: null,
  }
  return hand
}

function take(message: FromChild, hand: Hand, crew: Crew): void {
  if (message.type === 'ready') {
    hand.isReady = true
    hand.since = performance.now()
    return
  }
  // The jobs of a process that is being killed are tried again, so its messages do not count.
  const [batch] = hand.batches
  if (batch === undefined || hand.fault !== null) return
  if (message.type === 'asked') {
    return void answer(message.question, batch.find(({ id }) => id === message.id)!, hand)
  }
  hand.since = performance.now()
  for (const outcome of message.outcomes) settle(batch.shift()!, outcome)
  if (batch.length === 0) hand.batches.shift()
  if (crew.hands.every(isIdle)) crew.idleSince = performance.now()
  if (isIdle(hand)) hand.child.unref()
  pumpSoon(crew)
}

function settle(job: Waiting, outcome: AsideOutcome): void {
  if ('refused' in outcome) job.reject(errorOf(outcome.refused))
  else job.resolve(outcome.output as never)
}

async function answer(question: string, job: Waiting, hand: Hand): Promise<void> {
  job.askedAt = performance.now()
  const outcome = await job.options.answer!(question).then(
    (answer) => ({ answer }), (error: unknown) => ({ refused: refusedOf(error) }))
  hand.since += performance.now() - job.askedAt
  job.askedAt = null
  const isUnderWay = hand.batches[0]?.includes(job) && hand.fault === null
  if (isUnderWay) send(hand, { id: job.id, ...outcome })
}

/** Sends a message. If the process has just ended, nothing is lost: `ended` requeues its jobs. */
function send({ child }: Hand, message: ToChild): void {
  try {
    child.send(message)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_IPC_CHANNEL_CLOSED') throw error
  }
}

/** Starts or stops the checks of busy processes, and the timer that ends idle ones. */
function watch(crew: Crew): void {
  const isBusy = !crew.hands.every(isIdle)
  if (isBusy && crew.ticking === null) {
    crew.tickedAt = performance.now()
    crew.ticking = setInterval(tick, tickMs, crew)
  }
  if (!isBusy && crew.ticking !== null) {
    clearInterval(crew.ticking)
    crew.ticking = null
  }
  if (crew.idling !== null) clearTimeout(crew.idling)
  const isUnused = !isBusy && crew.hands.length > 0
  crew.idling = isUnused ? setTimeout(endAll, crew.limits.idleMs, crew) : null
  crew.idling?.unref()
}

function tick(crew: Crew): void {
  const now = performance.now()
  // Time in which this process was busy, or the machine slept, does not count against a job.
  const missedMs = Math.max(0, now - crew.tickedAt - tickMs * 5)
  crew.tickedAt = now
  for (const hand of crew.hands) {
    hand.since += missedMs
    const [job] = hand.batches[0] ?? []
    if (job) follow(hand, job)
    const fault = job && hand.fault === null ? delayOf(hand, crew.limits) : null
    if (fault !== null) end(hand, { reason: fault, isDelay: true })
  }
  boundMemory(crew)
  pump(crew)
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
 * Whether a late job is slow itself. On a busy machine a job gets only a share of the processors,
 * so its CPU time counts, and the time it has slept. Without these figures all time counts.
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

/** Over the memory limit, kills a process: an idle one, else the largest. */
function boundMemory({ hands, limits: { memoryBytes } }: Crew): void {
  const sizes = hands.filter(({ fault }) => fault === null)
    .map((hand) => ({ hand, bytes: usageOf(hand.child.pid)?.bytes ?? 0 }))
  if (sizes.reduce((sum, { bytes }) => sum + bytes, 0) <= memoryBytes) return
  const order = ({ hand, bytes }: typeof sizes[0]) => isIdle(hand) ? Infinity : bytes
  const [{ hand }] = sizes.sort((a, b) => order(b) - order(a)) as [typeof sizes[0]]
  const reason = `${doing(hand)} it takes over ${Math.round(memoryBytes / 1e6)} MB of memory`
  end(hand, { reason, isDelay: false })
}

function end(hand: Hand, fault: NonNullable<Hand['fault']>): void {
  hand.fault = fault
  hand.child.kill('SIGKILL')
}

/**
 * Requeues the jobs of a process that has ended. Some job of the batch under way is to blame: each
 * is tried again, alone, and once more in a new process where earlier jobs may have used up the
 * memory of this one. Jobs of the batches behind it are not to blame.
 */
function ended(reason: string, hand: Hand, crew: Crew): void {
  crew.hands = crew.hands.filter((it) => it !== hand)
  const [suspects = [], ...others] = hand.batches.splice(0)
    .map((batch) => batch.filter(({ isSettled }) => !isSettled))
  crew.queue.unshift(...others.flat())
  const isProof = hand.nJobs === 1 || hand.fault?.isDelay
  for (const job of suspects) {
    if (++job.tries > 1 && isProof) job.reject(new Error(hand.fault?.reason ?? reason))
    else crew.queue.push(job)
  }
  pump(crew)
}

/** Kills all processes; they get no more jobs. */
function endAll({ hands }: Crew): void {
  for (const hand of hands.filter(({ fault }) => fault === null)) {
    end(hand, { reason: 'it was ended', isDelay: false })
  }
}
