import { dlopen } from 'bun:ffi'
import { glibcVersion } from './system.ts'

/** A process that holds less has no need to hurry. */
const muchBytes = 350e6

/**
 * Collects garbage where this process holds much, between two pieces of large work: left to itself,
 * garbage grows with the heap, and the heap knows nothing of what native code takes beside it. That
 * too is given back: glibc keeps what was freed, 100 MB of it after the index of a large library.
 */
export function collectMuch(): void {
  if (process.memoryUsage.rss() <= muchBytes) return
  Bun.gc(true)
  libc().trim()
}

let endedAt = -Infinity
let tookMs = 0

/** The same within a loop, of whose time it takes a fifth at most. */
export function collectMeanwhile(): void {
  const began = performance.now()
  if (began - endedAt < 4 * tookMs) return
  collectMuch()
  endedAt = performance.now()
  tookMs = endedAt - began
}

let opened: { trim(): void } | null = null

const libc = () => (opened ??= openLibc())

/** musl has no such function: it gives back what is freed without being asked. */
function openLibc(): { trim(): void } {
  if (process.platform !== 'linux' || glibcVersion() === null) return { trim: () => {} }
  const { symbols } = dlopen('libc.so.6', { malloc_trim: { args: ['u64'], returns: 'i32' } })
  return { trim: () => void symbols.malloc_trim(0) }
}
