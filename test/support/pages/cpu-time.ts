/**
 * Returns the milliseconds of CPU that this process used for `work`; unlike elapsed time, it does
 * not depend on other programs.
 */
export function cpuMs(work: () => unknown): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}
