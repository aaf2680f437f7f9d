import { openForeignFunctions } from './native/ffi.ts'
import { glibcVersion } from './system.ts'

/** Garbage is collected when resident memory exceeds this. */
const muchBytes = 350e6
/** A collection is worthwhile only if memory has grown by this much since the last one. */
const newBytes = 16e6
let usedBefore = { resident: 0, heap: 0 }

/**
 * Collects garbage if this process uses much memory and has grown since the last call. Call it
 * between large tasks, because the collector ignores the memory of native code. Also returns freed
 * memory that glibc retains, which is 100 MB after indexing a large library.
 */
export function collectIfLarge(): void {
  const { resident, heap } = memoryInUse()
  // The process may reuse memory that it has already returned.
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

/** Calls `collectIfLarge` in a loop, for at most a fifth of the loop's time. */
export function collectMeanwhile(): void {
  const began = performance.now()
  if (began - endedAt < 4 * tookMs) return
  collectIfLarge()
  endedAt = performance.now()
  tookMs = endedAt - began
}

/** These rows take about 12 MB if each has one embedding. */
const collectedRows = 8192

/**
 * Yields batches of rows from native code and collects garbage in between. The collector does not
 * count these batches, so it would run too late by itself.
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

/** Native code allocates much larger blocks for a batch of rows. */
const largeBytes = 256 * 1024

/**
 * Makes native code return large blocks to the system when it frees them. By default, glibc retains
 * blocks up to the size of the largest one freed so far, at most 32 MB (mallopt(3),
 * M_MMAP_THRESHOLD). After writing a large library it retains 300 MB. Call it only in writers
 * because each large block then costs a system call.
 */
export function returnLargeBlocks(): void {
  libc().returnFrom(largeBytes)
}

type Libc = { trim(): void; returnFrom(bytes: number): void }

let openedLibc: Libc | null = null

const libc = () => (openedLibc ??= openLibc())

const noLibc: Libc = { trim: () => {}, returnFrom: () => {} }

/**
 * Opens two functions of glibc. Without bun:ffi, glibc keeps freed memory. musl lacks these
 * functions but returns freed memory by itself.
 */
function openLibc(): Libc {
  if (process.platform !== 'linux' || glibcVersion() === null) return noLibc
  const library = openForeignFunctions('libc.so.6', {
    malloc_trim: { args: ['u64'], returns: 'i32' },
    mallopt: { args: ['i32', 'i32'], returns: 'i32' },
  })
  if (library === null) return noLibc
  const { symbols } = library
  return {
    trim: () => void symbols.malloc_trim(0),
    returnFrom: (bytes) => void symbols.mallopt(mmapThreshold, bytes),
  }
}

/** The value from <malloc.h>. */
const mmapThreshold = -3
