/**
 * The worker thread that owns the model. Creating and running a session blocks its thread, but the
 * main thread has to draw progress, answer requests and handle Ctrl-C. It receives one
 * `OpenMessage`, then `EmbedJob`s, and finally `CloseMessage`. It sends `opened`, a `done` or
 * `failed` for each job, and `closed`. The main thread terminates this thread only after `closed`,
 * because terminating it while the model runs makes ONNX Runtime's addon throw an uncaught
 * exception that ends the process.
 */
import { messageOf } from '../platform/error.ts'
import { openKernels } from '../platform/kernels/kernels.ts'
import { openEngine, paddedTokenCount, type Engine, type EngineOptions } from './engine.ts'
import { openTokenizer, type TextTokenizer } from './tokenizer.ts'

/** `hurry` counts the reasons to end a run early: closing, and waiting urgent jobs. */
export type OpenMessage = Required<EngineOptions> & {
  type: 'open'
  tokenizerPath: string
  maxTokens: number
}
export type EmbedJob = { type: 'embed'; id: number; texts: string[]; urgent: boolean }
export type CloseMessage = { type: 'close' }
export type WorkerReply =
  | { type: 'opened'; arithmetic: string; detail: string }
  | { type: 'closed' }
  | { type: 'done'; id: number; block: Float32Array }
  | { type: 'failed'; id: number | null; reason: string }

declare const self: Worker

const urgent: EmbedJob[] = []
const waiting: EmbedJob[] = []
let busy = true
let closing = false
let model: { engine: Engine; tokenizer: TextTokenizer; opening: OpenMessage } | null = null
let kernels: ReturnType<typeof openKernels> | null = null

self.onmessage = async (event: MessageEvent<OpenMessage | EmbedJob | CloseMessage>) => {
  const message = event.data
  if (message.type === 'open') return open(message)
  if (message.type === 'close') closing = true
  else (message.urgent ? urgent : waiting).push(message)
  if (!busy) await drain()
}

async function open(opening: OpenMessage): Promise<void> {
  try {
    const tokenizer = openTokenizer(opening.tokenizerPath)
    const engine = await openEngine(opening)
    kernels = openKernels(opening.kernelsPath)
    model = { engine, tokenizer, opening }
    const { arithmetic, detail } = engine
    self.postMessage({ type: 'opened', arithmetic, detail } satisfies WorkerReply)
  } catch (error) {
    self.postMessage({ type: 'failed', id: null, reason: messageOf(error) } satisfies WorkerReply)
    return
  }
  await drain()
}

async function drain(): Promise<void> {
  busy = true
  for (let jobs = nextJobs(); jobs.length > 0; jobs = nextJobs()) await run(jobs)
  busy = false
  if (closing) self.postMessage({ type: 'closed' } satisfies WorkerReply)
}

/** Returns the next jobs: one job, or all waiting queries together to read the weights once. */
function nextJobs(): EmbedJob[] {
  if (closing) return []
  return urgent.length > 0 ? takeUrgent() : waiting.splice(0, 1)
}

function takeUrgent(): EmbedJob[] {
  Atomics.sub(model!.opening.hurry, 0, urgent.length)
  return urgent.splice(0)
}

async function run(jobs: readonly EmbedJob[]): Promise<void> {
  try {
    const block = await embedAll(jobs)
    let at = 0
    for (const { id, texts } of jobs) {
      const end = at + texts.length * model!.opening.dimensions
      const own = jobs.length === 1 ? block : block.slice(at, end)
      self.postMessage({ type: 'done', id, block: own } satisfies WorkerReply, [own.buffer])
      at = end
    }
  } catch (error) {
    const reason = messageOf(error)
    for (const { id } of jobs)
      self.postMessage({ type: 'failed', id, reason } satisfies WorkerReply)
  }
}

async function embedAll(jobs: readonly EmbedJob[]): Promise<Float32Array<ArrayBuffer>> {
  const { engine, tokenizer, opening } = model!
  const texts = jobs
    .flatMap((job) => job.texts)
    .map((text) => tokenizer.encode(text, opening.maxTokens))
  const { dimensions } = opening
  const block = new Float32Array(texts.length * dimensions)
  const order = [...texts.keys()].sort((a, b) => texts[b]!.length - texts[a]!.length)
  const sorted = order.map((row) => texts[row]!)
  let at = 0
  while (at < sorted.length) {
    const rows = await engine.run(nextBatch(sorted, at, engine.batchTokens))
    for (let from = 0; from < rows.length; from += dimensions) {
      block.set(rows.subarray(from, from + dimensions), order[at++]! * dimensions)
    }
    // The answer to a query does not wait for messages.
    if (jobs[0]?.urgent === true && at === sorted.length) break
    await nextTurn()
    if (closing) throw new Error('closing')
    // A query that has just arrived is embedded first.
    if (jobs[0]?.urgent === false && urgent.length > 0) await run(takeUrgent())
  }
  kernels!.normalise(block, dimensions)
  return block
}

/** Returns the texts for the next run: at least one, and as many more as `batchTokens` allows. */
function nextBatch(texts: number[][], from: number, batchTokens: number): number[][] {
  let end = from + 1
  let room = batchTokens - paddedTokenCount(texts[from]!.length)
  while (end < texts.length && (room -= paddedTokenCount(texts[end]!.length)) >= 0) end++
  return texts.slice(from, end)
}

/** Waits until messages that arrived during the computation have been delivered. */
const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve))
