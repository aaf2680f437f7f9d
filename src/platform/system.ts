import { readFileSync } from 'node:fs'
import { OgError } from './error.ts'
import type { CheckResult } from './check.ts'
import { buildTarget, bundledNatives } from './native/bundled.ts'

/** Describes the program and its system, for bug reports. */
export function checkExecutable(version: string): CheckResult {
  const libc = process.platform === 'linux' ? glibcVersion() : null
  const place = bundledNatives === null ? 'run from source' : process.execPath
  const target = `${process.platform}-${process.arch}`
  const parts = [`og ${version}`, place, `Bun ${Bun.version}`, target]
  if (process.platform !== 'linux') return { ok: true, detail: parts.join(', ') }
  if (libc !== null) return { ok: true, detail: [...parts, `glibc ${libc}`].join(', ') }
  if (isForMusl) return { ok: true, detail: [...parts, 'musl'].join(', ') }
  return {
    ok: false,
    detail: [...parts, 'no glibc'].join(', '),
    hint: 'this build needs glibc: use the build for musl',
  }
}

const isForMusl = buildTarget?.endsWith('-musl') ?? false

/** The oldest glibc that works: ONNX Runtime needs it, and no other part needs a newer one. */
const leastGlibc = [2, 28] as const

/**
 * @throws OgError on a Linux without glibc, or with a glibc that is too old for the native
 * libraries
 */
export function refuseOtherLibc(): void {
  if (process.platform !== 'linux' || isForMusl) return
  const libc = glibcVersion()
  const [major = 0, minor = 0] = (libc ?? '0.0').split('.').map(Number)
  if (major > leastGlibc[0] || (major === leastGlibc[0] && minor >= leastGlibc[1])) return
  const state = libc === null ? 'it has none (musl?)' : `its version is ${libc}`
  throw new OgError(`Cannot run on this system: og needs glibc ${leastGlibc.join('.')}, ${state}`, {
    hint: 'use a distribution with a newer glibc, such as Debian 10 or later, or og for musl',
  })
}

/** Returns the version of glibc; null for musl, and on systems other than Linux. */
export function glibcVersion(): string | null {
  const report = process.report.getReport() as { header?: { glibcVersionRuntime?: string } }
  return report.header?.glibcVersionRuntime ?? null
}

/** Limits on this process: bytes of address space (`ulimit -v`) and open files (`ulimit -n`). */
type OwnLimits = { addressSpace: number; openFiles: number }

/** An unset limit is Infinity, and so are all limits on systems other than Linux. */
export function ownLimits(): OwnLimits {
  const text = process.platform === 'linux' ? readFileSync('/proc/self/limits', 'latin1') : ''
  const limit = (name: string) =>
    Number(new RegExp(`^Max ${name} +(\\d+)`, 'm').exec(text)?.[1] ?? Infinity)
  return { addressSpace: limit('address space'), openFiles: limit('open files') }
}

export type Usage = {
  parent: number
  /** CPU time, which Linux counts in ticks of 10 ms. */
  cpuMs: number
  /** Resident memory without shared pages, such as pages of the executable. */
  bytes: number
  /** True if the main thread does not need a processor because it sleeps or was stopped. */
  isWaiting: boolean
}

const pageBytes = 4096

/**
 * Returns the usage of a process; null if it has ended, and on systems other than Linux. See
 * proc_pid_stat(5).
 */
export function usageOf(pid: number): Usage | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const [, resident, shared] = readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ')
    // These fields follow the program name, which may contain spaces and brackets.
    const fields = stat.slice(stat.lastIndexOf(') ') + 2).split(' ')
    const cpuMs = (Number(fields[11]) + Number(fields[12])) * 10
    const bytes = (Number(resident) - Number(shared)) * pageBytes
    return { parent: Number(fields[1]), cpuMs, bytes, isWaiting: /^[STt]$/.test(fields[0]!) }
  } catch {
    return null
  }
}
