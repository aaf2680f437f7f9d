import { availableParallelism } from 'node:os'
import {
  toError,
  toRefusal,
  type MessageFromChild,
  type SandboxOutcome,
  type MessageToChild,
  sandboxCommand,
} from './sandbox-message.ts'
import {
  enforceMemoryLimit,
  enforceTimeLimit,
  killProcess,
  isIdle,
  tickMs,
  type SandboxLimits,
  type SandboxOptions,
  type SandboxState,
  type SandboxProcess,
  type SandboxTask,
} from './sandbox-limits.ts'

/**
 * Runs work on untrusted text in child processes, and kills a process whose job takes too much time
 * or memory. Threads are unsuitable because a thread cannot be killed while it matches a regular
 * expression.
 */
export type Sandbox = Disposable & {
  /**
   * Starts a process for the first job if none is running. With `kind`, reserves a second process
   * for jobs of this kind, so that other jobs can run at the same time.
   */
  start(kind?: string): void
  /**
   * Runs the work `kind` on `input` and returns its output.
   * @throws Error with only the reason, the OgError that the work threw, or the signal's reason
   */
  run<Output>(kind: string, input: unknown, options?: SandboxOptions): Promise<Output>
}

const usual: SandboxLimits = {
  jobMs: 10_000,
  memoryBytes: 340e6,
  startMs: 60_000,
  idleMs: 3_000,
  aloneMs: 3_000,
}

let own: Sandbox | null = null

/** Returns og's shared sandbox. Its processes start with the first job and end when idle. */
export function sharedSandbox(): Sandbox {
  return (own ??= openSandbox(sandboxCommand()))
}

export function openSandbox(command: string[], limits: Partial<SandboxLimits> = {}): Sandbox {
  const state: SandboxState = {
    command,
    limits: { ...usual, ...limits },
    queue: [],
    workers: [],
    nJobs: 0,
    busySince: 0,
    idleSince: -Infinity,
    isPumping: false,
    tickTimer: null,
    tickedAt: 0,
    idleTimer: null,
  }
  process.on('exit', () => endAll(state))
  return {
    start(kind) {
      const { workers } = state
      const isStarted = workers.some((it) => kind === undefined || it.kind === kind)
      if (isStarted || workers.length === mostWorkers) return
      const worker = startWorker(state, kind)
      // If the system cannot start a process, the first job reports it.
      if (!(worker instanceof Error)) worker.child.unref()
      watch(state)
    },
    run: (kind, input, options = {}) =>
      new Promise((resolve, reject) => {
        const { signal } = options
        if (signal?.aborted) return reject(signal.reason)
        const drop = () => {
          state.queue = state.queue.filter((it) => it !== job)
          job.reject(signal!.reason)
        }
        const settle = () => {
          job.isSettled = true
          signal?.removeEventListener('abort', drop)
        }
        const job: SandboxTask = {
          id: state.nJobs++,
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
        state.queue.push(job)
        pumpSoon(state)
      }),
    [Symbol.dispose]: () => endAll(state),
  }
}

/** Shorter pauses do not end a busy period, for example while a caller stores results. */
const pauseMs = 1_000
const mostWorkers = Math.min(2, availableParallelism())
/** Limits for a batch. One message per page would cost more than parsing small pages. */
const batchJobs = 16
const batchBytes = 64 * 1024
/** Batches above this size run one at a time because each uses much memory. */
const largeBytes = 2e6
/** Share of `memoryBytes` that JavaScriptCore uses as the RAM size to schedule collections. */
const heapShare = 0.6

/** Calls `pump` after the current events, so that jobs that arrive together are sent together. */
function pumpSoon(state: SandboxState): void {
  if (state.isPumping) return
  state.isPumping = true
  setImmediate(() => {
    state.isPumping = false
    pump(state)
  })
}

function pump(state: SandboxState): void {
  const now = performance.now()
  if (state.workers.every(isIdle) && now - state.idleSince > pauseMs) state.busySince = now
  for (let next = nextBatch(state); next !== null; next = nextBatch(state)) {
    const { batch, worker } = next
    state.queue = state.queue.filter((job) => !batch.includes(job))
    if (worker instanceof Error) for (const job of batch) job.reject(worker)
    else give(batch, worker)
  }
  watch(state)
}

type NextBatch = { batch: SandboxTask[]; worker: SandboxProcess | Error }

/**
 * Returns the first batch for which a process is available. Jobs with a reserved process do not
 * wait for other jobs. A job that has failed is sent alone when it is first in the queue.
 */
function nextBatch(state: SandboxState): NextBatch | null {
  const [first] = state.queue
  if (first === undefined) return null
  const queues = Map.groupBy(state.queue, ({ kind }) => reservedKind(kind, state))
  const batches = first.tries > 0 ? [[first]] : [...queues.values()].map(headOf)
  for (const batch of batches) {
    const worker = batch.length === 0 ? null : workerFor(batch, state)
    if (worker !== null) return { batch, worker }
  }
  return null
}

function reservedKind(kind: string, { workers }: SandboxState): string | null {
  return workers.some((it) => it.kind === kind) ? kind : null
}

/** Returns the jobs at the head of a queue that fit into one message. */
function headOf(queue: readonly SandboxTask[]): SandboxTask[] {
  let [end, bytes] = [0, 0]
  for (; end < Math.min(queue.length, batchJobs); end++) {
    const { tries, options } = queue[end]!
    bytes += options.bytes ?? 0
    if (tries > 0 || (end > 0 && bytes > batchBytes)) break
  }
  return queue.slice(0, end)
}

function bytesOf(batch: SandboxTask[]): number {
  return batch.reduce((sum, { options }) => sum + (options.bytes ?? 0), 0)
}

function give(batch: SandboxTask[], worker: SandboxProcess): void {
  if (isIdle(worker)) worker.since = performance.now()
  worker.child.ref()
  worker.batches.push(batch)
  worker.nJobs += batch.length
  const jobs = batch.map(({ id, kind, input }) => ({ id, kind, input }))
  send(worker, { jobs })
}

function workerFor(batch: SandboxTask[], state: SandboxState): SandboxProcess | Error | null {
  const { workers } = state
  const [{ tries, kind }] = batch as [SandboxTask]
  if (tries > 0) return workerForRetry(tries, state)
  const isLarge = (it: SandboxTask[]) => bytesOf(it) > largeBytes
  const isTaken = isLarge(batch) && workers.some(({ batches }) => batches.some(isLarge))
  if (isTaken || workers.some(isRetrying)) return null
  // A busy process gets a large batch ahead of time so that it does not wait for work.
  const isMuch = 2 * batch.length >= batchJobs || 2 * bytesOf(batch) > batchBytes
  const isFree = ({ batches, fault }: SandboxProcess) =>
    fault === null && (batches.length === 0 || (isMuch && batches.length === 1))
  const isLong = performance.now() - state.busySince > state.limits.aloneMs
  const reserved = reservedKind(kind, state)
  const own = workers.filter((it) => it.kind === reserved)
  const isShared = isLong || (own.length === 0 && workers.length === mostWorkers)
  const [free] = (isShared ? workers : own)
    .filter(isFree)
    .sort((a, b) => a.batches.length - b.batches.length)
  const isWorth = own.length === 0 || isLong
  const isBusy = !free || !isIdle(free)
  return isBusy && isWorth && workers.length < mostWorkers ? startWorker(state) : (free ?? null)
}

function isRetrying({ batches }: SandboxProcess): boolean {
  return (batches[0]?.[0]?.tries ?? 0) > 0
}

/**
 * Returns the process for a retry, or null while other jobs run. The retried job runs alone so that
 * it has all the memory. After a second failure, it gets a new process.
 */
function workerForRetry(tries: number, state: SandboxState): SandboxProcess | Error | null {
  if (!state.workers.every(isIdle)) return null
  const idle = state.workers.find(({ fault }) => fault === null)
  if (idle && tries === 1) return idle
  endAll(state)
  state.workers = []
  return startWorker(state)
}

function startWorker(state: SandboxState, kind: string | null = null): SandboxProcess | Error {
  try {
    const worker = start(state, kind)
    state.workers.push(worker)
    return worker
  } catch (error) {
    return error as Error
  }
}

function start(state: SandboxState, kind: string | null): SandboxProcess {
  const child = Bun.spawn(state.command, {
    cwd: '/',
    env: { ...process.env, BUN_JSC_forceRAMSize: String(heapShare * state.limits.memoryBytes) },
    stdio: ['ignore', 'ignore', 'ignore'],
    serialization: 'advanced',
    ipc: (message: MessageFromChild) => take(message, worker, state),
    onExit: (_, code, signal) =>
      requeueJobs(`its process ended (${signal ?? code})`, worker, state),
  })
  const since = performance.now()
  const worker: SandboxProcess = {
    child,
    batches: [],
    since,
    course: null,
    isReady: false,
    kind,
    nJobs: 0,
    fault: null,
  }
  return worker
}

function take(message: MessageFromChild, worker: SandboxProcess, state: SandboxState): void {
  if (message.type === 'ready') {
    worker.isReady = true
    worker.since = performance.now()
    return
  }
  // The jobs of a process that is being killed are retried, so ignore its messages.
  const [batch] = worker.batches
  if (batch === undefined || worker.fault !== null) return
  if (message.type === 'asked') {
    return void answer(message.question, batch.find(({ id }) => id === message.id)!, worker)
  }
  worker.since = performance.now()
  for (const outcome of message.outcomes) settle(batch.shift()!, outcome)
  if (batch.length === 0) worker.batches.shift()
  if (state.workers.every(isIdle)) state.idleSince = performance.now()
  if (isIdle(worker)) worker.child.unref()
  pumpSoon(state)
}

function settle(job: SandboxTask, outcome: SandboxOutcome): void {
  if ('refused' in outcome) job.reject(toError(outcome.refused))
  else job.resolve(outcome.output as never)
}

async function answer(question: unknown, job: SandboxTask, worker: SandboxProcess): Promise<void> {
  job.askedAt = performance.now()
  const outcome = await job.options.answer!(question as never).then(
    (answer) => ({ answer }),
    (error: unknown) => ({ refused: toRefusal(error) }),
  )
  worker.since += performance.now() - job.askedAt
  job.askedAt = null
  const isUnderWay = worker.batches[0]?.includes(job) && worker.fault === null
  if (isUnderWay) send(worker, { id: job.id, ...outcome })
}

/** Sends a message. If the process has just ended, `requeueJobs` queues its jobs again. */
function send({ child }: SandboxProcess, message: MessageToChild): void {
  try {
    child.send(message)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_IPC_CHANNEL_CLOSED') throw error
  }
}

function watch(state: SandboxState): void {
  const isBusy = !state.workers.every(isIdle)
  if (isBusy && state.tickTimer === null) {
    state.tickedAt = performance.now()
    state.tickTimer = setInterval(tick, tickMs, state)
  }
  if (!isBusy && state.tickTimer !== null) {
    clearInterval(state.tickTimer)
    state.tickTimer = null
  }
  if (state.idleTimer !== null) clearTimeout(state.idleTimer)
  const isUnused = !isBusy && state.workers.length > 0
  state.idleTimer = isUnused ? setTimeout(endAll, state.limits.idleMs, state) : null
  state.idleTimer?.unref()
}

function tick(state: SandboxState): void {
  const now = performance.now()
  // Time in which this process was busy or the machine slept does not count.
  const missedMs = Math.max(0, now - state.tickedAt - tickMs * 5)
  state.tickedAt = now
  enforceTimeLimit(state, missedMs)
  enforceMemoryLimit(state)
  pump(state)
}

/**
 * Queues the jobs of a process that has ended. A job in the current batch caused it, so each of
 * them is retried alone. The retry uses a new process if earlier jobs may have used up the old
 * one's memory. Jobs in later batches cannot be the cause.
 */
function requeueJobs(reason: string, worker: SandboxProcess, state: SandboxState): void {
  state.workers = state.workers.filter((it) => it !== worker)
  const [suspects = [], ...others] = worker.batches
    .splice(0)
    .map((batch) => batch.filter(({ isSettled }) => !isSettled))
  state.queue.unshift(...others.flat())
  const isProof = worker.nJobs === 1 || worker.fault?.isDelay
  for (const job of suspects) {
    if (++job.tries > 1 && isProof) job.reject(new Error(worker.fault?.reason ?? reason))
    else state.queue.push(job)
  }
  pump(state)
}

function endAll({ workers }: SandboxState): void {
  for (const worker of workers.filter(({ fault }) => fault === null)) {
    killProcess(worker, { reason: 'it was ended', isDelay: false })
  }
}
