/**
 * bunfig.toml loads this file before every test run. If `npm test` did not prepare the run, this
 * file starts it again with a temporary home and with a timeout, because children inherit the
 * environment with which the process started, and because a timeout set here applies only to the
 * first file.
 */
import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { constants } from 'node:os'
import { createScratch, hasScratch, testEnvironment, timeout } from './environment.ts'

if (!hasScratch(process.env)) {
  const scratch = createScratch()
  const env = testEnvironment(scratch, process.env)
  const args = [...ownArguments(), timeout]
  const { status, signal } = spawnSync(process.execPath, args, { env, stdio: 'inherit' })
  rmSync(scratch, { recursive: true, force: true })
  process.exit(status ?? 128 + constants.signals[signal!])
}

/**
 * Bun tells a preloaded file only the path of the test, so the arguments are read from the system.
 */
function ownArguments(): string[] {
  if (process.platform !== 'linux') return ['test', ...process.argv.slice(1)]
  const [, ...args] = readFileSync('/proc/self/cmdline', 'utf8').split('\0')
  return args.slice(0, -1)
}
