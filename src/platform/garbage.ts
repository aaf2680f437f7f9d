import { openForeignFunctions } from './native/ffi.ts'
import { glibcVersion } from './system.ts'

/** Resident memory above which garbage is collected at once. */
const muchBytes = 350e6
/** Minimum new memory since the last collection for another one to pay off. */
const newBytes = 16e6
/** Memory in use after the last collection. */
let usedBefore = { resident: 0, heap: 0 }

/**
 * Collects garbage if this process uses much memory and has taken more since the last call; call it
 * between large tasks. Without it, garbage grows with the heap, and the collector does not count
 * the memory of native code. Also returns memory that glibc retains after it was freed: 100 MB
 * after indexing a large library.
 */
export function collectIfLarge(): void {
  const { resident, heap } = memoryInUse()
  // Memory that was returned meanwhile, also by the engine itself, may be taken again.
  usedBefore = {
    resident: Math.min(usedBefore.resident, resident),
    heap: Math.min(usedBefore.heap, heap),
  }
  const isNew = Math.max(resident - usedBefore.resident, heap - usedBefore.heap) >= newBytes
  if (resident <= muchBytes || !isNew) return
  Bun.gc(true)
  libc().trim()
  usedBefore = memoryInUse()
}

function memoryInUse(): { resident: number; heap: number } {
  const { rss, heapUsed } = process.memoryUsage()
  return { resident: rss, heap: heapUsed }
}

let endedAt = -Infinity
let tookMs = 0

/** Calls `collectIfLarge` within a loop, for at most a fifth of the loop's time. */
export function collectMeanwhile(): void {
  const began = performance.now()
  if (began - endedAt < 4 * tookMs) return
  collectIfLarge()
  endedAt = performance.now()
  tookMs = endedAt - began
}

/** With an embedding per row, these rows take about 12 MB. */
const collectedRows = 8192

/**
 * Yields batches of rows from native code and collects garbage in between. No collection counts
 * their memory, and they arrive faster than garbage is collected otherwise.
 */
export async function* collectBetween<Batch extends { numRows: number }>(
  batches: AsyncIterable<Batch>,
): AsyncGenerator<Batch> {
  let rows = 0
  for await (const batch of batches) {
    yield batch
    rows += batch.numRows
    if (rows < collectedRows) continue
    collectIfLarge()
    rows = 0
  }
}

/** Native code takes far more than this for a batch of rows. */
const largeBytes = 256 * 1024

/**
 * Makes native code return large blocks to the system when they are freed. By default, glibc
 * retains blocks up to the size of the largest one freed so far, at most 32 MB (mallopt(3),
 * M_MMAP_THRESHOLD): 300 MB after writing a large library. Use it only for writers, because each
 * such block costs a system call.
 */
export function returnLargeBlocks(): void {
  libc().returnFrom(largeBytes)
}

type Libc = { trim(): void; returnFrom(bytes: number): void }

let openedLibc: Libc | null = null

const libc = () => (openedLibc ??= openLibc())

const noLibc: Libc = { trim: () => {}, returnFrom: () => {} }

/**
 * Opens the functions of glibc. musl has neither function and needs none, because it returns freed
 * memory itself. Without bun:ffi, glibc retains the memory.
 */
function openLibc(): Libc {
  if (process.platform !== 'linux' || glibcVersion() === null) return noLibc
  const opened = openForeignFunctions('libc.so.6', {
    malloc_trim: { args: ['u64'], returns: 'i32' },
    mallopt: { args: ['i32', 'i32'], returns: 'i32' },
  })
  if (opened === null) return noLibc
  const { symbols } = opened
  return {
    trim: () => void symbols.malloc_trim(0),
    returnFrom: (bytes) => void symbols.mallopt(mmapThreshold, bytes),
  }
}

/** The value from <malloc.h>. */
const mmapThreshold = -3
