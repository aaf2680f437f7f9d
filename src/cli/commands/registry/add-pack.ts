import { noteError } from '../../answer/notes.ts'
import type { Config } from '../../../config/config.ts'
import { loadConfig } from '../../../config/load.ts'
import type { AddResult } from '../../../library/library.ts'
import type { Og } from '../../../open.ts'
import {
  addPack as addPackOperation,
  checkTrust,
  looksLikePack,
  resolvePackPath,
  refuseAgentPacks,
} from '../../../operation/pack.ts'
import { OgError } from '../../../platform/error.ts'
import { jsonText } from '../../../platform/json.ts'
import { renderSummary, renderUpdated } from '../../answer/summary.ts'
import type { Context } from '../../context.ts'
import { showProgress } from '../../progress.ts'
import type { Answer } from '../../../operation/note.ts'
import type { InputOf } from '../../../operation/field.ts'

export type AddPackOptions = {
  as: string | null
  trust: boolean
  'min-health': number | null
  'lock-timeout': number
  json: boolean
}

/** Adds a pack if the user trusts it. @returns the exit code */
export async function addPack(
  context: Context,
  path: string,
  options: AddPackOptions,
): Promise<number> {
  const config = await loadConfig(context.env)
  refuseAgentPacks(config)
  resolvePackPath(path, context.env)
  if (!options.trust) await checkTrust(context.terminal, `"${path}"`)
  return await installTrustedPack(context, config, { ...options, path })
}

/** Adds several packs. If one fails, continues with the next. @returns the exit code */
export async function addPacks(
  context: Context,
  names: readonly string[],
  options: AddPackOptions,
): Promise<number> {
  const other = names.find((one) => !looksLikePack(one))
  if (other !== undefined) {
    const why = 'together with others: only packs (FILE.ogpack) can be'
    const [name, source] = names
    const isSource = names.length === 2 && /[/:]/.test(source ?? '')
    throw new OgError(`Cannot add "${other}" ${why}`, {
      hint: isSource ? `og add ${name} --source ${source}` : 'og add accepts one library at a time',
    })
  }
  if (options.as !== null) throw new OgError('--as cannot be used with several packs')
  const { terminal, env } = context
  const config = await loadConfig(env)
  refuseAgentPacks(config)
  if (!options.trust) await checkTrust(terminal, `${names.length} packs`)
  await using og = await context.openOg(config, { needsBucket: true })
  const results: AddResult[] = []
  const failed: { pack: string; error: string; hint: string | null }[] = []
  for (const pack of names) {
    try {
      const { value } = await install(context, og, { ...options, config, path: pack })
      if (!options.json) await terminal.write(renderUpdated(value))
      results.push(value)
    } catch (error) {
      context.interruption().throwIfAborted()
      if (!(error instanceof OgError)) throw error
      noteError(terminal, error)
      failed.push({ pack, error: error.message, hint: error.hint ?? null })
    }
  }
  if (options.json) await terminal.write(jsonText({ results, failures: failed }))
  if (results.length === 0) return 2
  return failed.length > 0 || results.some((one) => one.failed.length > 0) ? 1 : 0
}

type PackChoice = AddPackOptions & { path: string; sha256?: string }

export async function installTrustedPack(
  context: Context,
  config: Config,
  choice: PackChoice,
): Promise<number> {
  await using og = await context.openOg(config, { needsBucket: true })
  const answer = await install(context, og, { ...choice, config })
  const { value } = answer
  await context.terminal.write(
    choice.json ? jsonText(addPackOperation.json(answer)) : renderSummary(value),
  )
  return value.failed.length > 0 ? 1 : 0
}

async function install(
  { terminal, env, interruption }: Context,
  og: Og,
  {
    config,
    path,
    sha256 = null,
    ...options
  }: Omit<PackChoice, 'sha256'> & { config: Config; sha256?: string | null },
): Promise<Answer<AddResult>> {
  const input: InputOf<(typeof addPackOperation)['input']> = {
    path,
    sha256,
    as: options.as,
    min_health: options['min-health'],
    lock_timeout: options['lock-timeout'],
  }
  using progress = showProgress(terminal, { label: options.as ?? path })
  const adding = {
    og,
    config,
    env,
    // Progress shows the typed path, not the library name in the pack.
    onProgress: (now: Parameters<typeof progress.report>[0]) => progress.report(now),
    signal: interruption(),
  }
  return await addPackOperation.run(adding, input)
}
