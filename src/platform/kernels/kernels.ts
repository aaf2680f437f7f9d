import { messageOf, OgError } from '../error.ts'
import { openOwnLibrary } from '../native/ffi.ts'

/** Row numbers in order of rank, and each row's dot product with the query. */
type TopRows = { rows: Int32Array; scores: Float32Array }

/** With `compressed`, the result is the same, but most rows of the block are not read. */
type TopkOptions = { dims: number; k: number; compressed?: Uint8Array | null }

/** Arithmetic on a block: a Float32Array of consecutive rows with `dims` numbers each. */
export type Kernels = {
  /** The instruction set in use: avx512, avx2, neon, serial, or js for the JavaScript twin. */
  readonly isa: string
  /** Why the JavaScript twin is used although native kernels were requested. */
  readonly fallbackReason: string | undefined
  /** Returns the `k` rows with the highest dot product. Orders ties by row and puts NaN last. */
  topk(query: Float32Array, block: Float32Array, options: TopkOptions): TopRows
  /**
   * Returns a compressed copy of a block, about a quarter of its size. It makes `topk` faster for
   * blocks larger than the caches. Returns null without native kernels or for too many dimensions.
   */
  compress(block: Float32Array, dims: number): Uint8Array | null
  /** Scales each row to length 1 in place. Rows of zeros, NaN or infinity stay unchanged. */
  normalise(block: Float32Array, dims: number): void
  pairwise(block: Float32Array, dims: number): Float32Array
}

/**
 * Opens the kernels in the shared library at `path`, or their JavaScript twins if the library is
 * missing or cannot be opened. `isa` forces an instruction set; the default is this CPU's best one.
 *
 * @throws OgError if the library is intact but this CPU cannot run `isa`
 */
export function openKernels(path: string | null, options: { isa?: string } = {}): Kernels {
  if (options.isa === 'js') return withChecks(twin(undefined))
  if (path === null) return withChecks(twin('the kernels were not built'))
  const native = openNative(path)
  if (typeof native === 'string') return withChecks(twin(native))
  return withChecks(withFixedIsa(native, options.isa))
}

/** Maximum number of dimensions. No embedding has more, and 32-bit indexes do not overflow. */
const MAX_DIMS = 65_536
const ABI_VERSION = 2

/** Number of bytes per row in a compressed copy, in addition to one per dimension. */
const BOUNDS_SIZE = 12

const signatures = {
  og_kernel_abi_version: { args: [], returns: 'i32' },
  og_kernel_isa: { args: [], returns: 'cstring' },
  og_force_isa: { args: ['buffer'], returns: 'i32' },
  og_topk: { args: ['buffer', 'buffer', 'i64', 'i32', 'i32', 'buffer', 'buffer'], returns: 'i32' },
  og_compress: { args: ['buffer', 'i64', 'i32', 'buffer'], returns: 'i32' },
  og_topk_compressed: {
    args: ['buffer', 'buffer', 'buffer', 'i64', 'i32', 'i32', 'buffer', 'buffer'],
    returns: 'i32',
  },
  og_normalise: { args: ['buffer', 'i64', 'i32'], returns: 'void' },
  og_pairwise: { args: ['buffer', 'i64', 'i32', 'buffer'], returns: 'void' },
} as const

type Native = ReturnType<typeof openOwnLibrary<typeof signatures>>

/** Returns the functions of the library, or the reason why it cannot be used. */
function openNative(path: string): Native | string {
  try {
    const symbols = openOwnLibrary(path, signatures)
    const version = symbols.og_kernel_abi_version()
    if (version === ABI_VERSION) return symbols
    return `the kernels at ${path} have ABI ${version}, this program needs ${ABI_VERSION}`
  } catch (error) {
    return messageOf(error)
  }
}

function twin(fallbackReason: string | undefined): Kernels {
  const compress = () => null
  return {
    isa: 'js',
    fallbackReason,
    topk: jsTopk,
    compress,
    normalise: jsNormalise,
    pairwise: jsPairwise,
  }
}

/**
 * Returns kernels with a fixed instruction set. The library has one global setting. Each call sets
 * it again, so that kernels with different instruction sets can alternate.
 */
function withFixedIsa(native: Native, isa: string | undefined): Kernels {
  const name = new TextEncoder().encode(`${isa ?? ''}\0`)
  if (native.og_force_isa(name) === 0) throw cannotUse(isa)
  return {
    isa: String(native.og_kernel_isa()),
    fallbackReason: undefined,
    topk(query, block, { dims, k, compressed }) {
      const nRows = block.length / dims
      const rows = new Int32Array(Math.min(k, nRows))
      const scores = new Float32Array(rows.length)
      native.og_force_isa(name)
      if (compressed) {
        native.og_topk_compressed(query, block, compressed, nRows, dims, rows.length, rows, scores)
      } else native.og_topk(query, block, nRows, dims, rows.length, rows, scores)
      return { rows, scores }
    },
    compress(block, dims) {
      const nRows = block.length / dims
      const compressed = new Uint8Array(nRows * (dims + BOUNDS_SIZE))
      native.og_force_isa(name)
      return native.og_compress(block, nRows, dims, compressed) === 1 ? compressed : null
    },
    normalise(block, dims) {
      native.og_force_isa(name)
      native.og_normalise(block, block.length / dims, dims)
    },
    pairwise(block, dims) {
      const nRows = block.length / dims
      const out = new Float32Array(nRows * nRows)
      native.og_force_isa(name)
      native.og_pairwise(block, nRows, dims, out)
      return out
    },
  }
}

function cannotUse(isa: string | undefined): OgError {
  return new OgError(
    `Cannot use the instruction set "${isa}": this CPU or build does not support it`,
    { hint: 'use serial, avx2, avx512, neon or js, or unset it for the fastest one' },
  )
}

/** Checks lengths and handles empty blocks, which have no address in C. */
function withChecks(inner: Kernels): Kernels {
  return {
    isa: inner.isa,
    fallbackReason: inner.fallbackReason,
    topk(query, block, { dims, k, compressed }) {
      checkBlock(block, dims)
      checkQuery(query, { dims, k })
      if (compressed) checkCompressed(compressed, { block, dims })
      if (block.length === 0 || k === 0) return noRows()
      return inner.topk(query, block, { dims, k, compressed })
    },
    compress(block, dims) {
      checkBlock(block, dims)
      return block.length === 0 ? null : inner.compress(block, dims)
    },
    normalise(block, dims) {
      checkBlock(block, dims)
      if (block.length > 0) inner.normalise(block, dims)
    },
    pairwise(block, dims) {
      checkBlock(block, dims)
      return block.length === 0 ? new Float32Array(0) : inner.pairwise(block, dims)
    },
  }
}

function noRows(): TopRows {
  return { rows: new Int32Array(0), scores: new Float32Array(0) }
}

function checkBlock(block: Float32Array, dims: number): void {
  if (!Number.isInteger(dims) || dims < 0 || dims > MAX_DIMS) {
    throw new OgError(`Cannot read rows of ${dims} dimensions: allowed are 0 to ${MAX_DIMS}`)
  }
  if (dims === 0 ? block.length > 0 : block.length % dims !== 0) {
    throw new OgError(`Cannot cut ${block.length} numbers into rows of ${dims} dimensions`, {
      hint: 'another model computed the embeddings',
    })
  }
}

/** C code would read past the end of a copy that is too short. */
function checkCompressed(
  { length }: Uint8Array,
  { block, dims }: { block: Float32Array; dims: number },
): void {
  if (length === (block.length / dims) * (dims + BOUNDS_SIZE)) return
  throw new OgError(`Cannot search a compressed copy of ${length} bytes: it is of other rows`, {
    hint: 'another model embedded the rows',
  })
}

function checkQuery(query: Float32Array, { dims, k }: { dims: number; k: number }): void {
  if (query.length !== dims) {
    throw new OgError(`Cannot compare ${query.length} dimensions with rows of ${dims}`, {
      hint: 'another model embedded the rows',
    })
  }
  if (!Number.isInteger(k) || k < 0) {
    throw new OgError(`Cannot return ${k} rows: the number must be whole and not negative`)
  }
}

/**
 * The kernels in JavaScript, used if there is no native library and as the reference in tests. Its
 * arguments are those of `Kernels`, already checked.
 */
export function jsTopk(
  query: Float32Array,
  block: Float32Array,
  { dims, k }: { dims: number; k: number },
): { rows: Int32Array; scores: Float32Array } {
  const nRows = block.length / dims
  // Round before ranking: rows with equal returned scores then count as ties.
  const scores = new Float32Array(nRows)
  const byRank = (a: number, b: number) => {
    const [x, y] = [scores[a]!, scores[b]!]
    return Number(Number.isNaN(x)) - Number(Number.isNaN(y)) || y - x || a - b
  }
  let best: number[] = []
  let worst: number | undefined
  for (let row = 0; row < nRows; row++) {
    scores[row] = dot(query, block, row * dims)
    if (worst !== undefined && byRank(row, worst) > 0) continue
    best.push(row)
    if (best.length < 2 * k) continue
    best = best.sort(byRank).slice(0, k)
    worst = best.at(-1)
  }
  const rows = Int32Array.from(best.sort(byRank).slice(0, k))
  return { rows, scores: Float32Array.from(rows, (row) => scores[row]!) }
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

/** Computes a dot product in four partial sums so that additions do not wait for each other. */
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
