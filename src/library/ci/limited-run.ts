import { readdirSync } from 'node:fs'
import { OgError } from '../../platform/error.ts'
import { usageOf, type Usage } from '../../platform/usage.ts'
import { start, type SpawnOptions } from '../../platform/subprocess.ts'

type RunLimits = {
  /** In terms of `performance.now()`. */
  deadline: number
  /** Limit of the program and all its child processes together; only on Linux. */
  memoryBytes: number
}

/**
 * Runs a program until it exits. Beyond a limit, or if the signal aborts, ends it with all its
 * child processes.
 * @throws OgError if a limit ended it; the signal's reason
 */
export async function runLimited(
  command: string[],
  { signal, ...options }: SpawnOptions,
  { deadline, memoryBytes }: RunLimits,
): Promise<{ exitCode: number; stdout: string; stderr: string }> {
  signal?.throwIfAborted()
  await using child = start(command, options)
  let why: string | null = null
  const watch = setInterval(() => {
    const family = familyOf(child.pid)
    if (performance.now() > deadline) why = 'it takes longer than --time-limit allows'
    else if (family.reduce((sum, { bytes }) => sum + bytes, 0) > memoryBytes) {
      why = `it takes over ${Math.round(memoryBytes / 1e6)} MB of memory (--memory)`
    }
    if (why === null && !signal?.aborted) return
    child.kill()
    // For example git, which is in its own process group.
    for (const { pid } of family) endOne(pid)
  }, 100)
  try {
    await child.stdin.end()
    const stdout = await new Response(child.stdout).text()
    const { exitCode, stderr } = await child.ended
    signal?.throwIfAborted()
    if (why !== null) throw new OgError(`Cannot build it: ${why as string}`)
    return { exitCode, stdout, stderr }
  } finally {
    clearInterval(watch)
  }
}

/** Ignores a process that has already ended. */
function endOne(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

type FamilyMember = Usage & { pid: number }

/** A process and its descendants, each with its unshared memory. Empty on other systems. */
function familyOf(root: number): FamilyMember[] {
  if (process.platform !== 'linux') return []
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const usage = usageOf(Number(name))
      return usage === null ? [] : [{ pid: Number(name), ...usage }]
    })
  const family = all.filter(({ pid }) => pid === root)
  for (const { pid } of family) family.push(...all.filter(({ parent }) => parent === pid))
  return family
}
