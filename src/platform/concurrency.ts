/** Waits for the given time. Rejects if the signal aborts. Tests replace this function. */
export type Sleep = (ms: number, signal?: AbortSignal) => Promise<void>

export async function abortableSleep(ms: number, signal?: AbortSignal): Promise<void> {
  const { setTimeout } = await import('node:timers/promises')
  await setTimeout(ms, undefined, { signal }).catch(() => signal!.throwIfAborted())
}

/** Returns the result of the work, or rejects with the signal's reason if it aborts first. */
export async function untilAborted<T>(
  work: Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T> {
  if (signal === undefined) return work
  const aborted = Promise.withResolvers<never>()
  const abort = () => aborted.reject(signal.reason)
  if (signal.aborted) abort()
  signal.addEventListener('abort', abort)
  return Promise.race([aborted.promise, work]).finally(() =>
    signal.removeEventListener('abort', abort),
  )
}

type LaneOptions<Item, Outcome> = {
  lanes: number
  /** Maximum number of started items that have not been consumed. */
  window?: number
  /** Returns the memory that an item uses. Also receives the outcome once it is known. */
  bytesOf?: (item: Item, outcome?: Outcome) => number
}

/** Limit for the sum of `bytesOf` over unconsumed items. A single item may exceed it. */
const heldBytes = 32 * 2 ** 20

/**
 * Yields the outcome of `work` for each item, in the order of the items. Runs at most `lanes` calls
 * at once. The first rejected call ends the iteration.
 */
export async function* runInOrder<Item, Outcome>(
  items: Iterable<Item> | AsyncIterable<Item>,
  work: (item: Item) => Promise<Outcome>,
  { lanes, window = lanes * 2, bytesOf = () => 0 }: LaneOptions<Item, Outcome>,
): AsyncGenerator<Outcome> {
  const turn = openJobLimiter(lanes)
  const begun: { outcome: Promise<Outcome>; bytes: number }[] = []
  let heldSoFar = 0
  const hold = (it: { bytes: number }, bytes: number) => {
    heldSoFar += bytes - it.bytes
    it.bytes = bytes
  }
  for await (const item of items) {
    const outcome = turn.run(() => work(item))
    const it = { outcome, bytes: 0 }
    hold(it, bytesOf(item))
    // A failure is thrown when its item is consumed. Until then it must not count as unhandled.
    outcome.then(
      (result) => hold(it, bytesOf(item, result)),
      () => {},
    )
    begun.push(it)
    while (begun.length >= window || (heldSoFar > heldBytes && begun.length > 0)) {
      const first = begun.shift()!
      yield await first.outcome
      hold(first, 0)
    }
  }
  for (const { outcome } of begun) yield await outcome
}

export type JobLimiter = { run<T>(job: () => Promise<T>): Promise<T> }

export function openJobLimiter(limit: number): JobLimiter {
  const waiting: (() => void)[] = []
  let running = 0
  const leave = () => {
    const next = waiting.shift()
    if (next) next()
    else running--
  }
  return {
    async run(job) {
      if (running < limit) running++
      else await new Promise<void>((resolve) => waiting.push(resolve))
      return job().finally(leave)
    },
  }
}

/** True if the promise is fulfilled or rejected within `ms`. Clears its timer. */
export async function settlesWithin(ms: number, work: Promise<unknown>): Promise<boolean> {
  const late = Promise.withResolvers<false>()
  const timer = setTimeout(late.resolve, ms, false)
  const settled = work.then(
    () => true,
    () => true,
  )
  return await Promise.race([settled, late.promise]).finally(() => clearTimeout(timer))
}

export function waitForAbort(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

/** Calls `make` if its last result is older than `ms` milliseconds. */
export function onceEvery<T>(ms: number, make: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | null = null
  let at = 0
  return () => {
    if (result !== null && performance.now() - at < ms) return result
    at = performance.now()
    return (result = make())
  }
}

/** Calls `make` once and caches its result. If `make` fails, the next call retries. */
export function once<T>(make: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | null = null
  return () => {
    result ??= make().catch((error) => {
      result = null
      throw error
    })
    return result
  }
}
