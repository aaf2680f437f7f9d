import type { OgView } from '../../open.ts'

/**
 * Calls `onChange` when libraries were added, replaced or removed, by whomever: the registry is
 * read again every `everyMs`, which works where no file system tells of changes.
 */
export function watchLibraries(og: OgView, onChange: () => void, everyMs = 2_000): Disposable {
  let last: string | null = null
  let isReading = false
  const look = async () => {
    if (isReading) return
    isReading = true
    // A registry that cannot be read now is reported by the next call that needs it.
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
