/**
 * What every run of tests begins with: bunfig.toml names it. Where `npm test` has not done so, the
 * run is begun again in a home of its own, since the environment that a process was started with
 * is what its children get, and with its timeout, since one that is set here holds for the first
 * file alone.
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

/** Bun tells a preloaded file nothing but the path of the test. */
function ownArguments(): string[] {
  if (process.platform !== 'linux') return ['test', ...process.argv.slice(1)]
  const [, ...args] = readFileSync('/proc/self/cmdline', 'utf8').split('\0')
  return args.slice(0, -1)
}
