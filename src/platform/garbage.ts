/** A process that holds less has no need to hurry. */
const muchBytes = 350e6

/**
 * Collects garbage where this process holds much, between two pieces of large work: left to itself,
 * garbage grows with the heap, and the heap knows nothing of what native code takes beside it.
 */
export function collectMuch(): void {
  if (process.memoryUsage.rss() > muchBytes) Bun.gc(true)
}
