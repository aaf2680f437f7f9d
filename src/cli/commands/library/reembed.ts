import { loadConfig } from '../../../config/load.ts'
import type { ReembedOutcome, ReembedResult } from '../../../library/add/reembed.ts'
import { command } from '../../command.ts'
import type { Context } from '../../context.ts'
import { showProgress } from '../../progress.ts'
import { lockTimeout } from './publish-options.ts'
import { jsonText } from '../../../platform/json.ts'

export const reembed = command({
  name: 'reembed',
  summary: 'embed indexed documentation anew, by another model',
  details: [
    'Works on the stored pages: nothing is fetched. Searches see the old embeddings until the ' +
      'new ones are whole, and "og rollback" returns to them. Without LIBRARY every version of ' +
      'every library is embedded anew; what the settings made already is left as it is.',
    'A library is always asked by the model that embedded it, where that model is on this ' +
      'machine. With --model the next "og add" or "og update" of the library embeds it by ' +
      'embeddings.embedding_model again, unless that is set to the same. The exit code is 1 ' +
      'where one of several libraries failed.',
  ],
  positionals: { library: { doc: 'name of the library', optional: true, suggest: 'library' } },
  options: {
    model: {
      type: 'text',
      short: 'm',
      placeholder: 'MODEL',
      doc: 'embed by this model',
      suggest: 'model',
      shown: 'embeddings.embedding_model',
    },
    version: {
      type: 'text',
      short: 'v',
      placeholder: 'VERSION',
      doc: 'this version only; without it all that are indexed',
      suggest: 'version',
    },
    'lock-timeout': lockTimeout,
    json: { type: 'switch', doc: 'print a JSON object' },
  },
  examples: [
    'og reembed',
    'og reembed fastapi --model Snowflake/snowflake-arctic-embed-s',
    'og config set embeddings.embedding_model all-MiniLM-L6-v2 && og reembed',
  ],
  async run(context, { library, version, model, json, 'lock-timeout': seconds }) {
    const { terminal, env } = context
    const config = await loadConfig(env, { 'embeddings.embedding_model': model })
    await using og = await context.openOg(config)
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
  const took = `${chunks} chunks, ${seconds.toFixed(1)} s`
  return `${library} ${version}: embedded by ${model}${from} (${took})\n`
}

/** Of one library version the error is the command's own; of several each is told. */
async function report(
  { terminal }: Context,
  outcomes: readonly ReembedOutcome[],
  json: boolean,
): Promise<number> {
  const failures = outcomes.filter((outcome) => outcome.error !== null)
  if (outcomes.length === 1 && failures.length === 1) throw failures[0]!.error
  for (const { library, version, error } of failures) {
    terminal.note('error', `${library} ${version}: ${error.message}`)
    if (error.hint) terminal.note('hint', error.hint)
  }
  if (json) await terminal.write(jsonText(outcomesJson(outcomes)))
  else if (outcomes.length === 0) terminal.note('plain', 'No libraries found.')
  return failures.length === 0 ? 0 : 1
}

function outcomesJson(outcomes: readonly ReembedOutcome[]) {
  return {
    results: outcomes.flatMap(({ result }) => result ?? []),
    failures: outcomes.flatMap(({ library, version, error }) =>
      error === null ? [] : [{ library, version, error: error.message, hint: error.hint ?? null }]),
  }
}
