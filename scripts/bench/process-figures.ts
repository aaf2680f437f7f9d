import { readFileSync } from 'node:fs'

/**
 * Returns the CPU time of `/proc/PLACE` so far: of a process or, for `PID/task/TID`, of one of its
 * threads. The result is in milliseconds, in steps of ten.
 */
export function processorMs(place: number | string): number {
  const fields = readFileSync(`/proc/${place}/stat`, 'latin1').split(') ').at(-1)!.split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}

/** Returns the resident memory of a process, without swap, in megabytes. */
export function residentOf(pid: number): number {
  return megabytesOf(pid, 'VmRSS')
}

/**
 * Returns the peak resident memory in megabytes. `resourceUsage` would include the parent's memory
 * at the fork.
 */
export function peakOf(pid: number): number {
  return megabytesOf(pid, 'VmHWM')
}

function megabytesOf(pid: number, key: string): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(new RegExp(`^${key}:\\s+(\\d+)`, 'm').exec(status)![1]) / 1000
}
