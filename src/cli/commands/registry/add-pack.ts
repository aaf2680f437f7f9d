import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Environment } from '../../../config/env.ts'
import { loadConfig } from '../../../config/load.ts'
import { expandPath } from '../../../config/paths.ts'
import { OgError } from '../../../platform/error.ts'
import { jsonText } from '../../../platform/json.ts'
import { renderSummary } from '../../answer/summary.ts'
import type { Context } from '../../context.ts'
import { showProgress } from '../../progress.ts'

export type AddPackOptions = {
  as: string | null
  trust: boolean
  'min-health': number | null
  'lock-timeout': number
  json: boolean
}

/** Whether what was typed in place of a library's name is a pack. */
export function isPackName(typed: string): boolean {
  return /\.ogpack(?:[?#].*)?$/i.test(typed)
}

/** Adds a pack, where somebody trusts it. */
export async function addPack(
  context: Context, typed: string, options: AddPackOptions,
): Promise<number> {
  const { env } = context
  const config = await loadConfig(env)
  if (config.reach !== null) throw new OgError('Cannot add a pack for an agent: it is not signed')
  const path = packPlace(typed, env)
  if (!isOnWeb(path) && !existsSync(path)) {
    throw new OgError(`Cannot use pack "${typed}": no such file`)
  }
  await checkTrust(context, typed, options)
  return await installNamed(context, { ...options, path })
}

type Named = AddPackOptions & { path: string; sha256?: string }

/** Adds a pack that is trusted. */
export async function installNamed(context: Context, { path, ...options }: Named): Promise<number> {
  const { env, terminal } = context
  await using og = await context.openOg(await loadConfig(env))
  using progress = showProgress(terminal, { label: options.as ?? path })
  const result = await og.packs.add({
    path,
    sha256: options.sha256,
    library: options.as,
    minHealth: options['min-health'],
    lockTimeoutMs: options['lock-timeout'] * 1000,
    onProgress: progress.report,
    signal: context.interruption(),
  })
  progress[Symbol.dispose]()
  await terminal.write(options.json ? jsonText(result) : renderSummary(result))
  return result.failed.length > 0 ? 1 : 0
}

function isOnWeb(place: string): boolean {
  return /^https?:/i.test(place)
}

/** An address stays what it is; a path is of the current folder. */
function packPlace(typed: string, env: Environment): string {
  if (isOnWeb(typed)) return typed
  return /^file:/i.test(typed) ? Bun.fileURLToPath(typed) : resolve(expandPath(typed, env))
}

/** What a stranger wrote is read by agents too: no switch that answers all questions will do. */
async function checkTrust(
  { terminal }: Context, typed: string, { trust }: AddPackOptions,
): Promise<void> {
  if (trust) return
  const what = `"${typed}": nobody has signed it`
  const hint = '--trust adds it all the same: its pages are what its maker wrote'
  if (!terminal.canAsk) throw new OgError(`Cannot trust ${what}`, { hint })
  const question = `Trust ${what}. Its pages are what its maker wrote. Add it?`
  if (!(await terminal.ask(question))) {
    throw new OgError(`Cannot add ${what}; nothing was changed`, { hint })
  }
}
