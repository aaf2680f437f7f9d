/** CPU time and memory of a process, read from /proc. */
import { readFileSync } from 'node:fs'

/**
 * CPU time so far of `/proc/PLACE`: a process, or one of its threads for `PID/task/TID`. Returns
 * milliseconds, in steps of ten.
 */
export function processorMs(place: number | string): number {
  const fields = readFileSync(`/proc/${place}/stat`, 'latin1').split(') ').at(-1)!.split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}

/** Resident memory of a process, without swap, in megabytes. */
export function residentOf(pid: number): number {
  return megabytesOf(pid, 'VmRSS')
}

/**
 * Peak resident memory in megabytes. `resourceUsage` would include the parent's memory at the fork.
 */
export function peakOf(pid: number): number {
  return megabytesOf(pid, 'VmHWM')
}

function megabytesOf(pid: number, key: string): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(new RegExp(`^${key}:\\s+(\\d+)`, 'm').exec(status)![1]) / 1000
}
