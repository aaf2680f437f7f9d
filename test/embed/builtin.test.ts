import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Embedder } from '../../src/embed/embedder.ts'
import { openBuiltinEmbedder } from '../../src/embed/builtin.ts'
import { createTempFolder } from '../../src/platform/file/files.ts'
import { startScript } from '../support/child.ts'
import { cosine, golden, modelFiles, builtinOptions } from '../support/native/golden.ts'

const long = golden.find(({ nTokens }) => nTokens === 512)!.text
const short = 'The connection pool keeps idle sockets open. '.repeat(5)
const dimensions = 384
/**
 * ONNX Runtime adds up numbers in a different order on each CPU, so some of them are quantised
 * differently. On an AMD EPYC with only AVX2, a text of 512 tokens has a cosine of 0.9994 and short
 * texts have 1; the reference was computed with AVX-512 and VNNI. The fp32 weights reach only
 * 0.9976.
 */
const leastCosine = 0.999

// On a busy machine, a text of 512 tokens takes most of a second.

describe('the int8 model', () => {
  let embedder: Embedder
  beforeAll(async () => {
    embedder = openBuiltinEmbedder(await builtinOptions(modelFiles.int8))
  })
  afterAll(() => embedder[Symbol.asyncDispose]())

  test('agrees with the reference for passages and queries', async () => {
    const passages = golden.filter(({ isQuery }) => !isQuery)
    const block = await embedder.embed(passages.map(({ text }) => text))
    expect(block.length).toBe(passages.length * dimensions)
    const rows = passages.map((_, i) => block.subarray(i * dimensions, (i + 1) * dimensions))
    passages.forEach((row, i) => expect(cosine(rows[i]!, row.int8)).toBeGreaterThan(leastCosine))
    for (const { text, int8 } of golden.filter(({ isQuery }) => isQuery)) {
      expect(cosine(await embedder.embedQuery(text), int8)).toBeGreaterThan(leastCosine)
    }
  })

  test('returns embeddings of length 1, batched or not', async () => {
    const block = await embedder.embed(['one', long, ''])
    for (let row = 0; row < 3; row++) {
      const embedding = block.subarray(row * dimensions, (row + 1) * dimensions)
      expect(cosine(embedding, embedding)).toBeCloseTo(1, 5)
    }
    expect(block.subarray(0, dimensions)).toEqual(await embedder.embed(['one']))
    expect((await embedder.embed([])).length).toBe(0)
  })

  test('lets a query overtake waiting passages and keeps the event loop free (W-56)', async () => {
    const order: string[] = []
    let ticks = 0
    await embedder.embedQuery('the model is loaded')
    const timer = setInterval(() => ticks++, 5)
    const passages = [1, 2, 3].map((job) =>
      embedder.embed(Array(8).fill(short)).then(() => order.push(`passages ${job}`)),
    )
    await embedder.embedQuery('useEffect cleanup').then(() => order.push('query'))
    const before = ticks
    await Promise.all(passages)
    clearInterval(timer)
    expect(order).toEqual(['query', 'passages 1', 'passages 2', 'passages 3'])
    expect(ticks - before).toBeGreaterThan(5)
  })
})

const isEmptyQuery = ({ text, isQuery }: (typeof golden)[number]) => isQuery && text === ''

describe('the built-in encoder', () => {
  let embedder: Embedder
  beforeAll(async () => {
    const { encoder } = modelFiles
    const options = { ...(await builtinOptions(modelFiles.int8)), encoderPath: encoder }
    embedder = openBuiltinEmbedder({ ...options, engine: 'native' })
  })
  afterAll(() => embedder[Symbol.asyncDispose]())

  test('embeds simultaneous queries in one batch with the same results as separately', async () => {
    const queries = Array.from(
      { length: 40 },
      (_, i) => `how is pool ${i} ${'opened '.repeat(i % 7)}`,
    )
    const alone: Float32Array[] = []
    for (const query of queries) alone.push(await embedder.embedQuery(query))
    const together = await Promise.all(queries.map((query) => embedder.embedQuery(query)))
    expect(together).toEqual(alone)
    const [passage, ...others] = await Promise.all([
      embedder.embed([long, short]),
      ...queries.map((query) => embedder.embedQuery(query)),
    ])
    expect(others).toEqual(alone)
    expect(passage.subarray(dimensions)).toEqual(await embedder.embed([short]))
  })

  test('embeds passages identically if queries overtake them', async () => {
    const passages = Array.from(
      { length: 24 },
      (_, i) => `pool ${i} ${'is opened '.repeat(9 * (i % 8))}`,
    )
    const alone = await embedder.embed(passages)
    const overtaken = embedder.embed(passages)
    for (let query = 0; query < 10; query++) await embedder.embedQuery('open the pool')
    expect(await overtaken).toEqual(alone)
  })

  test('is nearer to fp32 than the int8 graph, for passages and queries', async () => {
    const passages = golden.filter(({ isQuery }) => !isQuery)
    const block = await embedder.embed(passages.map(({ text }) => text))
    expect(embedder.arithmetic).toBe('native-int8')
    const cosines = passages.map((row, i) =>
      cosine(block.subarray(i * dimensions, (i + 1) * dimensions), row.fp32),
    )
    // An empty query consists only of the prefix and never occurs in practice; its embedding is
    // checked below.
    for (const { text, fp32 } of golden.filter((row) => row.isQuery && !isEmptyQuery(row))) {
      cosines.push(cosine(await embedder.embedQuery(text), fp32))
    }
    const mean = cosines.reduce((a, b) => a + b) / cosines.length
    expect(mean).toBeGreaterThan(0.998)
    expect(Math.min(...cosines)).toBeGreaterThan(0.995)
    const { fp32, int8 } = golden.find(isEmptyQuery)!
    expect(cosine(await embedder.embedQuery(''), fp32)).toBeGreaterThan(cosine(int8, fp32))
  })

  test('lets a query overtake passages and keeps the event loop free', async () => {
    const order: string[] = []
    let ticks = 0
    const timer = setInterval(() => ticks++, 5)
    const passages = [1, 2].map((job) =>
      embedder.embed(Array(5).fill(long)).then(() => order.push(`passages ${job}`)),
    )
    await embedder.embedQuery('useEffect cleanup').then(() => order.push('query'))
    await Promise.all(passages)
    clearInterval(timer)
    expect(order).toEqual(['query', 'passages 1', 'passages 2'])
    expect(ticks).toBeGreaterThan(5)
  })

  test('returns the same bits in a batch as separately, even for an empty text', async () => {
    const block = await embedder.embed(['one', long, ''])
    expect(block.subarray(0, dimensions)).toEqual(await embedder.embed(['one']))
    expect(block.subarray(2 * dimensions)).toEqual(await embedder.embed(['']))
  })
})

describe('errors', () => {
  test('reports a missing or invalid model, and lets the process exit', async () => {
    await using temp = await createTempFolder('og model')
    const broken = join(temp.path, 'model.onnx')
    writeFileSync(broken, Buffer.alloc(5000, 7))
    for (const path of [broken, join(temp.path, 'none.onnx')]) {
      await using child = startScript('embed-and-end.ts', [path])
      expect(await child.line()).toStartWith('OgError: Cannot run the embedding model: ')
      expect(await child.exited).toBe(0)
    }
  })

  test('rejects later calls with the same error', async () => {
    await using embedder = openBuiltinEmbedder(await builtinOptions('/none/model.onnx'))
    const outcomes = await Promise.allSettled([embedder.embed(['a']), embedder.embedQuery('b')])
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    await expect(embedder.embed(['c'])).rejects.toThrow('Cannot run the embedding model')
  })

  test('rejects calls that are waiting when the embedder is closed', async () => {
    const embedder = openBuiltinEmbedder(await builtinOptions(modelFiles.int8))
    const waiting = Promise.allSettled([embedder.embed([short, short]), embedder.embed([short])])
    await embedder[Symbol.asyncDispose]()
    const late = await Promise.allSettled([embedder.embedQuery('late')])
    for (const outcome of [...(await waiting), ...late]) {
      expect(String((outcome as PromiseRejectedResult).reason)).toContain('the embedder is closed')
    }
  })

  test('stops work soon after it is closed, and lets the process exit normally', async () => {
    for (const closeAfterMs of ['10', '600', '900']) {
      await using child = startScript('embed-and-end.ts', [modelFiles.int8, closeAfterMs])
      expect(await child.line()).toBe('OgError: Cannot embed: the embedder is closed')
      expect(await child.exited).toBe(0)
    }
  })
})
