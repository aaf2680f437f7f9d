import { openTurns, type Sleep } from '../../platform/concurrency.ts'
import { messageOf, OgError } from '../../platform/error.ts'
import { NetworkError } from '../../platform/web/http.ts'

/**
 * The queue of requests to one host. Limits concurrent requests, keeps the delay that the host asks
 * for, and stops while it asks for a pause. A host that fails repeatedly is closed.
 */
export type HostGate = { run<T>(job: (turn: HostTurn) => Promise<T>): Promise<T> }

type HostTurn = {
  /**
   * Waits, and holds back all other requests, because Retry-After is meant for the robot, not for
   * one page.
   */
  sleep: Sleep
  /** Rejects all further requests to the host. */
  close(reason: string): void
}

type HostGateOptions = {
  lanes: number
  /** Time between the starts of two requests. If not 0, only one runs at a time. */
  delayMs: number
  sleep: Sleep
  signal?: AbortSignal
}

/** Consecutive failed requests, each after its retries, that close a host. */
const maxFailures = 10

export function openHostGate(options: HostGateOptions): HostGate {
  const { lanes, delayMs, sleep, signal } = options
  const turns = openTurns(delayMs > 0 ? 1 : lanes)
  let pause: Promise<void> = Promise.resolve()
  let isFirst = true
  let nFailures = 0
  let closed: string | null = null

  const sleepAndPause: Sleep = async (ms, abort) => {
    const wait = sleep(ms, abort)
    pause = Promise.all([pause, wait.catch(() => {})]).then(() => {})
    await wait
  }
  async function begin(): Promise<void> {
    await pause
    if (delayMs > 0 && !isFirst) await sleep(delayMs, signal)
    isFirst = false
    if (closed !== null) throw new OgError(`not asked: ${closed}`)
  }
  return {
    run: (job) =>
      turns.run(async () => {
        await begin()
        const outcome = job({ sleep: sleepAndPause, close: (reason) => (closed ??= reason) })
        const counted = outcome.then(
          () => {
            nFailures = 0
          },
          (error) => {
            if (!(error instanceof NetworkError)) return
            nFailures++
            const last = messageOf(error)
            const isDead = nFailures >= maxFailures
            if (isDead) closed ??= `${maxFailures} failures in a row, at last: ${last}`
          },
        )
        await counted
        return outcome
      }),
  }
}
