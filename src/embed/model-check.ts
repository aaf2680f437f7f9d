import { realpath } from 'node:fs/promises'
import type { CheckResult } from '../platform/check.ts'
import { printableUrl } from '../platform/web/http.ts'
import { verifyModelFiles, type AcquiredModel } from './acquire.ts'
import type { Embedder } from './embedder.ts'
import { goldenText } from './golden-reference.ts'
import { cosineWithGolden, minGoldenCosine } from './golden.ts'
import { modelFilesFor } from './model-files.ts'
import { defaultModel, findModel } from './models.ts'

/** The configured embedder before it is opened. */
export type EmbedderToCheck = {
  backend: 'builtin' | 'openai' | 'none'
  model: string
  /** The URL of the endpoint; other backends do not use it. */
  baseUrl: string
  /**
   * Finds the built-in model's files without using the network. @throws OgError if they are missing
   */
  find(): Promise<AcquiredModel>
  open(): Promise<Embedder | null>
}

/**
 * Checks that the embedder works. For the built-in model, hashes both files again, whether or not
 * they were checked before, and compares a golden embedding. For an endpoint, requests one
 * embedding, unless `offline` is set.
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
  await verifyModelFiles(model, modelFilesFor(model, 'int8'), { acquired, stampFolder: null })
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

/**
 * Checks a model that has no reference embeddings: a question must be closer to its answer than to
 * another text.
 */
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
