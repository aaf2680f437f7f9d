/**
 * A program for test/platform/sandbox/signal-guard.test.ts that hangs or ends slowly after SIGTERM.
 * Like a server that stops gracefully, it may be blocked for 5 s.
 */
import {
  setBlockedLimit,
  guardSignals,
  keepAlive,
} from '../../../src/platform/sandbox/signal-guard.ts'

const [kind, path] = process.argv.slice(2) as [string, string]
process.on('SIGTERM', () => {
  keepAlive()
  if (kind === 'later') setTimeout(() => /(.*)(.*)(.*)(.*)(.*)(.*)y/.test('x'.repeat(5000)), 300)
  setTimeout(() => process.exit(7), 2500)
})
guardSignals(path)
if (kind === 'graceful') setBlockedLimit(5_000)
setInterval(() => {}, 1000)
process.stdout.write('up\n')
if (kind === 'stuck') setTimeout(() => /(.*)(.*)(.*)(.*)(.*)(.*)y/.test('x'.repeat(5000)), 50)
