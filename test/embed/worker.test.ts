/**
 * Tests the replies of the worker thread message by message; test/embed/builtin.test.ts tests its
 * use.
 */
import { afterEach, expect, test } from 'bun:test'
import { join } from 'node:path'
import type { CloseMessage, EmbedJob, OpenMessage, WorkerReply } from '../../src/embed/worker.ts'
import { hurryCounter } from '../../src/platform/kernels/encoder.ts'
import { sourceRoot } from '../../src/platform/native/bundled.ts'
import { builtinOptions, cosine, modelFiles } from '../support/native/golden.ts'

const dimensions = 384
const { fingerprint, ...options } = await builtinOptions(modelFiles.int8)
const opening: OpenMessage = {
  ...options,
  type: 'open',
  engine: 'native',
  encoderPath: modelFiles.encoder,
  pooling: 'cls',
  dimensions: fingerprint.dimensions,
  threads: 1,
  hurry: hurryCounter(),
}

const workers = new Set<Worker>()
afterEach(() => {
  for (const worker of workers) worker.terminate()
  workers.clear()
})

/**
 * Sends all messages at once, except one that waits for `opened`, and reads replies until `isLast`.
 */
async function replies(
  messages: (OpenMessage | EmbedJob | CloseMessage)[],
  isLast: (reply: WorkerReply) => boolean,
  opened: CloseMessage | null = null,
): Promise<WorkerReply[]> {
  const worker = new Worker(join(sourceRoot, 'src/embed/worker.ts'))
  workers.add(worker)
  const seen: WorkerReply[] = []
  const { promise, resolve, reject } = Promise.withResolvers<WorkerReply[]>()
  worker.onerror = (event) => reject(new Error(event.message))
  worker.onmessage = ({ data }: MessageEvent<WorkerReply>) => {
    seen.push(data)
    if (data.type === 'opened' && opened !== null) worker.postMessage(opened)
    if (isLast(data)) resolve(seen)
  }
  for (const message of messages) worker.postMessage(message)
  return promise
}

const job = (id: number, texts: string[], urgent = false): EmbedJob => ({
  type: 'embed',
  id,
  texts,
  urgent,
})
const isDone = (id: number) => (reply: WorkerReply) => reply.type === 'done' && reply.id === id
const named = (reply: WorkerReply) => ('id' in reply ? `${reply.type} ${reply.id}` : reply.type)

test('accepts jobs before the model is loaded, and runs urgent jobs first', async () => {
  const seen = await replies(
    [
      job(1, ['one']),
      job(2, ['two', '']),
      job(3, ['three'], true),
      opening,
      job(4, ['four'], true),
    ],
    isDone(2),
  )
  expect(seen[0]).toEqual({ type: 'opened', arithmetic: 'native-int8', detail: expect.any(String) })
  expect(seen.map(named)).toEqual(['opened', 'done 3', 'done 4', 'done 1', 'done 2'])
  const blocks = new Map(
    seen.flatMap((reply) => (reply.type === 'done' ? [[reply.id, reply.block] as const] : [])),
  )
  expect([1, 2, 3, 4].map((id) => blocks.get(id)!.length / dimensions)).toEqual([1, 2, 1, 1])
  for (const block of blocks.values()) {
    expect(cosine(block.slice(0, dimensions), block.slice(0, dimensions))).toBeCloseTo(1, 5)
  }
})

test('returns a separate result for each of several queries embedded in one batch', async () => {
  const texts = ['one lamp', 'two lamps and a wick', 'three']
  const seen = await replies(
    [...texts.map((text, id) => job(id, [text], true)), opening, job(9, texts)],
    isDone(9),
  )
  const all = seen.at(-1) as WorkerReply & { block: Float32Array }
  for (const reply of seen) {
    if (reply.type !== 'done' || reply.id === 9) continue
    const row = all.block.subarray(reply.id * dimensions, (reply.id + 1) * dimensions)
    expect(cosine(reply.block, row)).toBeGreaterThan(0.9999)
  }
})

test("returns no rows for an empty list, and truncates texts that exceed the model's limit", async () => {
  const long = 'lamp '.repeat(3000)
  const both = [long, long.slice(0, 5 * 600)]
  const seen = await replies([opening, job(1, []), job(2, both)], isDone(2))
  expect(seen[1]).toEqual({ type: 'done', id: 1, block: new Float32Array() })
  const { block } = seen[2] as WorkerReply & { block: Float32Array }
  expect(block.subarray(0, dimensions)).toEqual(block.subarray(dimensions))
})

test('rejects every job with the reason if the model cannot be opened', async () => {
  for (const broken of [
    { tokenizerPath: '/nowhere/tokenizer.json' },
    { encoderPath: '/nowhere/encoder', engine: 'native' as const },
  ]) {
    const seen = await replies([job(1, ['one']), { ...opening, ...broken }], () => true)
    expect(seen).toEqual([
      { type: 'failed', id: null, reason: expect.stringContaining('/nowhere') },
    ])
  }
})

test('aborts the current job on close, starts no other job, and then sends its last reply', async () => {
  const many = Array.from({ length: 400 }, (_, i) => `lamp ${i} `.repeat(100))
  const waiting = await replies(
    [job(1, many), job(2, many), { type: 'close' }, opening],
    ({ type }) => type === 'closed',
  )
  expect(waiting.map(named)).toEqual(['opened', 'closed'])
  const broken = await replies(
    [opening, job(1, many), job(2, many)],
    ({ type }) => type === 'closed',
    { type: 'close' },
  )
  expect(broken.map(named)).toEqual(['opened', 'failed 1', 'closed'])
})
