import { loadConfig } from '../../../config/load.ts'
import { resume } from '../../../operation/add/update.ts'
import { OgError } from '../../../platform/error.ts'
import type { Context } from '../../context.ts'
import { showProgress } from '../../progress.ts'
import { addDetached } from './add-detached.ts'
import { outcomePrinter, printOutcomes } from './update.ts'

type ResumeOptions = {
  library: string | null
  version: string | null
  source: string | null
  detach: boolean
  json: boolean
  'lock-timeout': number
}

export async function resumeAdds(context: Context, typed: ResumeOptions): Promise<number> {
  const { library, version, source, detach, json } = typed
  if (source !== null) {
    throw new OgError('--resume cannot be used with --source: nothing is fetched', {
      hint: 'omit --resume to read the source again and embed the missing chunks too',
    })
  }
  const { terminal, env } = context
  const input = { library, version, lock_timeout: typed['lock-timeout'] }
  if (detach) return await addDetached(context, input, { options: ['--resume'], json })
  await using og = await context.openOg(await loadConfig(env), { needsBucket: true })
  using progress = showProgress(terminal, { label: library ?? 'resume' })
  const answer = await resume.run(
    {
      og,
      onOutcome: outcomePrinter(terminal, json),
      onProgress: progress.report,
      signal: context.interruption(),
    },
    input,
  )
  progress[Symbol.dispose]()
  if (!json && answer.value.length === 0) {
    terminal.note('plain', `Nothing is incomplete${library === null ? '' : ` of ${library}`}.`)
    return 0
  }
  const shown = json ? resume.json(answer) : null
  return await printOutcomes(context, answer.value, { json: shown, all: library === null })
}
