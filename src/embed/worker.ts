/**
 * The worker thread that owns the model. Creating and running a session block their thread, while
 * the main thread must go on drawing progress, answering and listening for Ctrl-C.
 *
 * Messages in: `Opening` once, `Job`s, `Closing` last; out: `opened`, one `done` or `failed` a job,
 * `closed`. Terminating this thread while the model runs ends the process (ONNX Runtime's addon
 * throws where nothing catches), so it is asked to stop, and terminated once it sends `closed`.
 */
import { messageOf } from '../platform/error.ts'
import { openKernels } from '../platform/kernels/kernels.ts'
import { openEngine, tokensOf, type Engine, type EngineOptions } from './engine.ts'
import { openTokenizer, type TextTokenizer } from './tokenizer.ts'

export type Opening = EngineOptions & { type: 'open'; tokenizerPath: string; maxTokens: number }
export type EmbedJob = { type: 'embed'; id: number; texts: string[]; urgent: boolean }
export type Closing = { type: 'close' }
export type Reply =
  | { type: 'opened'; arithmetic: string; detail: string }
  | { type: 'closed' }
  | { type: 'done'; id: number; block: Float32Array }
  | { type: 'failed'; id: number | null; reason: string }

declare const self: Worker

const urgent: EmbedJob[] = []
const waiting: EmbedJob[] = []
let busy = true
let closing = false
let model: { engine: Engine; tokenizer: TextTokenizer; opening: Opening } | null = null
let kernels: ReturnType<typeof openKernels> | null = null

self.onmessage = async (event: MessageEvent<Opening | EmbedJob | Closing>) => {
  const message = event.data
  if (message.type === 'open') return open(message)
  if (message.type === 'close') closing = true
  else (message.urgent ? urgent : waiting).push(message)
  if (!busy) await drain()
}

async function open(opening: Opening): Promise<void> {
  try {
    const tokenizer = openTokenizer(opening.tokenizerPath)
    const engine = await openEngine(opening)
    kernels = openKernels(opening.kernelsPath)
    model = { engine, tokenizer, opening }
    const { arithmetic, detail } = engine
    self.postMessage({ type: 'opened', arithmetic, detail } satisfies Reply)
  } catch (error) {
    self.postMessage({ type: 'failed', id: null, reason: messageOf(error) } satisfies Reply)
    return
  }
  await drain()
}

async function drain(): Promise<void> {
  busy = true
  for (let jobs = nextJobs(); jobs.length > 0; jobs = nextJobs()) await run(jobs)
  busy = false
  if (closing) self.postMessage({ type: 'closed' } satisfies Reply)
}

/** The next jobs: all waiting queries together, so that weights are read once; else one job. */
function nextJobs(): EmbedJob[] {
  if (closing) return []
  return urgent.length > 0 ? urgent.splice(0) : waiting.splice(0, 1)
}

async function run(jobs: readonly EmbedJob[]): Promise<void> {
  try {
    const block = await embedAll(jobs)
    let at = 0
    for (const { id, texts } of jobs) {
      const end = at + texts.length * model!.opening.dimensions
      const own = jobs.length === 1 ? block : block.slice(at, end)
      self.postMessage({ type: 'done', id, block: own } satisfies Reply, [own.buffer])
      at = end
    }
  } catch (error) {
    const reason = messageOf(error)
    for (const { id } of jobs) self.postMessage({ type: 'failed', id, reason } satisfies Reply)
  }
}

async function embedAll(jobs: readonly EmbedJob[]): Promise<Float32Array<ArrayBuffer>> {
  const { engine, tokenizer, opening } = model!
  const texts = jobs.flatMap((job) => job.texts)
    .map((text) => tokenizer.encode(text, opening.maxTokens))
  const block = new Float32Array(texts.length * opening.dimensions)
  let row = 0
  while (row < texts.length) {
    const batch = nextBatch(texts, row, engine.batchTokens)
    block.set(await engine.run(batch), row * opening.dimensions)
    row += batch.length
    if (closing) throw new Error('closing')
    await nextTurn()
    // A query that came in meanwhile goes first.
    if (jobs[0]?.urgent === false && urgent.length > 0) await run(urgent.splice(0))
  }
  kernels!.normalise(block, opening.dimensions)
  return block
}

/** The next texts for one run: at least one, and as many more as `batchTokens` allows. */
function nextBatch(texts: number[][], from: number, batchTokens: number): number[][] {
  let end = from + 1
  let room = batchTokens - tokensOf(texts[from]!.length)
  while (end < texts.length && (room -= tokensOf(texts[end]!.length)) >= 0) end++
  return texts.slice(from, end)
}

/** Waits until the messages that arrived while the engine computed are delivered. */
const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve))
