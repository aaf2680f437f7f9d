import { openOwnLibrary } from '../native/ffi.ts'

const aliveMs = 200

let limitMs = 1_000
let guard: { set(limitMs: number): number; alive(): void } | null = null

/**
 * Ends this process with the signal's exit code if SIGINT, SIGTERM or SIGHUP arrives and the main
 * thread stays blocked for 1 s. This is needed because only the main thread handles signals, and a
 * regular expression can block it. The guard covers signals that already have a listener, which
 * must call `keepAlive`. Without the native library, a signal waits for the main thread.
 *
 * @param path the library with the kernels, or null
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
    // The kernels report why the library cannot be opened. Everything except this guard works
    // without it.
  }
}

/**
 * Sets how long the main thread may be blocked after a signal. A server that finishes its last
 * requests sets its own limit, because on a busy machine the thread may wait seconds for a
 * processor.
 */
export function setBlockedLimit(ms: number): void {
  limitMs = ms
  guard?.set(ms)
}

/** Call this after a signal: the process may then take its time while the main thread runs. */
export function keepAlive(): void {
  guard?.alive()
  setInterval(() => guard?.alive(), aliveMs).unref()
}
