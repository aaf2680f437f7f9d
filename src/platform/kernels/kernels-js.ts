/**
 * The kernels in JavaScript, used if there is no native library, and as the reference in tests of
 * the native kernels. Takes the same arguments as `Kernels` in kernels.ts, which are already
 * checked.
 */
export function jsTopk(
  query: Float32Array,
  block: Float32Array,
  { dims, k }: { dims: number; k: number },
): { rows: Int32Array; scores: Float32Array } {
  const nRows = block.length / dims
  const size = Math.min(k, nRows)
  const heap: Heap = { rows: new Int32Array(size), scores: new Float32Array(size), size: 0 }
  for (let row = 0; row < nRows; row++) {
    // Rounded before ranking, so that rows with equal returned scores count as ties.
    offer(heap, { score: Math.fround(dot(query, block, row * dims)), row })
  }
  sort(heap)
  return { rows: heap.rows, scores: heap.scores }
}

export function jsNormalise(block: Float32Array, dims: number): void {
  for (let start = 0; start < block.length; start += dims) {
    let sum = 0
    for (let i = start; i < start + dims; i++) sum += block[i]! * block[i]!
    const norm = Math.sqrt(sum)
    if (!(norm > 0 && norm < Infinity)) continue
    const factor = 1 / norm
    for (let i = start; i < start + dims; i++) block[i]! *= factor
  }
}

export function jsPairwise(block: Float32Array, dims: number): Float32Array {
  const nRows = block.length / dims
  const out = new Float32Array(nRows * nRows)
  for (let i = 0; i < nRows; i++) {
    const row = block.subarray(i * dims, (i + 1) * dims)
    for (let j = i; j < nRows; j++) {
      out[i * nRows + j] = out[j * nRows + i] = dot(row, block, j * dims)
    }
  }
  return out
}

/** Computes a dot product in four partial sums, so that additions do not wait for each other. */
function dot(a: Float32Array, b: Float32Array, start: number): number {
  let s0 = 0
  let s1 = 0
  let s2 = 0
  let s3 = 0
  let i = 0
  for (; i + 4 <= a.length; i += 4) {
    s0 += a[i]! * b[start + i]!
    s1 += a[i + 1]! * b[start + i + 1]!
    s2 += a[i + 2]! * b[start + i + 2]!
    s3 += a[i + 3]! * b[start + i + 3]!
  }
  for (; i < a.length; i++) s0 += a[i]! * b[start + i]!
  return s0 + s2 + (s1 + s3)
}

/**
 * A heap of the best hits so far, with the worst hit at the root. The arrays of the heap are
 * returned.
 */
type Heap = { rows: Int32Array; scores: Float32Array; size: number }
type Hit = { score: number; row: number }

function outranks(a: Hit, b: Hit): boolean {
  if (a.score > b.score) return true
  if (a.score < b.score) return false
  const aIsNaN = Number.isNaN(a.score)
  const bIsNaN = Number.isNaN(b.score)
  return aIsNaN === bIsNaN ? a.row < b.row : bIsNaN
}

function at(heap: Heap, index: number): Hit {
  return { score: heap.scores[index]!, row: heap.rows[index]! }
}

function put(heap: Heap, index: number, hit: Hit): void {
  heap.scores[index] = hit.score
  heap.rows[index] = hit.row
}

function offer(heap: Heap, hit: Hit): void {
  if (heap.size < heap.rows.length) siftUp(heap, hit)
  else if (outranks(hit, at(heap, 0))) siftDown(heap, hit)
}

function siftUp(heap: Heap, hit: Hit): void {
  let index = heap.size++
  while (index > 0) {
    const parent = (index - 1) >> 1
    if (!outranks(at(heap, parent), hit)) break
    put(heap, index, at(heap, parent))
    index = parent
  }
  put(heap, index, hit)
}

function siftDown(heap: Heap, hit: Hit): void {
  let index = 0
  for (;;) {
    let child = 2 * index + 1
    if (child >= heap.size) break
    if (child + 1 < heap.size && outranks(at(heap, child), at(heap, child + 1))) child++
    if (!outranks(hit, at(heap, child))) break
    put(heap, index, at(heap, child))
    index = child
  }
  put(heap, index, hit)
}

/** Sorts the heap with the best hit first: repeatedly moves the root to the end. */
function sort(heap: Heap): void {
  while (heap.size > 1) {
    heap.size--
    const last = at(heap, heap.size)
    put(heap, heap.size, at(heap, 0))
    siftDown(heap, last)
  }
}
