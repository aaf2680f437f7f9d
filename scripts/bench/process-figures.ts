/** What Linux says of a process. */
import { readFileSync } from 'node:fs'

/**
 * Processor time so far of what stands at `/proc/PLACE`: a process, or `PID/task/TID` for one of
 * its threads. Milliseconds, in ticks of ten.
 */
export function processorMs(place: number | string): number {
  const fields = readFileSync(`/proc/${place}/stat`, 'latin1').split(') ').at(-1)!.split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}

/** Memory of a process that is in no swap, in megabytes. */
export function residentOf(pid: number): number {
  return megabytesOf(pid, 'VmRSS')
}

/** The most of it that there was; `resourceUsage` counts what its parent had when it started. */
export function peakOf(pid: number): number {
  return megabytesOf(pid, 'VmHWM')
}

function megabytesOf(pid: number, key: string): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(new RegExp(`^${key}:\\s+(\\d+)`, 'm').exec(status)![1]) / 1000
}
