import { readFileSync } from 'node:fs'

export type Usage = {
  parent: number
  /** In the 100 ticks a second that Linux counts. */
  cpuMs: number
  /** Memory, without what it shares with others, as the executable's own pages. */
  bytes: number
  /** Its main thread asks for no processor: it sleeps, or was stopped. */
  isWaiting: boolean
}

const pageBytes = 4096

/** Null: it has ended, or the system is not Linux. See proc_pid_stat(5). */
export function usageOf(pid: number): Usage | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const [, resident, shared] = readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ')
    // The name before them may hold anything.
    const fields = stat.slice(stat.lastIndexOf(') ') + 2).split(' ')
    const cpuMs = (Number(fields[11]) + Number(fields[12])) * 10
    const bytes = (Number(resident) - Number(shared)) * pageBytes
    return { parent: Number(fields[1]), cpuMs, bytes, isWaiting: /^[STt]$/.test(fields[0]!) }
  } catch {
    return null
  }
}
