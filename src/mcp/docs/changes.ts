import type { OgView } from '../../open.ts'

/**
 * Calls `onChange` when any process adds, replaces or removes a library. Polls the registry every
 * `everyMs` milliseconds, because some file systems do not report changes.
 */
export function watchRegistry(og: OgView, onChange: () => void, everyMs = 2_000): Disposable {
  let last: string | null = null
  let isReading = false
  const look = async () => {
    if (isReading) return
    isReading = true
    // If the registry cannot be read, the next call that needs it reports the error.
    const now = await og.list().then(JSON.stringify, () => last)
    isReading = false
    if (last !== null && now !== last) onChange()
    last = now
  }
  void look()
  const timer = setInterval(look, everyMs)
  timer.unref()
  return { [Symbol.dispose]: () => clearInterval(timer) }
}
