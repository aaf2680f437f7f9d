import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { residentBytes } from '../../test/support/resident.ts'
import { openRandom, type Random } from './random.ts'

/** A concern of the attack. Each concern is a line of the final table. */
export type Concern = { what: string; attack(arena: Arena): Promise<void> }

/** A temporary home folder, the executable, and the findings of a concern so far. */
export type Arena = AsyncDisposable & {
  folder: string
  store: string
  random: Random
  /**
   * Returns whether another round may begin. The first `least` rounds may begin even after the
   * deadline.
   */
  hasTime(least?: number): boolean
  /**
   * Runs `og` to its end. Records a failure under `tag` if it hangs, crashes, takes too much memory
   * or prints an internal error.
   */
  og(tag: string, args: string[], options?: Running): Promise<Ran>
  /** Starts `og` without waiting for its end, for callers that kill it. */
  start(args: string[], options?: Running): Started
  round(): void
  fail(tag: string, what: string): void
  /** Records the time and memory of work that is not a run of `og`. */
  spent(ms: number, sizeMb: number): void
  readonly found: Found
}

export type Found = { rounds: number; failures: string[]; worstMs: number; worstMb: number }

export type Running = {
  env?: Record<string, string | undefined>
  cwd?: string
  stdin?: string
  prefix?: string[]
  /** A run that takes longer is a failure. */
  limitMs?: number | undefined
}

type Ran = { exitCode: number; stdout: string; stderr: string; ms: number; isHung: boolean }
type Started = { pid: number; kill(): void; ended: Promise<Ran> }

type ArenaOptions = { og: string; seed: number; deadlineMs: number; say: (line: string) => void }

const mostMb = 700
const defaultLimitMs = 120_000

/**
 * Text that `og` must never print for any input, because it means that an internal fault reached
 * the user.
 */
const ourFaults = new RegExp(
  [
    'internal:',
    '^\\s+at .*:\\d+',
    'panic',
    'Segmentation',
    '\\$bunfs',
    'TypeError',
    'RangeError',
    'is not a function',
    'bun\\.report',
  ].join('|'),
  'm',
)

export function openArena({ og, seed, deadlineMs, say }: ArenaOptions): Arena {
  const folder = mkdtempSync(join(tmpdir(), 'og-attack-'))
  for (const name of ['home', 'tmp', 'cwd']) mkdirSync(join(folder, name))
  const found: Found = { rounds: 0, failures: [], worstMs: 0, worstMb: 0 }
  const env = {
    HOME: join(folder, 'home'),
    TMPDIR: join(folder, 'tmp'),
    PATH: process.env.PATH,
    OG_CACHE_DIR: process.env.OG_CACHE_DIR,
    OG_SOURCES__AUTO_ADD_LOCAL: 'false',
    OG_EMBEDDINGS__EMBEDDING_BACKEND: 'none',
  }
  const spent = (ms: number, sizeMb: number) => {
    found.worstMs = Math.max(found.worstMs, ms)
    found.worstMb = Math.max(found.worstMb, sizeMb)
  }
  const fail = (tag: string, what: string) => {
    const line = `${tag}: ${what.trim().replace(/\s+/g, ' ').slice(0, 300)}`
    found.failures.push(line)
    say(`  ${line}`)
  }
  const start = (args: string[], run: Running = {}) =>
    spawned([...(run.prefix ?? []), og, ...args], {
      ...run,
      cwd: run.cwd ?? join(folder, 'cwd'),
      env: { ...env, ...run.env },
    })
  async function checked(tag: string, args: string[], run: Running = {}): Promise<Ran> {
    const ran = await start(args, run).ended
    spent(ran.ms, ran.sizeMb)
    const name = `${tag}, og ${args.slice(0, 2).join(' ')}`
    if (ran.isHung) fail(name, `no end after ${Math.round(ran.ms / 1000)} s`)
    else if (ran.exitCode > 2) fail(name, `exit code ${ran.exitCode} ${ran.stderr}`)
    const fault = ourFaults.exec(ran.stdout + ran.stderr)
    if (fault) fail(name, `said ${JSON.stringify(fault[0])}: ${ran.stderr.slice(-200)}`)
    if (ran.sizeMb > mostMb) fail(name, `took ${Math.round(ran.sizeMb)} MB`)
    return ran
  }
  return {
    folder,
    store: join(folder, 'home', '.local', 'share', 'og', 'index'),
    random: openRandom(seed),
    hasTime: (least = 1) => found.rounds < least || performance.now() < deadlineMs,
    og: checked,
    start,
    round: () => void found.rounds++,
    fail,
    spent,
    found,
    async [Symbol.asyncDispose]() {
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

type Spawned = { pid: number; kill(): void; ended: Promise<Ran & { sizeMb: number }> }

function spawned(command: string[], { env, cwd, stdin = '', limitMs }: Running): Spawned {
  const began = performance.now()
  const child = Bun.spawn(command, {
    env: env as Record<string, string>,
    cwd,
    stdin: new TextEncoder().encode(stdin),
    stdout: 'pipe',
    stderr: 'pipe',
    timeout: limitMs ?? defaultLimitMs,
    killSignal: 'SIGKILL',
  })
  let isKilled = false
  let sizeMb = 0
  const watch = setInterval(() => {
    sizeMb = Math.max(sizeMb, residentBytes(child.pid) / 1e6)
  }, 50)
  const outputs = [new Response(child.stdout).text(), new Response(child.stderr).text()] as const
  const ended = Promise.all([child.exited, ...outputs]).then(([exitCode, stdout, stderr]) => {
    clearInterval(watch)
    const ms = performance.now() - began
    return { exitCode, stdout, stderr, ms, isHung: exitCode === 137 && !isKilled, sizeMb }
  })
  const kill = () => {
    isKilled = true
    child.kill('SIGKILL')
  }
  return { pid: child.pid, kill, ended }
}
