import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { OgError } from '../platform/error.ts'
import { bundledNatives, sourceRoot } from '../platform/native/bundled.ts'
import { setNativeVariables } from '../platform/native/variables.ts'
import { hurryCounter } from '../platform/kernels/encoder.ts'
import type { Embedder, Fingerprint } from './embedder.ts'
import type { EngineOptions } from './engine.ts'
import type { CloseMessage, EmbedJob, OpenMessage, WorkerReply } from './worker.ts'

export type BuiltinOptions = Omit<EngineOptions, 'dimensions' | 'pooling' | 'threads'> & {
  tokenizerPath: string
  fingerprint: Fingerprint
  maxTokens: number
  /** Maximum number of threads; 1 if other work runs at the same time. */
  threads?: number
}

type Pending = { resolve(block: Float32Array): void; reject(error: Error): void }

/**
 * Opens the built-in embedder, which runs the model in a worker thread. Returns immediately, while
 * the model is still loading. All pending and later calls reject if the model cannot be loaded, the
 * thread dies, or the embedder is disposed.
 */
export function openBuiltinEmbedder(options: BuiltinOptions): Embedder {
  const pending = new Map<number, Pending>()
  const closed = Promise.withResolvers<void>()
  let failure: Error | null = null
  let nextId = 0
  let engine = { arithmetic: expectedArithmetic(options), detail: 'loading' }
  const hurry = hurryCounter()
  const worker = startWorker(options, hurry)

  function refuseAll(reason: Error): void {
    failure ??= reason
    for (const { reject } of pending.values()) reject(failure)
    pending.clear()
  }
  /** Rejects all calls and ends the thread, which would otherwise keep the process alive. */
  function fail(reason: string): void {
    const message = `Cannot run the embedding model: ${reason}`
    refuseAll(new OgError(message, { hint: 'run og doctor' }))
    worker.terminate()
    closed.resolve()
  }
  worker.onerror = (event) => fail(/^error: (.*)$/m.exec(event.message)?.[1] ?? event.message)
  worker.addEventListener('close', () => fail('its thread has ended'))
  worker.onmessage = ({ data }: MessageEvent<WorkerReply>) => {
    if (data.type === 'opened') return void (engine = data)
    if (data.type === 'closed') return closed.resolve()
    if (data.type === 'failed' && data.id === null) return fail(data.reason)
    const waiter = pending.get(data.id as number)
    pending.delete(data.id as number)
    if (data.type === 'done') waiter?.resolve(data.block)
    else waiter?.reject(new OgError(`Cannot embed: ${data.reason}`))
    // Not while closing, because the process would then end immediately with code 0.
    if (pending.size === 0 && failure === null) worker.unref()
  }

  function post(texts: string[], urgent: boolean): Promise<Float32Array> {
    if (failure !== null) return Promise.reject(failure)
    const id = nextId++
    return new Promise((resolve, reject) => {
      pending.set(id, { resolve, reject })
      worker.ref()
      if (urgent) Atomics.add(hurry, 0, 1)
      worker.postMessage({ type: 'embed', id, texts, urgent } satisfies EmbedJob)
    })
  }

  const { dimensions, queryPrefix } = options.fingerprint
  const embedQuery = joinQueries((texts) => post(texts, true), dimensions)

  return {
    fingerprint: options.fingerprint,
    get arithmetic() {
      return engine.arithmetic
    },
    get detail() {
      return engine.detail
    },
    maxTokens: options.maxTokens,
    embed: (texts) => post(texts, false),
    embedQuery: (text, prefix = queryPrefix) => embedQuery(prefix + text),
    async [Symbol.asyncDispose]() {
      refuseAll(new OgError('Cannot embed: the embedder is closed'))
      worker.ref()
      Atomics.add(hurry, 0, 1)
      worker.postMessage({ type: 'close' } satisfies CloseMessage)
      await closed.promise
      worker.terminate()
    },
  }
}

/**
 * Returns a function that embeds all queries of one turn together, such as a name with and without
 * prefix, because each run reads all weights.
 */
function joinQueries(embed: (texts: string[]) => Promise<Float32Array>, dimensions: number) {
  let turn: { texts: string[]; block: Promise<Float32Array> } | null = null
  function startTurn() {
    const texts: string[] = []
    const block = Promise.resolve().then(() => {
      turn = null
      return embed(texts)
    })
    return { texts, block }
  }
  return async (text: string): Promise<Float32Array> => {
    const { texts, block } = (turn ??= startTurn())
    const from = (texts.push(text) - 1) * dimensions
    return (await block).slice(from, from + dimensions)
  }
}

/** Returns the arithmetic to expect until the model is loaded. This CPU may not support it. */
function expectedArithmetic({ engine, encoderPath, kernelsPath }: BuiltinOptions): string {
  const isNative = engine !== 'onnx' && encoderPath !== null && kernelsPath !== null
  return isNative ? 'native-int8' : 'onnx-int8'
}

function startWorker(options: BuiltinOptions, hurry: OpenMessage['hurry']): Worker {
  setNativeVariables()
  // In the executable, all code is in one file. The worker is a second entry point below it.
  const worker = new Worker(
    bundledNatives === null ? join(sourceRoot, 'src/embed/worker.ts') : './embed/worker.js',
  )
  worker.unref()
  worker.postMessage({
    type: 'open',
    bindingPath: options.bindingPath,
    modelPath: options.modelPath,
    tokenizerPath: options.tokenizerPath,
    kernelsPath: options.kernelsPath,
    encoderPath: options.encoderPath,
    engine: options.engine,
    maxTokens: options.maxTokens,
    dimensions: options.fingerprint.dimensions,
    pooling: options.fingerprint.pooling === 'mean' ? 'mean' : 'cls',
    threads: Math.min(availableParallelism(), options.threads ?? 8),
    hurry,
  } satisfies OpenMessage)
  return worker
}
