import { openContext } from './cli/context.ts'
import { run } from './cli/run.ts'

void run(process.argv.slice(2), openContext()).then(process.exit)
