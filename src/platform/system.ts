import { readFileSync } from 'node:fs'

/** Returns the version of glibc, or null for musl and on systems other than Linux. */
export function glibcVersion(): string | null {
  const report = process.report.getReport() as { header?: { glibcVersionRuntime?: string } }
  return report.header?.glibcVersionRuntime ?? null
}

/** This process's limits on address space in bytes (`ulimit -v`) and open files (`ulimit -n`). */
type OwnLimits = { addressSpace: number; openFiles: number }

/** Reads the limits. An unset limit is Infinity, as are all limits on systems other than Linux. */
export function ownLimits(): OwnLimits {
  const text = process.platform === 'linux' ? readFileSync('/proc/self/limits', 'latin1') : ''
  const limit = (name: string) =>
    Number(new RegExp(`^Max ${name} +(\\d+)`, 'm').exec(text)?.[1] ?? Infinity)
  return { addressSpace: limit('address space'), openFiles: limit('open files') }
}

export type Usage = {
  parent: number
  /** CPU time. Linux counts it in ticks of 10 ms. */
  cpuMs: number
  /** Resident memory without shared pages such as those of the executable. */
  bytes: number
  /** True if the main thread needs no processor because it sleeps or is stopped. */
  isWaiting: boolean
}

const pageBytes = 4096

/**
 * Returns a process's usage. Returns null if the process has ended, and on systems other than
 * Linux. See proc_pid_stat(5).
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
