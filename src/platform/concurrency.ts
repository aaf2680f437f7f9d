/** Waits; rejects with the signal's reason when that aborts. Tests do not wait. */
export type Sleep = (ms: number, signal?: AbortSignal) => Promise<void>

export function abortableSleep(ms: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted) return Promise.reject(signal.reason)
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort)
      resolve()
    }, ms)
    signal?.addEventListener('abort', abort, { once: true })
  })
}

/**
 * The outcomes of `work` on each item, in the order of the items, with at most `lanes` under way
 * and at most `window` begun and not yet taken. The first that rejects ends it.
 */
export async function* inOrder<Item, Outcome>(
  items: Iterable<Item> | AsyncIterable<Item>,
  work: (item: Item) => Promise<Outcome>,
  { lanes, window = lanes * 2 }: { lanes: number; window?: number },
): AsyncGenerator<Outcome> {
  const turn = openTurns(lanes)
  const begun: Promise<Outcome>[] = []
  for await (const item of items) {
    const outcome = turn.run(() => work(item))
    outcome.catch(() => {}) // Seen when its turn comes; until then it is nobody's.
    begun.push(outcome)
    if (begun.length >= window) yield await begun.shift()!
  }
  for (const outcome of begun) yield await outcome
}

/** Lets at most so many jobs run at once; the others wait in the order in which they came. */
export type Turns = { run<T>(job: () => Promise<T>): Promise<T> }

export function openTurns(limit: number): Turns {
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
