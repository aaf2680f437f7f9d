import { openContext } from './cli/context.ts'
import { run } from './cli/run.ts'
import { sandboxFlag } from './platform/sandbox/sandbox-message.ts'
import { startWithNativeVariables } from './platform/native/variables.ts'
import { trace } from './platform/trace.ts'

const argv = process.argv.slice(2)
if (argv[0] === sandboxFlag && process.connected) void import('./library/add/sandbox-work.ts')
else {
  trace('start', { pid: process.pid })
  startWithNativeVariables()
  void run(argv, openContext()).then(process.exit)
}
