import { join } from 'node:path'
import { loadConfig } from '../../../config/load.ts'
import { findModel, modelSize } from '../../../embed/models.ts'
import type { ArmFigures, Question } from '../../../library/quality/evaluate.ts'
import type { Og } from '../../../open.ts'
import { OgError } from '../../../platform/error.ts'
import { createTempFolder } from '../../../platform/file/files.ts'
import { jsonText, snakeKeys } from '../../../platform/json.ts'
import { formatBytes } from '../../../platform/file/space.ts'
import { renderTable } from '../../screen/layout.ts'
import type { Context } from '../../context.ts'
import { showProgress } from '../../progress.ts'

type ModelComparison = {
  library: string
  version: string | null
  model: string
  questions: Question[] | null
  maxTokens: number
  json: boolean
}

type ModelFigures = {
  model: string
  questions: number
  ndcg10: number | null
  hit5: number
  queryMs: number | null
  seconds: number | null
}

/**
 * Compares the indexed library version with a copy that a different model embeds. The copy is in a
 * temporary store, so that the index does not change.
 */
export async function compareModels(context: Context, request: ModelComparison): Promise<number> {
  const { terminal, env } = context
  const { id, dimensions, license, ...model } = findModel(request.model)
  const signal = context.interruption()
  await using temp = await createTempFolder('og-eval')
  await using og = await context.openOg(await loadConfig(env))
  const pack = join(temp.path, 'library.ogpack')
  const { library, version } = request
  const packRequest = {
    library,
    version,
    to: pack,
    vectors: 'f16',
    license: 'kept',
    isHasty: true,
  } as const
  const { manifest } = await og.packs.write({ ...packRequest, signal })
  const own = { ...request, library: manifest.library, version: manifest.version }
  const trialConfig = await loadConfig(env, {
    'embeddings.embedding_backend': 'builtin',
    'embeddings.embedding_model': id,
  })
  const dbPath = join(temp.path, 'store')
  await using trial = await context.openOg({ ...trialConfig, dbPath, isStoreNamed: false })
  using progress = showProgress(terminal, { label: id })
  const { seconds } = await trial.packs.add({
    path: pack,
    library: null,
    lockTimeoutMs: 0,
    onProgress: progress.report,
    signal,
  })
  progress[Symbol.dispose]()
  const current = await measure(og, own, signal)
  const other = await measure(trial, own, signal)
  const rows: ModelFigures[] = [
    { model: manifest.fingerprint?.model ?? 'none', ...current, seconds: null },
    { model: id, ...other, seconds },
  ]
  const cost = { dimensions, license, bytes: modelSize(model) }
  const { library: name, version: label } = own
  await terminal.write(
    request.json
      ? jsonText({ library: name, version: label, models: rows.map(snakeKeys), ...cost })
      : `${name} ${label}: ${current.questions} questions\n` +
          renderTable([head, ...rows.map(cells)], terminal.width()) +
          `${id}: ${formatBytes(cost.bytes)}, ${dimensions} dimensions, licence ${license}\n`,
  )
  return 0
}

async function measure(
  og: Og,
  { library, version, questions, maxTokens }: ModelComparison,
  signal: AbortSignal,
): Promise<Omit<ModelFigures, 'model' | 'seconds'>> {
  const chosen = { library, version, signal }
  if (questions !== null) {
    const evaluation = await og.evaluate({ ...chosen, questions, maxTokens })
    const { ndcg10, hit5Served, latencyMs } = evaluation.arms.hybrid as ArmFigures
    const figures = { ndcg10, hit5: hit5Served, queryMs: latencyMs.median }
    return { questions: evaluation.questions, ...figures }
  }
  const [health] = await Array.fromAsync(og.health(chosen))
  const { questions: count, hit5 } = health!
  if (count > 0) return { questions: count, ndcg10: null, hit5, queryMs: null }
  throw new OgError(
    `Cannot compare models: ${library} ${version} has too little text for questions`,
    { hint: 'write questions to a file: og eval FILE --library LIBRARY --model MODEL' },
  )
}

const head = ['MODEL', 'NDCG@10', 'HIT@5', 'MS', 'SECONDS TO INDEX']

function cells({ model, ndcg10, hit5, queryMs, seconds }: ModelFigures): string[] {
  return [
    model,
    ndcg10?.toFixed(3) ?? '-',
    hit5.toFixed(3),
    queryMs?.toFixed(1) ?? '-',
    seconds?.toFixed(1) ?? '-',
  ]
}
