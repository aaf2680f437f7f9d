/** CPU time that this process has used so far, in milliseconds. */
export function usedCpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/**
 * Returns the milliseconds of CPU that this process used for `work`; unlike elapsed time, it does
 * not depend on other programs.
 */
export function cpuMs(work: () => unknown): number {
  const before = usedCpuMs()
  work()
  return usedCpuMs() - before
}
