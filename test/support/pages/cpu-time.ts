/**
 * Milliseconds that this process computed for `work`: what else the machine does is not in them,
 * as it is in what a clock shows.
 */
export function cpuMs(work: () => unknown): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}
