import { expect } from 'bun:test'
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { scratchOf } from './run/environment.ts'

export type Ran = { exitCode: number; stdout: string; stderr: string }

export type RunOptions = {
  stdin?: string
  cwd?: string
  /** Added to the world's environment; `undefined` takes a variable away. */
  env?: Record<string, string | undefined>
  /** A program and arguments that run the executable: `['unshare', '-n']`. */
  prefix?: string[]
}

/** A run that goes on while the test does something else. */
export type Running = { pid: number; kill(signal: NodeJS.Signals): void; ended: Promise<Ran> }

/** A made machine: an empty home, an empty folder to stand in, and the executable. */
export type World = AsyncDisposable & {
  /** Absolute, free of links; `bin/og`, `home`, `tmp` and `cwd` lie in it. */
  folder: string
  store: string
  /** For whoever starts the executable by other means. */
  executable: string
  env: Record<string, string>
  og(args: string[], options?: RunOptions): Promise<Ran>
  start(args: string[], options?: RunOptions): Running
  /** Runs, expects exit code 0 or 1 and nothing but JSON on stdout. */
  json(args: string[], options?: RunOptions): Promise<any>
  /** Compares what is printed, after `literal`, and the exit code, which is 0 unless named. */
  check(args: string[], expected: Expected, options?: RunOptions): Promise<void>
}

export type Expected = { exitCode?: number; stdout?: string | RegExp; stderr?: string | RegExp }

const root = join(import.meta.dir, '..', '..')

/** A folder of documentation that is in no git repository, so that any version may be named. */
export const handbook = sharedHandbook()

/** Nothing is embedded: for tests that are about something else. */
const fullTextOnly = { OG_EMBEDDINGS__EMBEDDING_BACKEND: 'none' }

/**
 * @param options.embeddings the real model computes them; else there are none
 * @param options.ownCache natives are unpacked anew, which takes a second or two
 */
export async function createWorld(
  options: { embeddings?: true; ownCache?: true } = {},
): Promise<World> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'og-e2e-')))
  chmodSync(folder, 0o755)
  for (const name of ['bin', 'home', 'tmp', 'cwd']) mkdirSync(join(folder, name))
  chmodSync(join(folder, 'tmp'), 0o1777)
  linkOrCopy(sharedExecutable(), join(folder, 'bin', 'og'))
  const env = {
    HOME: join(folder, 'home'),
    OG_SOURCES__AUTO_ADD_LOCAL: 'false',
    PATH: [...new Set([dirname(Bun.which('git')!), '/usr/bin', '/bin'])].join(':'),
    TMPDIR: join(folder, 'tmp'),
    TZ: process.env['TZ']!,
    ...(options.embeddings ? {} : fullTextOnly),
    ...(options.ownCache ? {} : { OG_CACHE_DIR: join(sharedFolder, 'cache') }),
  }
  const start = (args: string[], run: RunOptions = {}) => spawn(folder, args, mixed(env, run))
  const og = (args: string[], run?: RunOptions) => start(args, run).ended
  return {
    folder,
    executable: join(folder, 'bin', 'og'),
    env,
    store: join(folder, 'home', '.local', 'share', 'openground', 'og'),
    og,
    start,
    async json(args, run) {
      const ran = await og(args, run)
      if (ran.exitCode > 1) throw new Error(`og ${args.join(' ')}: ${ran.exitCode} ${ran.stderr}`)
      return JSON.parse(ran.stdout)
    },
    async check(args, { exitCode = 0, stdout = '', stderr = '' }, run) {
      const ran = await og(args, run)
      compare(literal(ran.stderr, folder), stderr)
      compare(literal(ran.stdout, folder), stdout)
      expect(ran.exitCode).toBe(exitCode)
    },
    async [Symbol.asyncDispose]() {
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** What differs from run to run by a word that says what it is. */
function literal(text: string, folder: string): string {
  return text
    .replaceAll(folder, 'DIR')
    .replace(/local-\d{4}-\d\d-\d\d/g, 'local-DATE')
    .replace(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d\.\d{3})?Z/g, 'WHEN')
    .replace(/\b[0-9a-z]{8}-[0-9a-f]{8}(?=\/)/g, 'GENERATION')
    .replace(/^( {2}time {5})\d+\.\d s$/m, '$1N s')
    .replace(/"seconds": [\d.]+/, '"seconds": N')
    .replace(/score=\d+\.\d{4}/g, 'score=N')
    .replace(/"score": ?[\d.]+/g, '"score": N')
}

function compare(actual: string, wanted: string | RegExp): void {
  if (typeof wanted === 'string') expect(actual).toBe(wanted)
  else expect(actual).toMatch(wanted)
}

type Spawning = Required<Pick<RunOptions, 'stdin' | 'prefix'>> & {
  env: Record<string, string>
  cwd: string | undefined
}

function mixed(env: Record<string, string>, run: RunOptions): Spawning {
  const { stdin = '', prefix = [], cwd } = run
  const all = Object.entries({ ...env, ...run.env }).filter(([, value]) => value !== undefined)
  return { env: Object.fromEntries(all) as Record<string, string>, stdin, prefix, cwd }
}

/** Without what og says after every ten seconds of work: whether it does depends on the machine. */
export function withoutProgress(text: string): string {
  return text.replace(/^\S+: (looking up the version|(fetching|embedding|indexing), .*)\n/gm, '')
}

/** A run that hangs is killed, so that the test shows what it had said by then. */
const hangMs = 240_000

function spawn(folder: string, args: string[], { env, stdin, prefix, cwd }: Spawning): Running {
  const child = Bun.spawn([...prefix, join(folder, 'bin', 'og'), ...args], {
    cwd: cwd ?? join(folder, 'cwd'),
    env,
    stdin: new TextEncoder().encode(stdin),
    stdout: 'pipe',
    stderr: 'pipe',
    timeout: hangMs,
    killSignal: 'SIGKILL',
  })
  const outputs = [new Response(child.stdout).text(), new Response(child.stderr).text()] as const
  const ended = Promise.all([child.exited, ...outputs]).then(([exitCode, stdout, stderr]) => ({
    exitCode,
    stdout,
    stderr: withoutProgress(stderr),
  }))
  return { pid: child.pid, kill: (signal) => child.kill(signal), ended }
}

/** Several processes test at once, and each may make it: their copies are the same. */
function sharedHandbook(): string {
  const path = join(scratchOf(process.env), 'shared', 'handbook')
  if (existsSync(path)) return path
  const draft = `${path}-${process.pid}`
  cpSync(join(root, 'test', 'fixtures', 'handbook'), draft, { recursive: true })
  try {
    renameSync(draft, path)
  } catch (error) {
    rmSync(draft, { recursive: true })
    if (!existsSync(path)) throw error
  }
  return path
}

/** One executable and one cache of unpacked natives for a whole run, also when it is built anew. */
const sharedFolder = join(scratchOf(process.env), 'shared')

let isShared = false

/** Several processes test at once, and each may make it: their copies are the same. */
function sharedExecutable(): string {
  const path = join(sharedFolder, 'og')
  if (isShared) return path
  const built = join(root, 'dist', 'og')
  if (!existsSync(built)) throw new Error('there is no dist/og: npm run build makes it')
  mkdirSync(sharedFolder, { recursive: true })
  if (!existsSync(path)) {
    const draft = `${path}-${process.pid}`
    linkOrCopy(built, draft)
    // Of two links of one file it does nothing, and leaves both.
    renameSync(draft, path)
    rmSync(draft, { force: true })
  }
  isShared = true
  return path
}

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as { code?: string }).code === 'EPERM'
  }
}

/** A link is enough where the file system has them; the bytes are 200 MB. */
function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to)
  } catch {
    copyFileSync(from, to)
    chmodSync(to, 0o755)
  }
}
