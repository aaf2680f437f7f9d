import { dlopen } from 'bun:ffi'
import { glibcVersion } from './system.ts'

/** Resident memory from which on garbage is collected at once. */
const muchBytes = 350e6

/**
 * Collects garbage where this process holds much memory; called between large tasks. Without it
 * garbage grows with the heap, and the collector does not count the memory of native code. Also
 * returns memory that glibc keeps after it was freed: 100 MB after indexing a large library.
 */
export function collectMuch(): void {
  if (process.memoryUsage.rss() <= muchBytes) return
  Bun.gc(true)
  libc().trim()
}

let endedAt = -Infinity
let tookMs = 0

/** Calls `collectMuch` within a loop, for at most a fifth of the time of the loop. */
export function collectMeanwhile(): void {
  const began = performance.now()
  if (began - endedAt < 4 * tookMs) return
  collectMuch()
  endedAt = performance.now()
  tookMs = endedAt - began
}

let opened: { trim(): void } | null = null

const libc = () => (opened ??= openLibc())

/** The `malloc_trim` of glibc. musl has none and needs none: it returns freed memory itself. */
function openLibc(): { trim(): void } {
  if (process.platform !== 'linux' || glibcVersion() === null) return { trim: () => {} }
  const { symbols } = dlopen('libc.so.6', { malloc_trim: { args: ['u64'], returns: 'i32' } })
  return { trim: () => void symbols.malloc_trim(0) }
}
