import { openOwnLibrary } from '../native/ffi.ts'

const aliveMs = 200

/** Maximum time that the main thread may be blocked after a signal. */
let limitMs = 1_000
let guard: { set(limitMs: number): number; alive(): void } | null = null

/**
 * Ends this process 1 s after SIGINT, SIGTERM or SIGHUP, with the exit code of the signal, if the
 * main thread has been blocked since. Only that thread handles signals, and a regular expression
 * can block it. The guard covers signals that already have a listener; the listener must call
 * `keepAlive`. Without the native library, a signal waits for the main thread.
 *
 * @param path the library of the kernels, or null
 */
export function guardSignals(path: string | null): void {
  if (path === null || guard !== null) return
  try {
    const symbols = openOwnLibrary(path, {
      og_signals_guard: { args: ['i32'], returns: 'i32' },
      og_signals_alive: { args: [], returns: 'void' },
    })
    if (symbols.og_signals_guard(limitMs) === 0) return
    guard = { set: symbols.og_signals_guard, alive: symbols.og_signals_alive }
  } catch {
    // The kernels report why they cannot be opened; everything except this guard works without
    // them.
  }
}

/**
 * Sets how long the main thread may be blocked after a signal. On a busy machine, the thread may
 * get no processor for seconds; a server that finishes its last requests sets its own limit.
 */
export function setBlockedLimit(ms: number): void {
  limitMs = ms
  guard?.set(ms)
}

/** Call it after a signal: it lets the process take time to end while the main thread runs. */
export function keepAlive(): void {
  guard?.alive()
  setInterval(() => guard?.alive(), aliveMs).unref()
}
