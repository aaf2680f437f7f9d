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

/** Creates a folder for this test run only, so that other runs do not change it. */
export function createScratch(): string {
  const root = inMemory() ?? tmpdir()
  if (root === memory) sweep(root)
  const scratch = mkdtempSync(join(root, prefix))
  mkdirSync(join(scratch, 'home'))
  mkdirSync(join(scratch, 'tmp'))
  // Some tests run as the user nobody.
  chmodSync(scratch, 0o755)
  chmodSync(join(scratch, 'tmp'), 0o1777)
  return scratch
}

const prefix = 'og-tests-'
const memory = '/dev/shm'
const tmpfs = 0x01021994
/**
 * Several times the total size of the files that tests have at the same time: the executable, its
 * libraries and the simulated machines.
 */
const enough = 8 * 1024 ** 3
/** No run takes longer than this number of milliseconds. */
const longest = 4 * 3_600_000

/**
 * Returns a folder in memory if this machine has one with enough room from which programs may run.
 * Tests flush files to disk some 100,000 times, which takes most of their time and changes no
 * result. Returns null if TMPDIR is set.
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

/** Killed runs leave folders that would fill the memory, so old ones are deleted. */
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

/**
 * Far longer than any test takes, so that the limit ends only a test that hangs, even on a busy
 * machine.
 */
export const timeout = '--timeout=300000'

/** Set if the run has a folder in memory. */
const mark = 'TESTS_SCRATCH'

export function hasScratch(env: NodeJS.ProcessEnv): boolean {
  return env[mark] !== undefined
}

/**
 * Returns the folder of this run.
 * @throws Error outside a test run
 */
export function scratchOf(env: NodeJS.ProcessEnv): string {
  const scratch = env[mark]
  if (scratch === undefined) throw new Error('no tests run here')
  return scratch
}

/** Returns the cache of a whole run, because unpacking native libraries takes 1.6 s of CPU. */
export function sharedCache(env: NodeJS.ProcessEnv): string {
  return join(scratchOf(env), 'shared', 'cache')
}

/**
 * Returns an environment with a temporary home and temporary folder, so that tests neither read nor
 * write the user's files, nor count files of other programs. Sets no XDG folder, because a test
 * that gives a child another HOME expects all of its folders there. Chooses a time zone where it is
 * noon, because the log of today and the version of a folder change at midnight.
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

/** In POSIX names, hours west of Greenwich are positive. */
function noonZone(now: Date): string {
  const west = now.getUTCHours() - 12
  return `Etc/GMT${west < 0 ? '' : '+'}${west}`
}
