import { noteError } from '../../answer/notes.ts'
import { loadConfig } from '../../../config/load.ts'
import type { UpdateOutcome } from '../../../library/add/update.ts'
import { OgError } from '../../../platform/error.ts'
import { jsonText } from '../../../platform/json.ts'
import { command, option } from '../../command.ts'
import { formatCount } from '../../../platform/text/count.ts'
import { lockTimeoutOption, versionOption } from '../../operation-options.ts'

export const watch = command({
  name: 'watch',
  summary: 'index the documentation in a folder again after each change',
  positionals: { library: { doc: 'name of the library', optional: true, suggest: 'library' } },
  options: {
    version: versionOption('watch this version only'),
    'lock-timeout': lockTimeoutOption,
    json: option.flag('print one line of JSON for each change'),
  },
  async run(context, { library, version, json, 'lock-timeout': seconds }) {
    const { terminal, env, openOg } = context
    const signal = context.interruption()
    await using og = await openOg(await loadConfig(env), { needsBucket: true })
    const seen = new Set<string>()
    const refused = Promise.withResolvers<never>()
    const write = (text: string) => void terminal.write(text).catch(refused.reject)
    const watching = og.watch({
      library,
      version,
      lockTimeoutMs: seconds * 1000,
      signal,
      onStart: (paths) => terminal.note('plain', `Watching ${paths.join(', ')}; Ctrl-C ends.`),
      onOutcome(outcome) {
        // Prints the first result even if nothing changed, to confirm that watching works.
        const isFirst = !seen.has(outcome.library)
        seen.add(outcome.library)
        const isNews = outcome.result?.status !== 'unchanged'
        if (json && (isFirst || isNews)) write(jsonText(jsonOf(outcome), 0))
        else if (outcome.error) noteError(terminal, outcome.error)
        else if (isFirst || isNews) write(`${renderChange(outcome, new Date())}\n`)
      },
    })
    await Promise.race([watching, refused.promise])
    return signal.reason instanceof OgError ? signal.reason.exitCode : 130
  },
})

function renderChange(outcome: UpdateOutcome, now: Date): string {
  const { library, version, result } = outcome
  const what = `${now.toTimeString().slice(0, 8)} ${library} ${version}:`
  if (result === null) return `${what} ${outcome.error.message}`
  if (result.status === 'unchanged')
    return `${what} unchanged (${formatCount(result.pages, 'page')})`
  const { added, modified, deleted } = result.diff
  const failed = result.failed.length > 0 ? `, ${result.failed.length} failed` : ''
  return (
    `${what} ${added} added, ${modified} modified, ${deleted} deleted${failed} ` +
    `(${result.embedded} embedded, ${result.seconds.toFixed(1)} s)`
  )
}

function jsonOf({ library, version, result, error }: UpdateOutcome) {
  return result ?? { library, version, error: error.message, hint: error.hint ?? null }
}
