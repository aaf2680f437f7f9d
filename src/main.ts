import { openContext } from './cli/context.ts'
import { run } from './cli/run.ts'
import { asideFlag } from './platform/aside/own-command.ts'
import { messageOf } from './platform/error.ts'
import { setNativeVariables } from './platform/native/variables.ts'

const typed = process.argv.slice(2)
if (typed[0] === asideFlag && process.connected) void import('./library/add/aside-work.ts')
else {
  prepareNatives()
  void run(typed, openContext()).then(process.exit)
}

/** Comes before everything else, so nobody catches its error. */
function prepareNatives(): void {
  try {
    setNativeVariables()
  } catch (error) {
    process.stderr.write(`error: ${messageOf(error)}\n`)
    process.exit(2)
  }
}
