import { outcomesJson } from '../../../operation/add/update.ts'
import { noteError } from '../../answer/notes.ts'
import { loadConfig } from '../../../config/load.ts'
import type { ReembedOutcome, ReembedResult } from '../../../library/add/reembed.ts'
import { command, option } from '../../command.ts'
import type { Context } from '../../context.ts'
import { showProgress } from '../../progress.ts'
import { lockTimeoutOption, jsonOption, versionOption } from '../../operation-options.ts'
import { jsonText } from '../../../platform/json.ts'
import { formatCount } from '../../../platform/text/count.ts'

export const reembed = command({
  name: 'reembed',
  summary: 'embed indexed documentation again, with another model',
  positionals: { library: { doc: 'name of the library', optional: true, suggest: 'library' } },
  options: {
    model: option.text('-m MODEL', 'embed with this model', {
      suggest: 'model',
      defaultText: 'embeddings.embedding_model',
    }),
    version: versionOption('only this version (default: all indexed versions)'),
    'lock-timeout': lockTimeoutOption,
    json: jsonOption,
  },
  async run(context, { library, version, model, json, 'lock-timeout': seconds }) {
    const { terminal, env } = context
    const config = await loadConfig(env, { 'embeddings.embedding_model': model })
    await using og = await context.openOg(config, { needsBucket: true })
    using progress = showProgress(terminal, { label: library ?? 'reembed' })
    const outcomes: ReembedOutcome[] = []
    for await (const outcome of og.reembed({
      library,
      version,
      lockTimeoutMs: seconds * 1000,
      onProgress: progress.report,
      signal: context.interruption(),
    })) {
      outcomes.push(outcome)
      if (!json && outcome.result) await terminal.write(line(outcome.result))
    }
    progress[Symbol.dispose]()
    return await report(context, outcomes, json)
  },
})

function line({ library, version, status, before, model, chunks, seconds }: ReembedResult): string {
  if (status === 'unchanged') return `${library} ${version}: unchanged (${model})\n`
  const from = before === model ? '' : `, before by ${before ?? 'none'}`
  const took = `${formatCount(chunks, 'chunk')}, ${seconds.toFixed(1)} s`
  return `${library} ${version}: embedded by ${model}${from} (${took})\n`
}

async function report(
  { terminal }: Context,
  outcomes: readonly ReembedOutcome[],
  json: boolean,
): Promise<number> {
  const failures = outcomes.filter((outcome) => outcome.error !== null)
  if (outcomes.length === 1 && failures.length === 1) throw failures[0]!.error
  for (const { library, version, error } of failures) {
    noteError(terminal, error, `${library} ${version}`)
  }
  const uncut = outcomes.flatMap(({ result }) => result?.failed ?? [])
  for (const { url, reason } of uncut)
    terminal.note('warning', `Cannot embed page ${url}: ${reason}`)
  if (json) await terminal.write(jsonText(outcomesJson({ value: outcomes })))
  else if (outcomes.length === 0) terminal.note('plain', 'No libraries found.')
  return failures.length + uncut.length === 0 ? 0 : 1
}
