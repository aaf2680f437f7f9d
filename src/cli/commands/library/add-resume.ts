import { loadConfig } from '../../../config/load.ts'
import { OgError } from '../../../platform/error.ts'
import type { Context } from '../../context.ts'
import { showProgress } from '../../progress.ts'
import { addDetached } from './add-detached.ts'
import { report, toldOutcomes } from './update.ts'

type Typed = {
  library: string | null
  version: string | null
  source: string | null
  detach: boolean
  json: boolean
  'lock-timeout': number
}

/**
 * `og add --resume`: embeds chunks that earlier runs left without embeddings. @returns the exit
 * code
 */
export async function addTheRest(context: Context, typed: Typed): Promise<number> {
  const { library, version, source, detach, json } = typed
  if (source !== null) {
    throw new OgError('--resume cannot be used with --source: nothing is fetched', {
      hint: 'without --resume the source is read again, and what is missing is embedded too',
    })
  }
  const { terminal, env } = context
  if (detach) {
    const input = { library, version, lock_timeout: typed['lock-timeout'] }
    return await addDetached(context, input, { options: ['--resume'], json })
  }
  await using og = await context.openOg(await loadConfig(env), { needsBucket: true })
  using progress = showProgress(terminal, { label: library ?? 'resume' })
  const outcomes = await toldOutcomes(
    terminal,
    json,
    og.resume({
      library,
      version,
      lockTimeoutMs: typed['lock-timeout'] * 1000,
      onProgress: progress.report,
      signal: context.interruption(),
    }),
  )
  progress[Symbol.dispose]()
  if (!json && outcomes.length === 0) {
    terminal.note('plain', `Nothing is incomplete${library === null ? '' : ` of ${library}`}.`)
    return 0
  }
  return await report(context, outcomes, { json, all: library === null })
}
