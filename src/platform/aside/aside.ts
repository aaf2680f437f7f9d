import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { errorOf, refusedOf, type FromChild, type Job, type ToChild } from './aside-message.ts'
import { embedded } from '../native/embedded.ts'

/**
 * Work over text that strangers wrote, done aside: in a process of its own, which is ended where a
 * job takes too long or too much memory. A thread would not do: no thread can be ended while it
 * matches a regular expression.
 */
export type Aside = Disposable & {
  /**
   * What `kind` makes of `input`.
   * @throws Error with the reason alone; OgError where the work threw one; the signal's reason
   */
  run<Output>(kind: string, input: unknown, options?: AsideOptions): Promise<Output>
}

export type AsideOptions = {
  /** Of a job that takes too long it is said: `reading it takes longer than 10 s`. */
  doing?: string
  /** What the work asks for meanwhile. */
  answer?: (question: string) => Promise<unknown>
  signal?: AbortSignal | undefined
}

export type AsideLimits = {
  /** Of one job that computes; one that waits for its turn on a busy machine has `patience`. */
  jobMs: number
  /** Of a whole process. */
  memoryBytes: number
  startMs: number
  /** After which a process that has nothing to do is ended. */
  idleMs: number
}

const usual: AsideLimits = { jobMs: 10_000, memoryBytes: 600e6, startMs: 20_000, idleMs: 3_000 }

/** By which this program is told to be such a process. */
export const asideFlag = '--aside'

let own: Aside | null = null

/** The one of this process: its processes start with the first job, and end when idle. */
export function ownAside(): Aside {
  const entry = fileURLToPath(new URL('../../library/add/aside-work.ts', import.meta.url))
  return (own ??= openAside([process.execPath, embedded === null ? entry : asideFlag]))
}

/** @param command how to start a process that runs `serveAside`. */
export function openAside(command: string[], limits: Partial<AsideLimits> = {}): Aside {
  const crew: Crew = {
    command, limits: { ...usual, ...limits }, queue: [], hands: [], nJobs: 0, busySince: 0,
    ticking: null, tickedAt: 0, idling: null,
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
      pump(crew)
    }),
    [Symbol.dispose]: () => endAll(crew),
  }
}

/** Before that a second process costs more, to start and to become fast, than it gains. */
const firstAloneMs = 3_000
const mostHands = Math.min(2, availableParallelism())
/** Handed to a process at once, so that it never waits for the next. */
const depth = 6
const tickMs = 100
/** One that computes nothing has so many times as long. */
const patience = 3

type Waiting = Job & {
  options: AsideOptions
  tries: number
  /** Since when it waits for an answer. */
  askedAt: number | null
  isSettled: boolean
  resolve(output: never): void
  reject(error: unknown): void
}

type Hand = {
  child: Bun.Subprocess
  /** The first is under way. */
  jobs: Waiting[]
  /** When the first began, the time of its questions left out. */
  since: number
  /** What it had computed by when this job was first looked at; milliseconds. */
  computed: { id: number; ms: number } | null
  isReady: boolean
  fault: string | null
}

type Crew = {
  command: string[]
  limits: AsideLimits
  queue: Waiting[]
  hands: Hand[]
  nJobs: number
  /** Since when there was always work. */
  busySince: number
  ticking: ReturnType<typeof setInterval> | null
  tickedAt: number
  idling: ReturnType<typeof setTimeout> | null
}

function pump(crew: Crew): void {
  if (crew.hands.every(({ jobs }) => jobs.length === 0)) crew.busySince = performance.now()
  for (let [job] = crew.queue; job; [job] = crew.queue) {
    const hand = handFor(job, crew)
    if (hand === null) break
    crew.queue.shift()
    if (hand instanceof Error) job.reject(hand)
    else give(job, hand)
  }
  watch(crew)
}

function give(job: Waiting, hand: Hand): void {
  const { id, kind, input } = job
  if (hand.jobs.length === 0) hand.since = performance.now()
  hand.child.ref()
  hand.jobs.push(job)
  hand.child.send({ id, kind, input } satisfies ToChild)
}

/** One that failed before is tried in a fresh process, with nothing behind it. */
function handFor(job: Waiting, crew: Crew): Hand | Error | null {
  const { hands } = crew
  const isFree = ({ jobs, fault }: Hand) => fault === null && (
    jobs.length === 0 || (job.tries === 0 && jobs.length < depth && jobs[0]!.tries === 0))
  const [free] = hands.filter(isFree).sort((a, b) => a.jobs.length - b.jobs.length)
  const isWorth = hands.length === 0 || performance.now() - crew.busySince > firstAloneMs
  const isBusy = !free || free.jobs.length > 0
  return isBusy && isWorth && hands.length < mostHands ? started(crew) : free ?? null
}

/** An error where the system starts no process. */
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
    stdio: ['ignore', 'ignore', 'ignore'],
    serialization: 'advanced',
    ipc: (message: FromChild) => take(message, hand, crew),
    onExit: (_, code, signal) => ended(`its process ended (${signal ?? code})`, hand, crew),
  })
  const since = performance.now()
  const hand: Hand = { child, jobs: [], since, computed: null, isReady: false, fault: null }
  return hand
}

function take(message: FromChild, hand: Hand, crew: Crew): void {
  if (message.type === 'ready') {
    hand.isReady = true
    hand.since = performance.now()
    return
  }
  const [job] = hand.jobs
  // One that is being ended is tried again, whatever it still says.
  if (job === undefined || hand.fault !== null) return
  if (message.type === 'asked') return void answer(message.question, job, hand)
  hand.jobs.shift()
  hand.since = performance.now()
  if (hand.jobs.length === 0) hand.child.unref()
  if (message.type === 'done') job.resolve(message.output as never)
  else job.reject(errorOf(message.refused))
  pump(crew)
}

async function answer(question: string, job: Waiting, hand: Hand): Promise<void> {
  job.askedAt = performance.now()
  const outcome = await job.options.answer!(question).then(
    (answer) => ({ answer }), (error: unknown) => ({ refused: refusedOf(error) }))
  hand.since += performance.now() - job.askedAt
  job.askedAt = null
  if (hand.jobs[0] === job && hand.fault === null) hand.child.send({ id: job.id, ...outcome })
}

/** Looks after those that work; ends those that have had nothing to do. */
function watch(crew: Crew): void {
  const isBusy = crew.hands.some(({ jobs }) => jobs.length > 0)
  if (isBusy && crew.ticking === null) {
    crew.tickedAt = performance.now()
    crew.ticking = setInterval(tick, tickMs, crew)
  }
  if (!isBusy && crew.ticking !== null) {
    clearInterval(crew.ticking)
    crew.ticking = null
  }
  if (crew.idling !== null) clearTimeout(crew.idling)
  const isIdle = !isBusy && crew.hands.length > 0
  crew.idling = isIdle ? setTimeout(endAll, crew.limits.idleMs, crew) : null
  crew.idling?.unref()
}

function tick(crew: Crew): void {
  const now = performance.now()
  // What this process was kept from seeing is no page's fault: it was busy, or the machine slept.
  const missedMs = Math.max(0, now - crew.tickedAt - tickMs * 5)
  crew.tickedAt = now
  for (const hand of crew.hands) {
    hand.since += missedMs
    const [job] = hand.jobs
    if (job && hand.computed?.id !== job.id) {
      hand.computed = { id: job.id, ms: computedMs(hand.child.pid) }
    }
    const fault = job && hand.fault === null ? faultOf(job, hand, crew.limits) : null
    if (fault !== null) end(fault, hand)
  }
  pump(crew)
}

function faultOf(job: Waiting, hand: Hand, limits: AsideLimits): string | null {
  const doing = job.options.doing ?? 'working on'
  const ms = performance.now() - hand.since
  const { jobMs, startMs, memoryBytes } = limits
  if (!hand.isReady) {
    return ms > startMs ? `its process does not start within ${startMs / 1000} s` : null
  }
  const isLate = ms > patience * jobMs || (ms > jobMs && isSlow(hand, jobMs))
  if (job.askedAt === null && isLate) return `${doing} it takes longer than ${jobMs / 1000} s`
  const isLarge = residentBytes(hand.child.pid) > memoryBytes
  return isLarge ? `${doing} it takes over ${Math.round(memoryBytes / 1e6)} MB of memory` : null
}

/** On a busy machine a job gets a share of the time that passes: what it computes counts. */
function isSlow({ child, computed }: Hand, jobMs: number): boolean {
  const ms = computedMs(child.pid)
  return ms === 0 || computed === null || ms - computed.ms > jobMs - 2 * tickMs
}

function end(fault: string, hand: Hand): void {
  hand.fault = fault
  hand.child.kill('SIGKILL')
}

/** The job under way is to blame, and has a second try; those behind it have lost nothing. */
function ended(reason: string, hand: Hand, crew: Crew): void {
  crew.hands = crew.hands.filter((it) => it !== hand)
  const [first, ...others] = hand.jobs.splice(0)
  const left = others.filter(({ isSettled }) => !isSettled)
  crew.queue.unshift(...left)
  if (first && !first.isSettled) {
    if (++first.tries > 1) first.reject(new Error(hand.fault ?? reason))
    else crew.queue.push(first)
  }
  pump(crew)
}

function endAll({ hands }: Crew): void {
  for (const { child } of hands) child.kill('SIGKILL')
}

/** 0: it is gone. */
function residentBytes(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ')[1]) * 4096
  } catch {
    return 0
  }
}

/** CPU time of a process so far, in the 100 ticks a second that Linux counts; 0: nobody knows. */
function computedMs(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1)!.split(' ')
    return (Number(fields[11]) + Number(fields[12])) * 10
  } catch {
    return 0
  }
}
