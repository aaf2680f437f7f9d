import { registerJob } from '../../../library/jobs/job-folder.ts'
import { jobCommand } from '../../../library/jobs/start-job.ts'
import { command } from '../../command.ts'

export const job = command({
  name: jobCommand,
  summary: 'run a command as the job of a folder',
  hidden: true,
  positionals: { words: { doc: 'the command', variadic: true } },
  options: {
    folder: { type: 'text', placeholder: 'DIR', doc: 'folder of the job', required: true },
    library: { type: 'text', placeholder: 'NAME', doc: 'what is indexed', required: true },
    version: { type: 'text', placeholder: 'VERSION', doc: 'which version of it' },
  },
  examples: [],
  async run(context, { folder, library, version, words }) {
    const kept = await registerJob(folder, { library, version, words: [...words] })
    const { run } = await import('../../run.ts')
    const exitCode = await run(words, context)
    await kept.end(exitCode)
    return exitCode
  },
})
