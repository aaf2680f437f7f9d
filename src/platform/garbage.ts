import { openForeign } from './native/foreign.ts'
import { glibcVersion } from './system.ts'

/** Resident memory from which on garbage is collected at once. */
const muchBytes = 350e6
/** What has come since garbage was collected last has to be so much that another time pays. */
const newBytes = 16e6
/** What was in use after the last time. */
let left = { resident: 0, heap: 0 }

/**
 * Collects garbage where this process holds much memory, and has taken more since the last time;
 * called between large tasks. Without it garbage grows with the heap, and the collector does not
 * count the memory of native code. Also returns memory that glibc keeps after it was freed: 100 MB
 * after indexing a large library.
 */
export function collectMuch(): void {
  const { resident, heap } = used()
  // What was returned since, by the engine itself too, may be taken again.
  left = { resident: Math.min(left.resident, resident), heap: Math.min(left.heap, heap) }
  const isNew = Math.max(resident - left.resident, heap - left.heap) >= newBytes
  if (resident <= muchBytes || !isNew) return
  Bun.gc(true)
  libc().trim()
  left = used()
}

function used(): { resident: number; heap: number } {
  const { rss, heapUsed } = process.memoryUsage()
  return { resident: rss, heap: heapUsed }
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

/** Of rows with an embedding each they are some 12 MB. */
const collectedRows = 8192

/**
 * Batches of rows as they come from native code. Their memory no collection counts, and they come
 * faster than garbage is collected otherwise.
 */
export async function* collecting<Batch extends { numRows: number }>(
  batches: AsyncIterable<Batch>,
): AsyncGenerator<Batch> {
  let rows = 0
  for await (const batch of batches) {
    yield batch
    rows += batch.numRows
    if (rows < collectedRows) continue
    collectMuch()
    rows = 0
  }
}

/** What native code takes for a batch of rows is larger by far. */
const largeBytes = 256 * 1024

/**
 * From now on large blocks of native code go back to the system when they are freed. Glibc itself
 * keeps blocks as large as the largest that was freed so far, up to 32 MB (mallopt(3),
 * M_MMAP_THRESHOLD): 300 MB after a large library was written. For writers: each such block is a
 * system call.
 */
export function returnLargeBlocks(): void {
  libc().returnFrom(largeBytes)
}

type Libc = { trim(): void; returnFrom(bytes: number): void }

let opened: Libc | null = null

const libc = () => (opened ??= openLibc())

const noLibc: Libc = { trim: () => {}, returnFrom: () => {} }

/**
 * Of glibc. musl has neither function and needs none: it returns freed memory itself. Without
 * bun:ffi glibc keeps the memory.
 */
function openLibc(): Libc {
  if (process.platform !== 'linux' || glibcVersion() === null) return noLibc
  const opened = openForeign('libc.so.6', {
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

/** As <malloc.h> has it. */
const mmapThreshold = -3
