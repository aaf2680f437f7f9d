import { describe, expect } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildKernels } from '../../scripts/build/kernels.ts'
import type { Tensor } from '../../scripts/model/onnx-graph.ts'
import { weightFile } from '../../scripts/model/quantise.ts'
import { hurryCounter, openEncoder, type Encoder } from '../../src/platform/kernels/encoder.ts'
import { createTempFolder } from '../../src/platform/file/files.ts'
import { encodeReference, randomWeights, shape } from '../support/native/encoder-reference.ts'
import { testWhere } from '../support/where.ts'

const weights = randomWeights(7)
const folder = await createTempFolder('encoder')
const paths = { cls: join(folder.path, 'cls'), mean: join(folder.path, 'mean') }
for (const pooling of ['cls', 'mean'] as const) {
  writeFileSync(paths[pooling], weightFile(weights, { heads: shape.heads, pooling }))
}
const { path: libraryPath } = await buildKernels()
const uncompiled = libraryPath === null ? 'no C compiler has built the kernels' : null
const test = testWhere(uncompiled)

/**
 * The instruction sets of this architecture, each with the reason why this machine cannot run it,
 * or null.
 */
const every = (
  process.arch === 'arm64'
    ? ['serial', 'dotprod', 'i8mm']
    : ['serial', 'avx2', 'avxvnni', 'avx512vnni', 'amx']
).map((isa) => ({ isa, lack: lackOf(isa) }))

type Opening = Partial<Parameters<typeof openEncoder>[0]> & { path?: string }

function open({ threads = 1, path = paths.cls, ...options }: Opening = {}): Encoder {
  return openEncoder({ libraryPath: libraryPath!, weightsPath: path, threads, ...options })
}

function lackOf(isa: string): string | null {
  if (uncompiled !== null) return uncompiled
  try {
    open({ isa })[Symbol.dispose]()
    return null
  } catch (error) {
    if (!String(error).includes('this CPU cannot run that instruction set')) throw error
    return `this CPU has no ${isa}`
  }
}

/** Returns a text of this length whose token ids depend only on the seed. */
function text(length: number, seed = 1): number[] {
  return Array.from({ length }, (_, i) => (i * 31 + seed * 17 + ((i * i) % 7)) % shape.vocabulary)
}

const mapped = (tensor: Tensor, change: (x: number) => number): Tensor => ({
  ...tensor,
  values: tensor.values.map(change),
})

function joined(rows: Float32Array[]): Float32Array<ArrayBuffer> {
  return Float32Array.from(rows.flatMap((row) => [...row]))
}

function cosine(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let [ab, aa, bb] = [0, 0, 0]
  for (let i = 0; i < a.length; i++) {
    ab += a[i]! * b[i]!
    aa += a[i]! ** 2
    bb += b[i]! ** 2
  }
  return ab / Math.sqrt(aa * bb)
}

describe('every instruction set', () => {
  const lengths = [1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 31, 33, 47, 48, 49, 63, 64, 65, 79, 80]

  const plain = lengths.map((length) => encodeReference(weights, text(length), 'cls'))
  for (const { isa, lack } of every) {
    testWhere(lack)(
      `${isa}: agrees with the reference implementation for every kind of length`,
      () => {
        using encoder = open({ isa })
        expect(encoder.isa).toBe(isa)
        lengths.forEach((length, i) => {
          expect(cosine(encoder.encode([text(length)]), plain[i]!)).toBeGreaterThan(0.998)
        })
      },
    )

    testWhere(lack)(`${isa}: agrees with portable C except for the last quantisation steps`, () => {
      using serial = open({ isa: 'serial' })
      using encoder = open({ isa })
      // Attention weights have only seven bits on arm64.
      const least = isa === 'dotprod' || isa === 'i8mm' ? 0.999 : 0.9995
      for (const length of lengths) {
        const ids = [text(length)]
        expect(cosine(encoder.encode(ids), serial.encode(ids))).toBeGreaterThan(least)
      }
    })
  }

  test('uses mean pooling if the weight file says so', () => {
    using encoder = open({ path: paths.mean })
    for (const length of [1, 5, 33]) {
      const wanted = encodeReference(weights, text(length), 'mean')
      expect(cosine(encoder.encode([text(length)]), wanted)).toBeGreaterThan(0.998)
    }
  })
})

test('returns the same bits for any batch and any number of threads', () => {
  // Threads share the rows of a few texts, but process many texts one by one.
  const texts = Array.from({ length: 40 }, (_, i) => text(1 + ((i * 13) % 80), i))
  using one = open({ threads: 1 })
  const alone = texts.map((ids) => one.encode([ids]))
  for (const threads of [1, 2, 3, 5]) {
    using encoder = open({ threads })
    for (const [from, to] of [
      [0, 40],
      [5, 12],
      [3, 5],
      [0, 14],
    ] as const) {
      expect(encoder.encode(texts.slice(from, to))).toEqual(joined(alone.slice(from, to)))
    }
  }
})

test('when told to hurry, finishes only the texts that it has started', () => {
  const texts = Array.from({ length: 40 }, (_, i) => text(1 + ((i * 13) % 80), i))
  for (const threads of [1, 2, 3]) {
    const hurry = hurryCounter()
    using encoder = open({ threads, hurry })
    const all = encoder.encode(texts)
    hurry[0] = 1
    const some = encoder.encode(texts)
    expect(some.length).toBeLessThan(all.length / 2)
    expect(some).toEqual(all.subarray(0, some.length))
    expect(some.length / shape.hidden).toBeGreaterThanOrEqual(1)
    // The encoder finishes a few texts before it checks whether to hurry.
    expect(encoder.encode(texts.slice(0, 3))).toEqual(all.subarray(0, 3 * shape.hidden))
  }
})

test('rejects texts that cannot be encoded, and keeps working', () => {
  using encoder = open()
  const wrong = 'a text is empty, too long or has an unknown token'
  const tooMany = Array.from({ length: encoder.batchTokens / 80 + 1 }, () => text(80))
  for (const texts of [[[]], [text(81)], [[50]], [[-1]], [text(3), []], tooMany]) {
    expect(() => encoder.encode(texts)).toThrow(wrong)
  }
  expect(encoder.encode([]).length).toBe(0)
  expect(encoder.encode([text(3)]).length).toBe(shape.hidden)
})

test('rejects a damaged weight file', () => {
  const whole = weightFile(weights, { heads: shape.heads, pooling: 'cls' })
  const check = (bytes: Uint8Array, reason: string) => {
    const path = join(folder.path, 'damaged')
    writeFileSync(path, bytes)
    expect(() => open({ path })).toThrow(reason)
  }
  const changed = (at: number, byte: number) => {
    const bytes = whole.slice()
    bytes[at] = byte
    return bytes
  }
  check(new Uint8Array(), 'it is empty')
  for (const length of [1, 63, 64, 65, whole.length - 64, whole.length - 1]) {
    check(whole.slice(0, length), 'it is cut short or has a tail')
  }
  check(new Uint8Array([...whole, 0]), 'it is cut short or has a tail')
  check(changed(0, 1), 'it is not a weight file of og')
  check(changed(8, 1), 'its version is another')
  check(changed(13, 255), 'its sizes are impossible')
  check(changed(16, 3), 'its sizes are none that this og computes')
  check(changed(12, 3), 'its sizes are not those of its parts')
  for (const at of [64, 1000, whole.length - 1]) {
    check(changed(at, whole[at]! ^ 1), 'its checksum is wrong')
  }
  const path = join(folder.path, 'damaged')
  expect(() => open({ path, isVerified: true }).isa).not.toThrow()
  expect(() => open({ path: join(folder.path, 'missing') })).toThrow('No such file')
})

describe('handles scores beyond the range of float32', () => {
  const path = join(folder.path, 'wide')
  const matrix = (node: string) =>
    mapped(weights.matrix(node), (x) => (/query|key/.test(node) ? x * 30 : x))
  const wide = { ...weights, matrix }
  writeFileSync(path, weightFile(wide, { heads: shape.heads, pooling: 'cls' }))
  for (const { isa, lack } of every) {
    testWhere(lack)(isa, () => {
      using encoder = open({ isa, path })
      for (const length of [1, 3, 17, 80]) {
        const wanted = encodeReference(wide, text(length), 'cls')
        // The scores are 900 times as large, and so are the rounding errors in them.
        expect(cosine(encoder.encode([text(length)]), wanted)).toBeGreaterThan(0.99)
      }
    })
  }
})

describe('adds up long rows of equal signs without overflow', () => {
  const path = join(folder.path, 'flat')
  const flat = {
    ...weights,
    matrix: (node: string) => mapped(weights.matrix(node), (x) => Math.abs(x) + 0.2),
    tensor: (name: string) =>
      /(embeddings|attention.output).LayerNorm/.test(name)
        ? mapped(weights.tensor(name), (x) => (name.endsWith('bias') ? 1 + x : x / 20))
        : weights.tensor(name),
  }
  writeFileSync(path, weightFile(flat, { heads: shape.heads, pooling: 'cls' }))
  for (const { isa, lack } of every) {
    testWhere(lack)(isa, () => {
      using encoder = open({ isa, path })
      for (const length of [1, 3, 17, 80]) {
        const wanted = encodeReference(flat, text(length), 'cls')
        expect(cosine(encoder.encode([text(length)]), wanted)).toBeGreaterThan(0.998)
      }
    })
  }
})
