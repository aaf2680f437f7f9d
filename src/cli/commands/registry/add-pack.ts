import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Config } from '../../../config/config.ts'
import type { Environment } from '../../../config/env.ts'
import { loadConfig } from '../../../config/load.ts'
import { expandPath } from '../../../config/paths.ts'
import type { Og } from '../../../open.ts'
import { OgError } from '../../../platform/error.ts'
import { jsonText } from '../../../platform/json.ts'
import type { AddResult } from '../../../library/library.ts'
import { isOci, isRemote } from '../../../library/pack/pack-place.ts'
import { renderSummary, renderUpdated } from '../../answer/summary.ts'
import type { Context } from '../../context.ts'
import { showProgress } from '../../progress.ts'

export type AddPackOptions = {
  as: string | null
  trust: boolean
  'min-health': number | null
  'lock-timeout': number
  json: boolean
}

/** Whether the argument is a pack and not a library name. */
export function isPackName(typed: string): boolean {
  return /\.ogpack(?:[?#].*)?$/i.test(typed) || isOci(typed)
}

/** Adds a pack if the user trusts it. */
export async function addPack(
  context: Context,
  typed: string,
  options: AddPackOptions,
): Promise<number> {
  const config = await loadConfig(context.env)
  refuseAgent(config)
  const path = placeOfPack(typed, context)
  await checkTrust(context, `"${typed}"`, options)
  return await installNamed(context, config, { ...options, path })
}

/** Adds several packs. If one fails, the others are still added. */
export async function addPacks(
  context: Context,
  typed: readonly string[],
  options: AddPackOptions,
): Promise<number> {
  const other = typed.find((it) => !isPackName(it))
  if (other !== undefined) {
    const why = 'together with others: only packs (FILE.ogpack) can be'
    throw new OgError(`Cannot add "${other}" ${why}`, {
      hint: 'og add takes one library at a time',
    })
  }
  if (options.as !== null) throw new OgError('--as cannot be used with several packs')
  const { terminal, env } = context
  const config = await loadConfig(env)
  refuseAgent(config)
  await checkTrust(context, `${typed.length} packs`, options)
  await using og = await context.openOg(config, { needsBucket: true })
  const results: AddResult[] = []
  const failures: { pack: string; error: OgError }[] = []
  for (const pack of typed) {
    try {
      const result = await installed(context, og, { ...options, path: placeOfPack(pack, context) })
      if (!options.json) await terminal.write(renderUpdated(result))
      results.push(result)
    } catch (error) {
      context.interruption().throwIfAborted()
      if (!(error instanceof OgError)) throw error
      terminal.note('error', error.message)
      if (error.hint) terminal.note('hint', error.hint)
      failures.push({ pack, error })
    }
  }
  const failed = failures.map(({ pack, error }) => ({
    pack,
    error: error.message,
    hint: error.hint ?? null,
  }))
  if (options.json) await terminal.write(jsonText({ results, failures: failed }))
  if (results.length === 0) return 2
  return failures.length > 0 || results.some((it) => it.failed.length > 0) ? 1 : 0
}

type Named = AddPackOptions & { path: string; sha256?: string }

/** Adds a trusted pack. */
export async function installNamed(
  context: Context,
  config: Config,
  named: Named,
): Promise<number> {
  await using og = await context.openOg(config, { needsBucket: true })
  const result = await installed(context, og, named)
  await context.terminal.write(named.json ? jsonText(result) : renderSummary(result))
  return result.failed.length > 0 ? 1 : 0
}

async function installed(
  context: Context,
  og: Og,
  { path, ...options }: Named,
): Promise<AddResult> {
  const { terminal } = context
  using progress = showProgress(terminal, { label: options.as ?? path })
  const result = await og.packs.add({
    path,
    sha256: options.sha256,
    library: options.as,
    minHealth: options['min-health'],
    lockTimeoutMs: options['lock-timeout'] * 1000,
    // Shows the path given by the user, not the library name from the pack.
    onProgress: (now) => progress.report(now),
    signal: context.interruption(),
  })
  progress[Symbol.dispose]()
  return result
}

function refuseAgent({ reach }: Config): void {
  if (reach !== null) throw new OgError('Cannot add a pack for an agent: it is not signed')
}

function placeOfPack(typed: string, { env }: Context): string {
  const path = packPlace(typed, env)
  if (isRemote(path) || existsSync(path)) return path
  throw new OgError(`Cannot use pack "${typed}": no such file`)
}

/** Resolves a path against the current folder; URLs stay as they are. */
function packPlace(typed: string, env: Environment): string {
  if (isRemote(typed)) return typed
  return /^file:/i.test(typed) ? Bun.fileURLToPath(typed) : resolve(expandPath(typed, env))
}

/** Agents read the pages of strangers too, so a general --yes does not count as trust. */
async function checkTrust(
  { terminal }: Context,
  typed: string,
  { trust }: AddPackOptions,
): Promise<void> {
  if (trust) return
  const what = `${typed}: nobody has signed it`
  const hint = '--trust adds it all the same: its pages are what its maker wrote'
  if (!terminal.canAsk) throw new OgError(`Cannot trust ${what}`, { hint })
  const question = `Trust ${what}. Its pages are what its maker wrote. Add it?`
  if (!(await terminal.ask(question))) {
    throw new OgError(`Cannot add ${what}; nothing was changed`, { hint })
  }
}
