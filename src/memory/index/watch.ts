import { mkdirSync, watch, type FSWatcher } from 'node:fs'
import { join } from 'node:path'

/**
 * Calls `onChange` soon after a Markdown file in the workspace or its `daily` folder changes.
 * Changes within `quietMs` are merged. Does not keep the process alive.
 */
export function watchWorkspace(
  folder: string,
  onChange: () => void,
  options: { quietMs?: number } = {},
): Disposable {
  const daily = join(folder, 'daily')
  mkdirSync(daily, { recursive: true })
  let timer: ReturnType<typeof setTimeout> | null = null
  const notice = (name: string | null) => {
    if (name !== null && !/^[^.].*\.md$/i.test(name)) return
    if (timer !== null) clearTimeout(timer)
    timer = setTimeout(onChange, options.quietMs ?? 100)
    timer.unref()
  }
  const watchers = [folder, daily].map((path) => watchFolder(path, notice))
  return {
    [Symbol.dispose]() {
      if (timer !== null) clearTimeout(timer)
      for (const watcher of watchers) watcher.close()
    },
  }
}

/** Watches one folder. A failing watcher is harmless, since each call checks the files anyway. */
function watchFolder(path: string, notice: (name: string | null) => void): FSWatcher {
  const watcher = watch(path, { persistent: false }, (_, name) => notice(name))
  watcher.on('error', () => watcher.close())
  return watcher
}
