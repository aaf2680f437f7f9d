import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { freemem, tmpdir } from 'node:os'
import { join } from 'node:path'

/** A folder for one run of tests alone: what its tests count there is theirs. */
export function createScratch(): string {
  const root = inMemory() ?? tmpdir()
  if (root === memory) sweep(root)
  const scratch = mkdtempSync(join(root, prefix))
  mkdirSync(join(scratch, 'home'))
  mkdirSync(join(scratch, 'tmp'))
  // Some tests run as nobody.
  chmodSync(scratch, 0o755)
  chmodSync(join(scratch, 'tmp'), 0o1777)
  return scratch
}

const prefix = 'og-tests-'
const memory = '/dev/shm'
const tmpfs = 0x01021994
/** Several times what the tests have there at once: the executable, its natives, their worlds. */
const enough = 8 * 1024 ** 3
/** No run lasts so long: ms. */
const longest = 4 * 3_600_000

/**
 * The folder in memory where this machine has one, with room, whose programs may run. Tests flush
 * files to the disk some 100,000 times, which is most of their time, and none can see that it has
 * been done. Null where somebody has named a folder.
 */
function inMemory(): string | null {
  if (process.platform !== 'linux' || process.env['TMPDIR'] || !existsSync(memory)) return null
  const { type, bavail, bsize } = statfsSync(memory)
  if (type !== tmpfs || Math.min(bavail * bsize, freemem()) < enough) return null
  const probe = mkdtempSync(join(memory, prefix))
  try {
    writeFileSync(join(probe, 'program'), '#!/bin/sh\n', { mode: 0o755 })
    return spawnSync(join(probe, 'program')).status === 0 ? memory : null
  } finally {
    rmSync(probe, { recursive: true })
  }
}

/** What runs left that were killed would fill the memory. */
function sweep(root: string): void {
  for (const name of readdirSync(root).filter((it) => it.startsWith(prefix))) {
    const path = join(root, name)
    const stats = statSync(path, { throwIfNoEntry: false })
    const isOurs = stats?.uid === process.getuid!()
    if (isOurs && Date.now() - stats.mtimeMs > longest) {
      rmSync(path, { recursive: true, force: true })
    }
  }
}

/** Far above what any test takes: it ends a test that hangs, never one on a busy machine. */
export const timeout = '--timeout=300000'

/** Set where a run has such a folder. */
const mark = 'TESTS_SCRATCH'

export function hasScratch(env: NodeJS.ProcessEnv): boolean {
  return env[mark] !== undefined
}

/** The folder of this run. @throws Error where no tests run */
export function scratchOf(env: NodeJS.ProcessEnv): string {
  const scratch = env[mark]
  if (scratch === undefined) throw new Error('no tests run here')
  return scratch
}

/**
 * A home and a temporary folder of their own, so that tests neither read nor write what belongs to
 * the user, nor count what others leave in the folder for all. No XDG folder is named: a test that
 * gives a child another HOME means all of its folders. The time zone is one where it is noon, since
 * at midnight the log of today and the version of a folder become others.
 */
export function testEnvironment(
  scratch: string,
  env: NodeJS.ProcessEnv,
  now = new Date(),
): NodeJS.ProcessEnv {
  const foreign = /^(OG_(?!SHARED$)|HF_|XDG_|GIT_|NO_COLOR$|FORCE_COLOR$)/
  return {
    ...Object.fromEntries(Object.entries(env).filter(([name]) => !foreign.test(name))),
    HOME: join(scratch, 'home'),
    TMPDIR: join(scratch, 'tmp'),
    GIT_CONFIG_NOSYSTEM: '1',
    TZ: noonZone(now),
    [mark]: scratch,
  }
}

/** In names of POSIX, hours west of Greenwich count up. */
function noonZone(now: Date): string {
  const west = now.getUTCHours() - 12
  return `Etc/GMT${west < 0 ? '' : '+'}${west}`
}
