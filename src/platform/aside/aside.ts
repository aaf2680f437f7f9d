import { availableParallelism } from 'node:os'
import {
  errorOf,
  refusedOf,
  type FromChild,
  type AsideOutcome,
  type ToChild,
} from './aside-message.ts'
import {
  boundMemory,
  boundTime,
  end,
  isIdle,
  tickMs,
  type AsideLimits,
  type AsideOptions,
  type Crew,
  type Hand,
  type Waiting,
} from './aside-limits.ts'
import { ownCommand } from './own-command.ts'

/**
 * Runs work on untrusted text in child processes, and kills a process whose job takes too long or
 * too much memory. Threads are no alternative: a thread cannot be ended while it matches a regular
 * expression.
 */
export type Aside = Disposable & {
  /**
   * Runs the work `kind` on `input` and returns its output.
   * @throws Error with only the reason, the OgError that the work threw, or the signal's reason
   */
  run<Output>(kind: string, input: unknown, options?: AsideOptions): Promise<Output>
}

const usual: AsideLimits = {
  jobMs: 10_000,
  memoryBytes: 340e6,
  startMs: 60_000,
  idleMs: 3_000,
  aloneMs: 3_000,
}

let own: Aside | null = null

/** The shared sandbox of og: its processes start with the first job and end when idle. */
export function ownAside(): Aside {
  return (own ??= openAside(ownCommand()))
}

/** @param command starts a process that runs `serveAside` */
export function openAside(command: string[], limits: Partial<AsideLimits> = {}): Aside {
  const crew: Crew = {
    command,
    limits: { ...usual, ...limits },
    queue: [],
    hands: [],
    nJobs: 0,
    busySince: 0,
    idleSince: -Infinity,
    isPumping: false,
    ticking: null,
    tickedAt: 0,
    idling: null,
  }
  process.on('exit', () => endAll(crew))
  return {
    run: (kind, input, options = {}) =>
      new Promise((resolve, reject) => {
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
          id: crew.nJobs++,
          kind,
          input,
          options,
          tries: 0,
          askedAt: null,
          isSettled: false,
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

/**
 * A pause up to this long, for example while a caller stores results, does not end a busy period.
 */
const pauseMs = 1_000
const mostHands = Math.min(2, availableParallelism())
/**
 * Limits of a batch, which is one message: sending a message costs more than parsing a small page.
 */
const batchJobs = 16
const batchBytes = 64 * 1024
/** Batches over this size are processed one at a time, because each takes much memory. */
const largeBytes = 2e6
/**
 * Share of `memoryBytes` that JavaScriptCore assumes as RAM when it schedules garbage collection.
 */
const heapShare = 0.6

/** Calls `pump` after the current events, so that jobs that arrive together are sent together. */
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

/**
 * Returns the next batch: jobs from the head of the queue; a job that failed before is sent alone.
 */
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
  // A large batch is sent to a busy process ahead of time, so that the process never waits for
  // work.
  const isMuch = 2 * batch.length >= batchJobs || 2 * bytesOf(batch) > batchBytes
  const isFree = ({ batches, fault }: Hand) =>
    fault === null && (batches.length === 0 || (isMuch && batches.length === 1))
  const [free] = hands.filter(isFree).sort((a, b) => a.batches.length - b.batches.length)
  const isWorth = hands.length === 0 || performance.now() - crew.busySince > crew.limits.aloneMs
  const isBusy = !free || !isIdle(free)
  return isBusy && isWorth && hands.length < mostHands ? started(crew) : (free ?? null)
}

function isRetrying({ batches }: Hand): boolean {
  return (batches[0]?.[0]?.tries ?? 0) > 0
}

/**
 * Returns the process for a retry. The job runs alone, to have all the memory; after a second
 * failure it gets a new process.
 */
function handForRetry(tries: number, crew: Crew): Hand | Error | null {
  if (!crew.hands.every(isIdle)) return null
  const idle = crew.hands.find(({ fault }) => fault === null)
  if (idle && tries === 1) return idle
  endAll(crew)
  crew.hands = []
  return started(crew)
}

/** Starts a process; returns an error if the system cannot start one. */
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
    child,
    batches: [],
    since,
    course: null,
    isReady: false,
    nJobs: 0,
    fault: null,
  }
  return hand
}

function take(message: FromChild, hand: Hand, crew: Crew): void {
  if (message.type === 'ready') {
    hand.isReady = true
    hand.since = performance.now()
    return
  }
  // Jobs of a process that is being killed are retried, so its messages do not count.
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
    (answer) => ({ answer }),
    (error: unknown) => ({ refused: refusedOf(error) }),
  )
  hand.since += performance.now() - job.askedAt
  job.askedAt = null
  const isUnderWay = hand.batches[0]?.includes(job) && hand.fault === null
  if (isUnderWay) send(hand, { id: job.id, ...outcome })
}

/**
 * Sends a message. If the process has just ended, nothing is lost, because `ended` queues its jobs
 * again.
 */
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
  // Does not count time in which this process was busy or the machine slept.
  const missedMs = Math.max(0, now - crew.tickedAt - tickMs * 5)
  crew.tickedAt = now
  boundTime(crew, missedMs)
  boundMemory(crew)
  pump(crew)
}

/**
 * Queues the jobs of a process that has ended again. Some job of the current batch is to blame, so
 * each of them is retried alone, and then in a new process if earlier jobs may have used up the
 * memory of this one. Jobs of later batches are not to blame.
 */
function ended(reason: string, hand: Hand, crew: Crew): void {
  crew.hands = crew.hands.filter((it) => it !== hand)
  const [suspects = [], ...others] = hand.batches
    .splice(0)
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
