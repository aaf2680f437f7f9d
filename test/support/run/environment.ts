import { chmodSync, mkdirSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A folder for one run of tests alone: what its tests count there is theirs. */
export function createScratch(): string {
  const scratch = mkdtempSync(join(tmpdir(), 'og-tests-'))
  mkdirSync(join(scratch, 'home'))
  mkdirSync(join(scratch, 'tmp'))
  // Some tests run as nobody.
  chmodSync(scratch, 0o755)
  chmodSync(join(scratch, 'tmp'), 0o1777)
  return scratch
}

/** Far above what any test takes: it ends a test that hangs, never one on a busy machine. */
export const timeout = '--timeout=300000'

/** Set where a run has such a folder. */
const mark = 'TESTS_SCRATCH'

export function hasScratch(env: NodeJS.ProcessEnv): boolean {
  return env[mark] !== undefined
}

/**
 * A home and a temporary folder of their own, so that tests neither read nor write what belongs to
 * the user, nor count what others leave in the folder for all. No XDG folder is named: a test that
 * gives a child another HOME means all of its folders.
 */
export function testEnvironment(scratch: string, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const foreign = /^(OG_(?!SHARED$)|HF_|XDG_|GIT_|NO_COLOR$|FORCE_COLOR$)/
  return {
    ...Object.fromEntries(Object.entries(env).filter(([name]) => !foreign.test(name))),
    HOME: join(scratch, 'home'),
    TMPDIR: join(scratch, 'tmp'),
    GIT_CONFIG_NOSYSTEM: '1',
    [mark]: scratch,
  }
}
