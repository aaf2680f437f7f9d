import { createHash } from 'node:crypto'
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The path of the library, or null and the reason. */
export type BuiltKernels = { path: string | null; isMissingCompiler: boolean; reason: string }

/** Compiles native/ to build/kernels/ with `$CC` or `cc`, unless the library is up to date. */
export async function buildKernels(): Promise<BuiltKernels> {
  const path = join(folder, libraryName())
  const stamp = `${path}.stamp`
  const wanted = fingerprint()
  if (existsSync(path) && existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) {
    return { path, isMissingCompiler: false, reason: '' }
  }
  mkdirSync(folder, { recursive: true })
  const temporary = `${path}.${process.pid}`
  const failed = await compile(compileCommand(temporary))
  if (failed !== null) return failed
  renameSync(temporary, path)
  writeFileSync(stamp, wanted)
  return { path, isMissingCompiler: false, reason: '' }
}

/**
 * Compiles native/ to `output` with additional flags. @returns the error, or null if it succeeded
 */
export async function compileKernels(output: string, flags: string[]): Promise<string | null> {
  return (await compile([...compileCommand(output), ...flags]))?.reason ?? null
}

const root = join(import.meta.dir, '../..')
const folder = join(root, 'build', 'kernels')

function libraryName(): string {
  if (process.platform === 'win32') return 'og_kernels.dll'
  return process.platform === 'darwin' ? 'libog_kernels.dylib' : 'libog_kernels.so'
}

/** Compiles native/ with another compiler command. @returns the error, or null if it succeeded */
export async function crossCompileKernels(
  compiler: string[],
  output: string,
): Promise<string | null> {
  return (await compile(compileCommand(output, compiler)))?.reason ?? null
}

/**
 * No fast-math, because NaN must remain NaN. No contraction, so that all rows are summed in the
 * same way.
 */
function compileCommand(output: string, compiler = ownCompiler()): string[] {
  const position = process.platform === 'win32' ? [] : ['-fPIC']
  return [
    ...compiler,
    ...['-std=gnu11', '-O3', '-shared', ...position, '-fvisibility=hidden'],
    ...['-fno-math-errno', '-ffp-contract=off', '-Wall', '-Wextra'],
    ...['kernels.c', 'encoder.c', 'signals.c', 'napi.c'].map((name) => join(root, 'native', name)),
    ...['-o', output, '-lm', '-lpthread'],
  ]
}

const ownCompiler = () => (process.env.CC?.trim() || 'cc').split(/\s+/)

/** Returns null if the compiler succeeded. */
function compile([command = '', ...args]: string[]): Promise<BuiltKernels | null> {
  return new Promise((resolve) => {
    execFile(command, args, (error, _, stderr) => {
      if (error === null) resolve(null)
      else resolve(typeof error.code === 'string' ? missing(command) : broken(command, stderr))
    })
  })
}

/**
 * Returns a hash of the sources and the command, so that a change of compiler rebuilds the library.
 */
function fingerprint(): string {
  const hash = createHash('sha256')
  hash.update(JSON.stringify([process.platform, process.arch, compileCommand('')]))
  const sources = readdirSync(join(root, 'native'))
    .filter((name) => /\.[ch]$/.test(name))
    .sort()
  for (const name of sources) hash.update(name).update(readFileSync(join(root, 'native', name)))
  return hash.digest('hex')
}

function missing(command: string): BuiltKernels {
  const reason = `no C compiler: "${command}" cannot be run; install one or set CC`
  return { path: null, isMissingCompiler: true, reason }
}

function broken(command: string, stderr: string): BuiltKernels {
  const fault = stderr.split('\n').find((line) => /error/i.test(line)) ?? stderr.trim()
  return { path: null, isMissingCompiler: false, reason: `"${command}" failed: ${fault}` }
}

if (import.meta.main) {
  const built = await buildKernels()
  if (built.path !== null) console.log(built.path)
  else console.error(`kernels: ${built.reason}; the JavaScript twins serve`)
  process.exitCode = built.path !== null || built.isMissingCompiler ? 0 : 1
}
