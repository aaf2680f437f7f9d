import { realpathSync } from 'node:fs'
import type { Embedder } from './embedder.ts'
import { openTokenizer } from './tokenizer.ts'
import type { CheckResult } from '../platform/check.ts'
import { realpath } from 'node:fs/promises'
import { printableUrl } from '../platform/web/http.ts'
import { verifyModelFiles, type AcquiredModel } from './acquire.ts'
import { defaultModel, findModel } from './models.ts'

/**
 * Minimum cosine between the int8 model's embedding and the golden embedding. Storing the golden
 * embedding as bytes loses 0.0001. CPUs differ by less than 1e-9 for this short sentence because
 * the graph's weights have only 7 bits and no sum saturates (tested on AVX-512 with VNNI and on
 * AVX2 without). For text of 512 tokens they differ by 0.0006. The model's fp32 weights only reach
 * 0.9976, so the check detects different weights.
 */
export const minInt8Cosine = 0.999

/** Minimum cosine between the encoder's embedding and the fp32 reference, which is about 0.999. */
const nativeCosine = 0.997

/** Checks that the tokenizer splits the golden sentence into the reference tokens. */
export function checkTokenizer(path: string): CheckResult {
  const ids = openTokenizer(path).encode(goldenText, 512)
  const isRight = ids.length === goldenIds.length && ids.every((id, i) => id === goldenIds[i])
  const tokens = `${ids.length} tokens`
  const realPath = realpathSync(path)
  if (isRight) return { ok: true, detail: `${realPath}: the golden sentence has its ${tokens}` }
  return {
    ok: false,
    detail: `${realPath}: other tokens for the golden sentence: ${ids.join(' ')}`,
    hint: 'delete the file, then run again',
  }
}

/** Returns the cosine between the embedder's golden embedding and the reference. */
export async function cosineWithGolden(
  embedder: Pick<Embedder, 'embed' | 'arithmetic'>,
): Promise<number> {
  // An embedder knows its arithmetic for certain only after its first embedding.
  const embedding = await embedder.embed([goldenText])
  return cosine(embedding, isNative(embedder) ? goldenFp32 : goldenInt8)
}

function minGoldenCosine(embedder: Pick<Embedder, 'arithmetic'>): number {
  return isNative(embedder) ? nativeCosine : minInt8Cosine
}

const isNative = ({ arithmetic }: Pick<Embedder, 'arithmetic'>) => arithmetic === 'native-int8'

/** True if the row for `goldenIds` is as close to the fp32 reference as int8 allows. */
export function isNearGolden(row: Float32Array): boolean {
  return cosine(row, goldenFp32) >= nativeCosine
}

function cosine(embedding: Float32Array, packed: string): number {
  const golden = new Int8Array(Buffer.from(packed, 'base64'))
  if (embedding.length !== golden.length) return 0
  const product = golden.reduce((sum, x, i) => sum + x * embedding[i]!, 0)
  return product / (Math.hypot(...golden) * Math.hypot(...embedding))
}

/** A sentence with known tokens and embedding, the first one in golden-embeddings.json. */
export const goldenText = 'FastAPI is a modern, fast web framework for building APIs with Python.'

/** The tokens of the sentence, including special tokens. */
export const goldenIds = [
  101, 3435, 9331, 2072, 2003, 1037, 2715, 1010, 3435, 4773, 7705, 2005, 2311, 17928, 2015, 2007,
  18750, 1012, 102,
]

/** The `int8` reference embedding: 384 signed bytes, scaled so that the largest is 127. */
const goldenInt8 =
  '2AHqBxnm+e8MAgr2Ew4L9vvr/AMPAPff8B329PvUCOIN8wkT9Ab1DQ0U9RP9/OwT8O/79gj/CgT+JAADEf/iHwAO8fUK' +
  'AucQAB8F/hsBEhUP6/f5//YGEyAB7PUCDgYM/AHlf/ALBgcQ9fXoA+kB8Pz9CwfkC/kCAgsIBvAI/xTxHRIP5foJAQwB' +
  '9Qfr7v/o9yMPHOr3+Av46PMDEwwg/N8A8Aj5uwH56wMDDvgC/fTi9hUGAf/pEPzzAfsN7v4T4/8GBAcKDQDzGfUK9ev1' +
  '/wcC/f8GAOTv+w0IFvfsBJYP9gP25PfsEx0o/An89Q4M/ffy9vwH9P72SOwD7Qf6/dP3FR0M//4ABRXiAwQA5gEJAAkN' +
  'GOoDCBEC/Pnc+vwI9gj0AfDvK94TDPkIAx0QFgwG/Af9FwbwA/8V6gAD/5wY7PkMBgfvCwnyEw4CBgwb/vj1/gA+9wcd' +
  'EfMA/Pv0DPEA/wr09fsTGA0DEQMA5PoT/9L6/h/0FhD0/AIABhMR'

/** The `fp32` reference embedding: 384 signed bytes, scaled so that the largest is 127. */
const goldenFp32 =
  '2v/rBhfo+u4KAgn2FA0L9vzv/AMOAfng7x339vrTCOQO8gkR9gX0CwwT9Q/+/ewT8PD69gb+CwT/IwECDgDlHgMP8/UL' +
  'AugSAB0F/xgAEhMN7fj7//UFEx0C6/UCDwYO/QLkf+8KCAQP+fbpAuwA7/v8DAbmCvoCAgsIBfQE/hXwHBEQ6PsJAgsC' +
  '9wbs7wHo+B4PG+z3+Ar56fECEgsd++D/8Aj6vwL67QECDvgC/vPk+BQHAf/qEfryBPsM7/4R5P4EBggIC//1FvcL9ez1' +
  '/wcC+/4G/+fu+g0IFPXtApoP9wL15vjsEhkk+Qr/8wwK/fjz+f0H9f34RO0D7gf6/db3FxoKAP8ABxTkAAMA5wEIAQkN' +
  'FusCBhEE/Pre+/4J9wj0APTvKeIRC/oHBBsOFg4G/Af8FQTxA/4V7AAC/50U8fkLBgbuCAr0FA8EBAob/vn1/wE99gkc' +
  'EfQC/Pr2DfD/AQr09vwTFw0EDwQA4/oTANX7/Rz2FA/0/AABBRMO'

/** The configured embedder before it is opened. */
export type EmbedderToCheck = {
  backend: 'builtin' | 'openai' | 'none'
  model: string
  /** The endpoint's URL. Other backends do not use it. */
  baseUrl: string
  /** Finds the built-in model's files without the network. @throws OgError if they are missing */
  find(): Promise<AcquiredModel>
  open(): Promise<Embedder | null>
}

/**
 * Checks that the embedder works. For the built-in model, hashes both files again and compares a
 * golden embedding. For an endpoint, requests one embedding, unless `offline` is set.
 */
export async function checkModel(
  subject: EmbedderToCheck,
  { offline }: { offline: boolean },
): Promise<CheckResult> {
  if (subject.backend === 'none') {
    return { ok: true, detail: 'embeddings.embedding_backend is none: full-text search alone' }
  }
  if (subject.backend === 'openai') return checkEndpoint(subject, offline)
  const model = findModel(subject.model)
  const acquired = await subject.find()
  const { modelPath, encoderPath, tokenizerPath, origin } = acquired
  await verifyModelFiles(model, { acquired, stampFolder: null })
  await using embedder = await subject.open()
  const started = performance.now()
  if (model !== defaultModel) {
    return await checkNearness(embedder!, `${model.id} int8 (${origin})`)
  }
  const cosine = await cosineWithGolden(embedder!)
  const ms = Math.round(performance.now() - started)
  const engine = embedder!.detail ?? embedder!.arithmetic
  const path = await realpath(encoderPath ?? modelPath ?? tokenizerPath)
  const place = `${model.id} int8 (${origin}: ${path}), sha256 as pinned; ${engine}`
  const least = minGoldenCosine(embedder!)
  const golden = `cosine ${cosine.toFixed(5)} with the golden embedding`
  if (cosine >= least) return { ok: true, detail: `${place}; ${golden} (${ms} ms)` }
  return {
    ok: false,
    detail: `${place}; ${golden}, at least ${least} is right`,
    hint: 'this CPU computes the model incorrectly: please report it with the name of the CPU',
  }
}

/** Checks whether any setting of the embedder requires the network. */
export async function checkNetworkNeeds(subject: EmbedderToCheck): Promise<CheckResult> {
  if (subject.backend === 'none') return { ok: true, detail: 'no setting needs it' }
  if (subject.backend === 'openai') {
    return {
      ok: false,
      detail:
        'embeddings.embedding_backend is openai: ' +
        `every add and query asks ${printableUrl(subject.baseUrl)}`,
      hint: 'og config set embeddings.embedding_backend builtin',
    }
  }
  const { origin } = await subject.find()
  return { ok: true, detail: `no setting needs it; the model is there (${origin})` }
}

/** Checks a model without references: a question must be closest to its answer. */
async function checkNearness(embedder: Embedder, place: string): Promise<CheckResult> {
  const query = await embedder.embedQuery('How do I declare an optional query parameter?')
  const [near, far] = await Promise.all([
    cosineOf(embedder, query, 'A query parameter with a default of None is optional.'),
    cosineOf(embedder, query, 'Beat two eggs and stir them into the flour.'),
  ])
  const engine = embedder.detail ?? embedder.arithmetic
  const cosines = `cosine ${near.toFixed(2)} with an answer, ${far.toFixed(2)} with another text`
  const detail = `${place}, sha256 as pinned; ${engine}; ${cosines}`
  if (near > far + 0.1) return { ok: true, detail }
  return {
    ok: false,
    detail,
    hint: 'this machine computes the model incorrectly: please report it',
  }
}

async function cosineOf(embedder: Embedder, query: Float32Array, text: string): Promise<number> {
  const embedded = await embedder.embed([text])
  return query.reduce((sum, x, i) => sum + x * embedded[i]!, 0)
}

async function checkEndpoint(subject: EmbedderToCheck, offline: boolean): Promise<CheckResult> {
  const place = `openai: ${subject.model} at ${printableUrl(subject.baseUrl)}`
  if (offline) return { ok: true, detail: `${place}; not asked` }
  await using embedder = await subject.open()
  const { length } = await embedder!.embed([goldenText])
  return { ok: true, detail: `${place}; answered with ${length} dimensions` }
}
