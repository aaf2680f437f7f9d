/**
 * Compares og's own encoder with ONNX Runtime (int8 and fp32, each with its best setting: one text
 * per run) on two threads: `npm run bench -- encoder`. Each engine runs in its own process, one
 * after the other. To see where og's encoder spends its time, run `bun
 * scripts/bench/bench-encoder.ts stages` (x86-64).
 */
import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { dlopen } from 'bun:ffi'
import { buildKernels, compileKernels } from '../build/kernels.ts'
import { acquireBuildModel } from '../model/model.ts'
import { openEngine, paddedTokenCount, type Engine } from '../../src/embed/engine.ts'
import { openTokenizer } from '../../src/embed/tokenizer.ts'
import { openEncoder } from '../../src/platform/kernels/encoder.ts'
import { loadNatives } from '../../src/platform/native/load.ts'

/** The figures of an engine, measured in its own process. */
export type EncoderFigures = {
  /** Milliseconds until the engine can embed, without loading the tokenizer. */
  readyMs: number
  /** Throughput with texts of 283 tokens. */
  tokensPerSecond: number
  /** Median time to embed a query of 20 tokens. */
  queryMs: number
  /** Resident memory that the engine added, read after the other measurements. */
  addedMegabytes: number
}

const subjects = ['native', 'native avx2', 'onnx int8', 'onnx fp32'] as const
const rounds = 3
const threads = 2
const dimensions = 384

/** Takes the best of all rounds, because other load on the machine can only make a figure worse. */
export async function benchEncoder(): Promise<Record<string, EncoderFigures>> {
  await buildKernels()
  await acquireBuildModel({ fp32: true })
  const best: Record<string, EncoderFigures> = {}
  for (let round = 0; round < rounds; round++) {
    for (const subject of subjects) {
      process.stderr.write(`encoder: ${subject}, round ${round + 1} of ${rounds}\n`)
      const figures = measuredElsewhere(subject)
      best[subject] = best[subject] ? better(best[subject], figures) : figures
    }
  }
  return best
}

function better(a: EncoderFigures, b: EncoderFigures): EncoderFigures {
  return {
    readyMs: Math.min(a.readyMs, b.readyMs),
    tokensPerSecond: Math.max(a.tokensPerSecond, b.tokensPerSecond),
    queryMs: Math.min(a.queryMs, b.queryMs),
    addedMegabytes: Math.min(a.addedMegabytes, b.addedMegabytes),
  }
}

function measuredElsewhere(subject: string): EncoderFigures {
  const child = Bun.spawnSync([process.execPath, fileURLToPath(import.meta.url), subject])
  if (child.exitCode !== 0) throw new Error(`${subject}: ${child.stderr.toString()}`)
  return JSON.parse(child.stdout.toString())
}

async function measure(subject: string): Promise<EncoderFigures> {
  const { modelPath, tokenizerPath, encoderPath, fp32Path } = await acquireBuildModel({
    fp32: true,
  })
  const natives = await loadNatives('', () => {})
  const tokenizer = openTokenizer(tokenizerPath)
  const words = tokenizer.encode(sentence.repeat(80), 512)
  Bun.gc(true)
  const before = process.memoryUsage.rss()
  const started = performance.now()
  const options = {
    bindingPath: await natives.onnxruntime(),
    kernelsPath: natives.kernels,
    modelPath: subject === 'onnx fp32' ? fp32Path! : modelPath,
    encoderPath,
    dimensions,
    pooling: 'cls' as const,
    threads,
  }
  const engine = subject.startsWith('onnx')
    ? await openEngine({ ...options, engine: 'onnx' })
    : subject === 'native'
      ? await openEngine({ ...options, engine: 'native' })
      : forced(natives.kernels!, encoderPath, subject.replace('native ', ''))
  const readyMs = performance.now() - started
  const tokensPerSecond = await speed(engine, words.slice(0, 283))
  const queryMs = await median(engine, words.slice(0, 20))
  Bun.gc(true)
  const addedMegabytes = (process.memoryUsage.rss() - before) / 1e6
  return { readyMs, tokensPerSecond, queryMs, addedMegabytes }
}

function forced(libraryPath: string, weightsPath: string, isa: string): Engine {
  const encoder = openEncoder({ libraryPath, weightsPath, threads, isa })
  const { batchTokens } = encoder
  const run = async (texts: number[][]) => encoder.encode(texts)
  return { arithmetic: 'native-int8', detail: isa, batchTokens, run }
}

/** Returns the best tokens per second of ten stretches of a few thousand tokens each. */
async function speed(engine: Engine, text: number[]): Promise<number> {
  const perRun = Math.max(1, Math.floor(engine.batchTokens / paddedTokenCount(text.length)))
  const batch = Array.from({ length: perRun }, () => text)
  const runs = Math.ceil(9 / perRun)
  await engine.run(batch)
  let best = 0
  for (let stretch = 0; stretch < 10; stretch++) {
    const started = performance.now()
    for (let run = 0; run < runs; run++) await engine.run(batch)
    const seconds = (performance.now() - started) / 1000
    best = Math.max(best, (runs * perRun * text.length) / seconds)
  }
  return Math.round(best)
}

async function median(engine: Engine, text: number[]): Promise<number> {
  const times: number[] = []
  for (let run = 0; run < 60; run++) {
    const started = performance.now()
    await engine.run([text])
    times.push(performance.now() - started)
  }
  return times.sort((a, b) => a - b)[30]!
}

/** Times the stages of encoding a text on one thread: the minimum of many runs, in microseconds. */
async function measureStages(length: number): Promise<Record<string, number>> {
  const { tokenizerPath, encoderPath: weightsPath } = await acquireBuildModel()
  const libraryPath = join(tmpdir(), `og-stages-${process.pid}.so`)
  const fault = await compileKernels(libraryPath, ['-DOG_STAGES'])
  if (fault !== null) throw new Error(fault)
  const { symbols } = dlopen(libraryPath, { og_encoder_stage: { args: ['i32'], returns: 'f64' } })
  using encoder = openEncoder({ libraryPath, weightsPath, threads: 1 })
  rmSync(libraryPath)
  const text = openTokenizer(tokenizerPath).encode(sentence.repeat(80), 512).slice(0, length)
  const least = stages.map(() => Infinity)
  let microsecondsPerTick = 0
  for (let run = 0; run < Math.ceil(30_000 / length); run++) {
    stages.forEach((_, i) => symbols.og_encoder_stage(i))
    symbols.og_encoder_stage(-1)
    const started = performance.now()
    encoder.encode([text])
    const elapsed = performance.now() - started
    const ticks = stages.map((_, i) => symbols.og_encoder_stage(i))
    microsecondsPerTick = (1000 * elapsed) / ticks.reduce((a, b) => a + b)
    ticks.forEach((count, i) => (least[i] = Math.min(least[i]!, count)))
  }
  const times = least.map((ticks) => ticks * microsecondsPerTick)
  const sum = times.reduce((a, b) => a + b)
  const named = stages.map((name, i) => [name, Math.round(times[i]!)])
  return { ...Object.fromEntries(named), tokensPerSecond: Math.round((1e6 * length) / sum) }
}

/** In the order of their numbers in encoder.c. */
const stages = [
  'embed',
  'quantise',
  'product qkv',
  'heads',
  'product scores, softmax',
  'product context',
  'product out',
  'norm',
  'product up',
  'gelu',
  'product down',
]

const sentence =
  'A dependency can be declared with a function; the framework calls it for every request and ' +
  'passes what it returns. '

if (import.meta.main) {
  const [subject] = process.argv.slice(2)
  const report =
    subject === 'stages'
      ? {
          20: await measureStages(20),
          283: await measureStages(283),
          512: await measureStages(512),
        }
      : subject
        ? await measure(subject)
        : await benchEncoder()
  process.stdout.write(`${JSON.stringify(report, null, 2)}\n`)
  process.exit(0)
}
