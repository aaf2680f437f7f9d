/**
 * The thread that owns the model: creating a session and running it block their thread, and the
 * main thread must go on drawing progress, answering and listening for Ctrl-C.
 *
 * Messages in: `Opening` once, then `Job`s; out: `Opened`, then one `Done` or `Failed` a job.
 */
import { messageOf } from '../platform/error.ts'
import { openKernels } from '../platform/kernels.ts'
import { openOnnxSession, type OnnxSession } from './onnx-session.ts'
import { openTokenizer, type TextTokenizer } from './tokenizer.ts'

export type Opening = {
  type: 'open'
  bindingPath: string
  modelPath: string
  tokenizerPath: string
  kernelsPath: string | null
  maxTokens: number
  dimensions: number
  threads: number
}
export type Job = { type: 'embed'; id: number; texts: string[]; urgent: boolean }
export type Reply =
  | { type: 'opened' }
  | { type: 'done'; id: number; block: Float32Array }
  | { type: 'failed'; id: number | null; reason: string }

declare const self: Worker

const urgent: Job[] = []
const waiting: Job[] = []
let busy = false
let model: { session: OnnxSession; tokenizer: TextTokenizer; opening: Opening } | null = null
let kernels: ReturnType<typeof openKernels> | null = null

self.onmessage = async (event: MessageEvent<Opening | Job>) => {
  const message = event.data
  if (message.type === 'open') return open(message)
  ;(message.urgent ? urgent : waiting).push(message)
  if (model !== null) void drain()
}

async function open(opening: Opening): Promise<void> {
  try {
    const tokenizer = openTokenizer(opening.tokenizerPath)
    const session = await openOnnxSession(opening)
    kernels = openKernels(opening.kernelsPath)
    model = { session, tokenizer, opening }
    self.postMessage({ type: 'opened' } satisfies Reply)
    void drain()
  } catch (error) {
    self.postMessage({ type: 'failed', id: null, reason: messageOf(error) } satisfies Reply)
  }
}

async function drain(): Promise<void> {
  if (busy) return
  busy = true
  for (let job = urgent.shift() ?? waiting.shift(); job; job = urgent.shift() ?? waiting.shift()) {
    await run(job)
  }
  busy = false
}

async function run(job: Job): Promise<void> {
  try {
    const block = await embedAll(job)
    self.postMessage({ type: 'done', id: job.id, block } satisfies Reply, [block.buffer])
  } catch (error) {
    self.postMessage({ type: 'failed', id: job.id, reason: messageOf(error) } satisfies Reply)
  }
}

/** One text a run: for the int8 graph on few threads that is faster than any padded batch. */
async function embedAll(job: Job): Promise<Float32Array<ArrayBuffer>> {
  const { session, tokenizer, opening } = model!
  const block = new Float32Array(job.texts.length * opening.dimensions)
  for (const [row, text] of job.texts.entries()) {
    const ids = tokenizer.encode(text, opening.maxTokens)
    block.set(await session.firstToken(ids), row * opening.dimensions)
    // A query that came in meanwhile goes first.
    if (!job.urgent) for (let job = urgent.shift(); job; job = urgent.shift()) await run(job)
  }
  kernels!.normalise(block, opening.dimensions)
  return block
}
