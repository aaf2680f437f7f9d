import { openContext } from './cli/context.ts'
import { run } from './cli/run.ts'

process.exit(await run(process.argv.slice(2), openContext()))
