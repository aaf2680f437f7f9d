import { recordToolCall, type ToolCalls } from '../library/stats.ts'

/** Counts tool calls. Disposing it writes the counts that are not on disk yet. */
type CallCounter = AsyncDisposable & { count(tool: string): void }

type CounterOptions = {
  /**
   * How long calls are accumulated before a write, because each write takes a lock and an fsync.
   */
  everyMs?: number
  /**
   * Receives the reason why calls cannot be counted. Called once, because the cause usually lasts.
   */
  warn(line: string): void
}

/**
 * Writes counts to upstream's statistics file in the background, so that no answer waits for it. If
 * a write fails, the counts are kept and written with the next calls.
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
    const pending = calls
    calls = {}
    if (Object.keys(pending).length === 0) return
    const problem = await recordToolCall(path, pending)
    if (problem === null) return
    for (const [tool, count] of Object.entries(pending)) add(tool, count)
    if (!hasWarned) warn(problem.message)
    hasWarned = true
  }
  /**
   * Serializes the writes: parallel ones would contend for the lock and time out on a slow disk.
   */
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
