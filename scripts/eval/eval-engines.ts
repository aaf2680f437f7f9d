/**
 * Measures whether the int8 embeddings of og's own encoder and of ONNX Runtime are interchangeable:
 * `npm run eval -- engines [SET…]` (default: ray and scifact).
 *
 * Both engines and the unquantised model embed every chunk (slow: about 300 chunks a minute on two
 * busy cores). Reports the cosines of 1,000 evenly spaced chunks, and nDCG@10 of exact vector
 * search for each pair of index engine and query engine. Embeddings are kept in build/eval/engines,
 * so that an interrupted run can be resumed; delete that folder after changing an engine.
 */
import { appendFileSync, existsSync, mkdirSync, readFileSync, truncateSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { chunkPage, embeddedText } from '../../src/chunk/chunk.ts'
import { openBuiltinEmbedder } from '../../src/embed/builtin.ts'
import type { Embedder } from '../../src/embed/embedder.ts'
import { defaultModel, fingerprintOf } from '../../src/embed/models.ts'
import { openTokenizer } from '../../src/embed/tokenizer.ts'
import { sha256 } from '../../src/platform/hash.ts'
import { openKernels, type Kernels } from '../../src/platform/kernels/kernels.ts'
import { loadNatives } from '../../src/platform/native/load.ts'
import { meanMetrics, pageRanking, type Question } from '../../src/library/quality/evaluate.ts'
import { sourcePages } from '../../src/source/pages.ts'
import { acquireBuildModel } from '../model/model.ts'

export type EvalSet = { folder: string; questions: Question[] }

const engines = ['native', 'onnx', 'fp32'] as const
type Engine = (typeof engines)[number]
type Embeddings = { chunks: Float32Array; queries: Float32Array }

const work = resolve(import.meta.dir, '../..', 'build', 'eval', 'engines')
const { dimensions } = defaultModel
const batchTexts = 32

export async function compareEngines(sets: Record<string, EvalSet>) {
  mkdirSync(work, { recursive: true })
  const report: Record<string, unknown> = {}
  for (const [name, set] of Object.entries(sets)) {
    const { texts, pages } = await chunkTexts(set.folder)
    const embedded = {} as Record<Engine, Embeddings>
    for (const engine of engines) {
      await using embedder = await openEngine(engine)
      const key = `${name}-${engine}-${sha256(texts.join('\0')).slice(0, 12)}`
      embedded[engine] = {
        chunks: await embedAll(embedder, texts, join(work, `${key}.f32`)),
        queries: await embedQueries(embedder, set.questions),
      }
    }
    report[name] = await figures({ ...set, pages }, embedded)
  }
  return report
}

/** Returns the text of every chunk as it is embedded, and the page of each. */
async function chunkTexts(folder: string): Promise<{ texts: string[]; pages: string[] }> {
  const { tokenizerPath } = await acquireBuildModel({ fp32: true })
  const countTokens = openTokenizer(tokenizerPath).count
  const source = { kind: 'local_path', path: folder, baseUrl: 'eval:/' } as const
  const texts: string[] = []
  const pages: string[] = []
  for await (const event of sourcePages({ version: '1', ref: null, commit: null, source })) {
    if (event.type !== 'page') continue
    const { page } = event
    const chunks = chunkPage(page, { countTokens, maxTokens: defaultModel.maxTokens })
    texts.push(...chunks.map((chunk) => embeddedText(page, chunk)))
    const place = decodeURIComponent(page.url.replace(/^eval:\/+/, ''))
    pages.push(...chunks.map(() => place))
  }
  return { texts, pages }
}

export async function openEngine(engine: Engine): Promise<Embedder> {
  const files = await acquireBuildModel({ fp32: true })
  const natives = await loadNatives('', () => {})
  return openBuiltinEmbedder({
    bindingPath: await natives.onnxruntime(),
    kernelsPath: natives.kernels,
    modelPath: engine === 'fp32' ? files.fp32Path! : files.modelPath,
    tokenizerPath: files.tokenizerPath,
    encoderPath: files.encoderPath,
    engine: engine === 'native' ? 'native' : 'onnx',
    fingerprint: fingerprintOf(defaultModel),
    maxTokens: defaultModel.maxTokens,
  })
}

/**
 * Appends each row to `path` as soon as it has been computed. Cuts off half a row that a killed run
 * left.
 */
async function embedAll(embedder: Embedder, texts: string[], path: string): Promise<Float32Array> {
  const rowBytes = 4 * dimensions
  const size = existsSync(path) ? Bun.file(path).size : 0
  if (size % rowBytes !== 0) truncateSync(path, size - (size % rowBytes))
  for (let row = Math.floor(size / rowBytes); row < texts.length; row += batchTexts) {
    const { buffer } = await embedder.embed(texts.slice(row, row + batchTexts))
    appendFileSync(path, new Uint8Array(buffer))
    if (row % 512 < batchTexts) process.stderr.write(`${path}: ${row} of ${texts.length}\n`)
  }
  return new Float32Array(new Uint8Array(readFileSync(path)).buffer)
}

async function embedQueries(embedder: Embedder, questions: Question[]): Promise<Float32Array> {
  const block = new Float32Array(questions.length * dimensions)
  for (const [i, { question }] of questions.entries()) {
    block.set(await embedder.embedQuery(question), i * dimensions)
  }
  return block
}

async function figures(
  { pages, questions }: { pages: string[]; questions: Question[] },
  embedded: Record<Engine, Embeddings>,
) {
  const kernels = openKernels((await loadNatives('', () => {})).kernels)
  const ndcg10 = (index: Engine, query: Engine) => {
    const rankings = questions.map((_, i) => {
      const vector = rowOf(embedded[query].queries, i)
      return ranking(kernels, { vector, block: embedded[index].chunks, pages })
    })
    return meanMetrics(questions, rankings).ndcg10
  }
  const { native, onnx, fp32 } = embedded
  return {
    chunks: pages.length,
    questions: questions.length,
    cosine: {
      'native with fp32': cosines(native.chunks, fp32.chunks),
      'onnx with fp32': cosines(onnx.chunks, fp32.chunks),
      'native with onnx': cosines(native.chunks, onnx.chunks),
    },
    ndcg10: {
      fp32: ndcg10('fp32', 'fp32'),
      native: ndcg10('native', 'native'),
      onnx: ndcg10('onnx', 'onnx'),
      'index of native, asked by onnx': ndcg10('native', 'onnx'),
      'index of onnx, asked by native': ndcg10('onnx', 'native'),
    },
  }
}

function ranking(
  kernels: Kernels,
  { vector, block, pages }: { vector: Float32Array; block: Float32Array; pages: string[] },
): string[] {
  const { rows } = kernels.topk(vector, block, { dims: dimensions, k: 100 })
  return pageRanking([...rows].map((row) => pages[row]!))
}

/** Compares at most 1,000 evenly spaced rows. */
function cosines(a: Float32Array, b: Float32Array): { mean: number; least: number } {
  const rows = a.length / dimensions
  const taken = Math.min(1000, rows)
  const all = Array.from({ length: taken }, (_, i) => {
    const row = Math.floor((i * rows) / taken)
    const other = rowOf(b, row)
    return rowOf(a, row).reduce((sum, x, j) => sum + x * other[j]!, 0)
  })
  return { mean: all.reduce((sum, x) => sum + x) / taken, least: Math.min(...all) }
}

const rowOf = (block: Float32Array, row: number) =>
  block.subarray(row * dimensions, (row + 1) * dimensions)
