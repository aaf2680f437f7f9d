import { expect } from 'bun:test'
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { scratchOf, sharedCache } from './run/environment.ts'
import { homePaths } from './run/home-paths.ts'

export type Ran = { exitCode: number; stdout: string; stderr: string }

export type RunOptions = {
  stdin?: string
  cwd?: string
  /** Variables to add to the simulated machine's environment; `undefined` removes one. */
  env?: Record<string, string | undefined>
  /** A program and arguments that run the executable, such as `['unshare', '-n']`. */
  prefix?: string[]
}

/** A run that continues while the test does something else. */
export type Running = { pid: number; kill(signal: NodeJS.Signals): void; ended: Promise<Ran> }

/** A simulated machine: an empty home, an empty current folder, and the executable. */
export type World = AsyncDisposable & {
  /** Absolute real path; contains `bin/og`, `home`, `tmp` and `cwd`. */
  folder: string
  store: string
  /** Path of the executable, for tests that start it in another way. */
  executable: string
  env: Record<string, string>
  og(args: string[], options?: RunOptions): Promise<Ran>
  start(args: string[], options?: RunOptions): Running
  /** Runs a command, expects exit code 0 or 1 and only JSON on stdout, and returns it. */
  json(args: string[], options?: RunOptions): Promise<any>
  /** Compares the output as `literal` returns it, and the exit code, which defaults to 0. */
  check(args: string[], expected: Expected, options?: RunOptions): Promise<void>
}

export type Expected = { exitCode?: number; stdout?: string | RegExp; stderr?: string | RegExp }

const root = join(import.meta.dir, '..', '..')

/** A folder of documentation outside any git repository, so that any version may be given. */
export const handbook = sharedHandbook()

/** Switches embeddings off, for tests of other features. */
const fullTextOnly = { OG_EMBEDDINGS__EMBEDDING_BACKEND: 'none' }

/**
 * @param options.embeddings whether the real model computes embeddings; otherwise there are none
 * @param options.ownCache whether native libraries are unpacked again, which takes a second or two
 */
export async function createWorld(
  options: { embeddings?: true; ownCache?: true } = {},
): Promise<World> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'og-e2e-')))
  chmodSync(folder, 0o755)
  for (const name of ['bin', 'home', 'tmp', 'cwd']) mkdirSync(join(folder, name))
  chmodSync(join(folder, 'tmp'), 0o1777)
  linkOrCopy(sharedExecutable(), join(folder, 'bin', 'og'))
  // The executable looks for ONNX Runtime beside itself.
  for (const name of readdirSync(join(root, 'dist')).filter((it) => it.startsWith('onnx'))) {
    linkOrCopy(join(root, 'dist', name), join(folder, 'bin', name))
  }
  const env = {
    HOME: join(folder, 'home'),
    OG_SOURCES__AUTO_ADD_LOCAL: 'false',
    PATH: [...new Set([dirname(Bun.which('git')!), '/usr/bin', '/bin'])].join(':'),
    TMPDIR: join(folder, 'tmp'),
    TZ: process.env['TZ']!,
    ...(options.embeddings ? {} : fullTextOnly),
    ...(options.ownCache ? {} : { OG_CACHE_DIR: sharedCache(process.env) }),
  }
  const start = (args: string[], run: RunOptions = {}) => spawn(folder, args, mixed(env, run))
  const og = (args: string[], run?: RunOptions) => start(args, run).ended
  return {
    folder,
    executable: join(folder, 'bin', 'og'),
    env,
    store: join(folder, 'home', homePaths.store),
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

/** Replaces the parts that differ from run to run by a descriptive word. */
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

/** Sorts the names after `Also:`, because processors round the scores of close ones differently. */
export function sortFurtherNames(text: string): string {
  const sorted = (names: string) => names.split(', ').sort().join(', ')
  return text.replace(/^Also: (.*)$/gm, (_, names: string) => `Also: ${sorted(names)}`)
}

function compare(actual: string, wanted: string | RegExp): void {
  if (typeof wanted === 'string') expect(sortFurtherNames(actual)).toBe(sortFurtherNames(wanted))
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

/**
 * Removes the lines that og prints after every ten seconds of work, because they depend on the
 * speed of the machine.
 */
export function withoutProgress(text: string): string {
  return text.replace(/^\S+: (looking up the version|(fetching|embedding|indexing), .*)\n/gm, '')
}

/** A run that hangs is killed, so that the test shows its output so far. */
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

/** Several processes may create the copy at the same time, and the copies are identical. */
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

/**
 * One executable and one cache of unpacked libraries serve a whole run, even if og is built again
 * in the meantime.
 */
const sharedFolder = join(scratchOf(process.env), 'shared')

let isShared = false

/** Several processes may create the copy at the same time, and the copies are identical. */
function sharedExecutable(): string {
  const path = join(sharedFolder, 'og')
  if (isShared) return path
  const built = join(root, 'dist', 'og')
  if (!existsSync(built)) throw new Error('there is no dist/og: npm run build makes it')
  mkdirSync(sharedFolder, { recursive: true })
  if (!existsSync(path)) {
    const draft = `${path}-${process.pid}`
    linkOrCopy(built, draft)
    // If both names are links of one file, rename does nothing and leaves both.
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

/** Links the file if the file system can, because the file has 200 MB. */
function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to)
  } catch {
    copyFileSync(from, to)
    chmodSync(to, 0o755)
  }
}
