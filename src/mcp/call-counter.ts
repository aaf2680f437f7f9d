import { recordToolCall, type ToolCalls } from '../library/stats.ts'

/** Counts tool calls; disposing writes what was not written yet. */
export type CallCounter = AsyncDisposable & { count(tool: string): void }

export type CounterOptions = {
  /** How long calls are added up: to write them costs a lock and a synced file. */
  everyMs?: number
  /** Told why calls could not be counted; once, since it will be so for each of them. */
  warn(line: string): void
}

/** Counts into upstream's statistics file, beside the calls: no answer waits for it. */
export function openCallCounter(
  path: string,
  { everyMs = 1_000, warn }: CounterOptions,
): CallCounter {
  let calls: ToolCalls = {}
  let timer: Timer | null = null
  let hasWarned = false
  const write = async () => {
    timer = null
    const added = calls
    calls = {}
    if (Object.keys(added).length === 0) return
    const problem = await recordToolCall(path, added)
    if (problem !== null && !hasWarned) warn(problem.message)
    hasWarned ||= problem !== null
  }
  return {
    count(tool) {
      calls[tool] = (calls[tool] ?? 0) + 1
      timer ??= setTimeout(write, everyMs).unref()
    },
    async [Symbol.asyncDispose]() {
      if (timer !== null) clearTimeout(timer)
      await write()
    },
  }
}
