import { loadConfig } from '../../../config/load.ts'
import type { Evaluation } from '../../../library/quality/evaluate.ts'
import type { LibraryHealth } from '../../../library/quality/health.ts'
import { renderIncomplete } from '../../../library/incomplete.ts'
import type { Og } from '../../../open.ts'
import { messageOf, OgError } from '../../../platform/error.ts'
import { readTextFile } from '../../../platform/file/read-file.ts'
import { jsonText, snakeKeys } from '../../../platform/json.ts'
import { ablations } from '../../../search/query.ts'
import { command, option, type OptionValues } from '../../command.ts'
import type { Context } from '../../context.ts'
import { renderTable } from '../../screen/layout.ts'
import { jsonOption, versionOption } from '../../operation-options.ts'

const evalOptions = {
  library: option.text('-l LIBRARY', 'the library to evaluate', { suggest: 'library' }),
  version: versionOption('version of the library, as for og query'),
  model: option.text('-m MODEL', 'compare with this embedding model', { suggest: 'model' }),
  self: option.flag('use questions generated from the library'),
  without: option.texts('PART', `leave out a part of the ranking: ${ablations.join(', ')}`),
  'max-tokens': option.whole('N', 'budget of an answer for "recall in budget"', {
    min: 1,
    max: 1_000_000,
    default: 2000,
  }),
  json: jsonOption,
}

export const evalCommand = command({
  name: 'eval',
  summary: 'measure the quality of the answers',
  positionals: { file: { doc: 'questions with gold pages; "-" is stdin', optional: true } },
  options: evalOptions,
  async run(context, { file, library, version, self, json, model, ...options }) {
    checkForm({ file, library, self, model, without: options.without })
    const questions = file === null ? null : await readQuestions(context, file)
    if (model !== null) {
      const { compareModels } = await import('./eval-model.ts')
      const maxTokens = options['max-tokens']
      const comparison = { library: library!, version, model, questions, maxTokens, json }
      return await compareModels(context, comparison)
    }
    await using og = await context.openOg(await loadConfig(context.env))
    const signal = context.interruption()
    if (questions === null) return await reportHealth(context, og, { library, version, json })
    const evaluation = await og.evaluate({
      library: library!,
      version,
      questions,
      without: options.without.map((name) => {
        const part = ablations.find((one) => one === name)
        if (part !== undefined) return part
        throw new OgError(`Cannot leave out "${name}": there is no such part`, {
          hint: `parts are ${ablations.join(', ')}`,
        })
      }),
      maxTokens: options['max-tokens'],
      signal,
    })
    for (const alarm of evaluation.alarms) context.terminal.note('warning', alarm)
    const { terminal } = context
    const text = json
      ? jsonText(evaluationJson(evaluation))
      : renderArms(evaluation, terminal.width())
    await terminal.write(text)
    return evaluation.alarms.length > 0 ? 1 : 0
  },
})

type Form = Pick<OptionValues<typeof evalOptions>, 'library' | 'self' | 'model' | 'without'> & {
  file: string | null
}

function checkForm({ file, library, self, model, without }: Form): void {
  if (self && (file !== null || without.length > 0)) {
    throw new OgError(`--self cannot be used with ${file === null ? '--without' : 'FILE'}`)
  }
  if (!self && file === null) throw new OgError('Either provide a file of questions or use --self')
  if (model !== null && without.length > 0) {
    throw new OgError('--model cannot be used with --without')
  }
  if ((!self || model !== null) && library === null) {
    throw new OgError('Cannot evaluate: --library is missing', { hint: 'give one with --library' })
  }
}

async function readQuestions({ terminal }: Context, file: string) {
  const { parseQuestions } = await import('../../../library/quality/evaluate.ts')
  if (file !== '-') {
    const text = await readTextFile(file, { limitMb: 64 }).catch((cause) => {
      throw new OgError(`Cannot read ${file}: ${messageOf(cause)}`, { cause })
    })
    return parseQuestions(text, file)
  }
  const lines: string[] = []
  for await (const line of terminal.lines()) lines.push(line)
  return parseQuestions(lines.join('\n'), 'stdin')
}

type HealthRequest = { library: string | null; version: string | null; json: boolean }

async function reportHealth(context: Context, og: Og, { json, ...query }: HealthRequest) {
  const { terminal } = context
  const measured: LibraryHealth[] = []
  const signal = context.interruption()
  for await (const health of og.health({ ...query, signal })) measured.push(health)
  for (const { incomplete } of measured) {
    if (incomplete !== null) terminal.note('warning', renderIncomplete(incomplete))
  }
  if (json) {
    await terminal.write(jsonText({ libraries: measured.map(healthJson) }))
  } else if (measured.length > 0) await terminal.write(renderHealth(measured, terminal.width()))
  else terminal.note('plain', 'No libraries found.')
  return 0
}

function healthJson({ missed, incomplete, ...health }: LibraryHealth) {
  return {
    ...health,
    ...(incomplete && { embedded: incomplete.embedded, chunks: incomplete.chunks }),
    missed: missed.map(snakeKeys),
  }
}

function renderHealth(measured: readonly LibraryHealth[], width: number | null): string {
  const kinds = ['heading', 'sentence', 'link', 'symbol'] as const
  const rows = measured.map((it) => [
    it.library,
    it.version,
    it.health === null ? '-' : `${it.health} %`,
    String(it.questions),
    ...kinds.map((kind) => (it.kinds[kind] ? `${Math.round(100 * it.kinds[kind].hit5)} %` : '-')),
  ])
  const head = ['LIBRARY', 'VERSION', 'HEALTH', 'QUESTIONS', 'HEADINGS', 'SENTENCES', 'LINKS']
  return renderTable([[...head, 'SYMBOLS'], ...rows], width)
}

/** Returns the object for `--json`. Its field names are stable. */
function evaluationJson({ arms, changed, ...evaluation }: Evaluation) {
  const armsJson = Object.entries(arms).map(([arm, figures]) => [arm, snakeKeys(figures)])
  return { ...snakeKeys(evaluation), arms: Object.fromEntries(armsJson), changed_top_5: changed }
}

function renderArms(evaluation: Evaluation, width: number | null): string {
  const rows = Object.entries(evaluation.arms).map(([arm, it]) => {
    const [low, high] = it.ndcg10Interval
    return [
      arm,
      `${it.ndcg10.toFixed(3)} (${low.toFixed(3)}-${high.toFixed(3)})`,
      ...[it.mrr10, it.hit1, it.hit5, it.hit5Served, it.hit10, it.recall10].map(decimals),
      decimals(it.recallInBudget),
      `${it.latencyMs.median.toFixed(1)} (p95 ${it.latencyMs.p95.toFixed(1)})`,
      evaluation.changed[arm] === undefined ? '' : String(evaluation.changed[arm]),
    ]
  })
  const head = ['ARM', 'NDCG@10', 'MRR@10', 'HIT@1', 'HIT@5', 'SERVED@5', 'HIT@10', 'RECALL@10']
  const more = [`IN ${evaluation.maxTokens} TOKENS`, 'MS', 'CHANGED']
  const unknown = evaluation.unknownGold.length
  return (
    `${evaluation.library} ${evaluation.version}: ${evaluation.questions} questions` +
    `${unknown > 0 ? `, ${unknown} gold pages are not in it` : ''}\n` +
    renderTable([[...head, ...more], ...rows], width)
  )
}

function decimals(share: number): string {
  return share.toFixed(3)
}
