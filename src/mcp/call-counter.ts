import { recordToolCall, type ToolCalls } from '../library/stats.ts'

/** Counts tool calls; disposing writes what was not written yet. */
export type CallCounter = AsyncDisposable & { count(tool: string): void }

export type CounterOptions = {
  /** How long calls are added up: to write them costs a lock and a synced file. */
  everyMs?: number
  /** Told why calls could not be counted; once, since it will be so for each of them. */
  warn(line: string): void
}

/**
 * Counts into upstream's statistics file, beside the calls: no answer waits for it. What could not
 * be written is tried again with the calls that come after.
 */
export function openCallCounter(
  path: string,
  { everyMs = 1_000, warn }: CounterOptions,
): CallCounter {
  let calls: ToolCalls = {}
  let timer: Timer | null = null
  let hasWarned = false
  let written = Promise.resolve()
  const add = (tool: string, count: number) => void (calls[tool] = (calls[tool] ?? 0) + count)
  const writeCalls = async () => {
    const added = calls
    calls = {}
    if (Object.keys(added).length === 0) return
    const problem = await recordToolCall(path, added)
    if (problem === null) return
    for (const [tool, count] of Object.entries(added)) add(tool, count)
    if (!hasWarned) warn(problem.message)
    hasWarned = true
  }
  /** One after the other: they would wait for each other's lock, and give up on a slow disk. */
  const write = () => {
    timer = null
    return (written = written.then(writeCalls))
  }
  return {
    count(tool) {
      add(tool, 1)
      timer ??= setTimeout(write, everyMs).unref()
    },
    async [Symbol.asyncDispose]() {
      if (timer !== null) clearTimeout(timer)
      await write()
    },
  }
}
