import { readdirSync } from 'node:fs'
import { OgError } from '../../platform/error.ts'
import { usageOf, type Usage } from '../../platform/usage.ts'
import { start, type SpawnOptions } from '../../platform/subprocess.ts'

export type RunLimits = {
  /** On the clock of `performance.now()`. */
  deadline: number
  /** Of the program and all that it started, together; known on Linux alone. */
  memoryBytes: number
}

/**
 * Runs a program to its end. Over a limit, or when the signal aborts, it and all that it started is
 * ended.
 * @throws OgError where a limit ended it; the signal's reason
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
    // Such as git, which is in a group of its own.
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

/** It may have ended a moment ago; that is what was wanted. */
function endOne(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

type FamilyMember = Usage & { pid: number }

/** A process and all below it, each with its memory that it does not share; elsewhere none. */
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
