import { dlopen } from 'bun:ffi'

const limitMs = 1_000
const aliveMs = 200

let alive: (() => void) | null = null

/**
 * Ends this process 1 s after SIGINT, SIGTERM or SIGHUP, with their exit code, where the main
 * thread has stood still since: it alone hears signals, and nothing can interrupt it while it
 * matches a regular expression. For signals that are listened to already; who listens says
 * `keepAlive`. Without native code a signal waits for the main thread.
 *
 * @param path the library of the kernels; null: there is none
 */
export function guardSignals(path: string | null): void {
  if (path === null || alive !== null) return
  try {
    const { symbols } = dlopen(path, {
      og_signals_guard: { args: ['i32'], returns: 'i32' },
      og_signals_alive: { args: [], returns: 'void' },
    })
    if (symbols.og_signals_guard(limitMs) > 0) alive = symbols.og_signals_alive
  } catch {
    // The kernels say why they cannot be opened, and all but this guard works without them.
  }
}

/** After a signal: as long as the main thread goes round, it may take the time it needs to end. */
export function keepAlive(): void {
  alive?.()
  setInterval(() => alive?.(), aliveMs).unref()
}
