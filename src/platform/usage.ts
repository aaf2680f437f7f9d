import { readFileSync } from 'node:fs'

export type Usage = {
  parent: number
  /** CPU time; Linux counts it in ticks of 10 ms. */
  cpuMs: number
  /** Resident memory without shared pages, such as the executable's. */
  bytes: number
  /** True if its main thread needs no processor: it sleeps, or was stopped. */
  isWaiting: boolean
}

const pageBytes = 4096

/** Usage of a process; null if it has ended, or outside Linux. See proc_pid_stat(5). */
export function usageOf(pid: number): Usage | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const [, resident, shared] = readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ')
    // The program name, which may contain spaces and brackets, precedes these fields.
    const fields = stat.slice(stat.lastIndexOf(') ') + 2).split(' ')
    const cpuMs = (Number(fields[11]) + Number(fields[12])) * 10
    const bytes = (Number(resident) - Number(shared)) * pageBytes
    return { parent: Number(fields[1]), cpuMs, bytes, isWaiting: /^[STt]$/.test(fields[0]!) }
  } catch {
    return null
  }
}
