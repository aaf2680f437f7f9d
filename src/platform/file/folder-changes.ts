import { statSync, watch } from 'node:fs'

type FolderOptions = {
  signal: AbortSignal
  /** A burst ends when nothing has changed for this long, or after ten times as long. */
  quietMs?: number
  /** Returns true if a change to this relative path counts. By default, all changes count. */
  isWanted?: (path: string) => boolean
}

/**
 * Yields once at the start, and then after each burst of changes in a folder. Changes made while
 * the caller was busy count too. Deleting the folder also counts as a change, because programs that
 * build documentation delete and rewrite it. The generator then waits until the folder exists
 * again. Ends when the signal aborts.
 */
export async function* folderChanges(path: string, options: FolderOptions): AsyncGenerator<void> {
  const { signal, quietMs = 300, isWanted = () => true } = options
  const lastChange = { at: 0, wake: Promise.withResolvers<void>() }
  const notice = () => {
    lastChange.at = performance.now()
    lastChange.wake.resolve()
  }
  signal.addEventListener('abort', notice, { once: true })
  while (!signal.aborted) {
    const inode = inodeOf(path)
    using _watcher = watchFolder(path, (name) => {
      if (name === null || isWanted(name)) notice()
    })
    do {
      lastChange.wake = Promise.withResolvers()
      yield
      if (inode !== null) await lastChange.wake.promise
      else while (!signal.aborted && inodeOf(path) === null) await Bun.sleep(quietMs)
      await untilQuiet(lastChange, { signal, quietMs })
    } while (!signal.aborted && inode !== null && inodeOf(path) === inode)
  }
  signal.removeEventListener('abort', notice)
}

async function untilQuiet(
  noticed: { at: number },
  { signal, quietMs }: { signal: AbortSignal; quietMs: number },
): Promise<void> {
  const latest = performance.now() + 10 * quietMs
  while (!signal.aborted && performance.now() < Math.min(latest, noticed.at + quietMs)) {
    await Bun.sleep(Math.min(quietMs, 50))
  }
}

function inodeOf(path: string): bigint | null {
  return statSync(path, { bigint: true, throwIfNoEntry: false })?.ino ?? null
}

function watchFolder(path: string, notice: (name: string | null) => void): Disposable {
  if (inodeOf(path) === null) return { [Symbol.dispose]() {} }
  const watcher = watch(path, { recursive: true }, (_, name) => notice(name ?? null))
  watcher.on('error', () => notice(null))
  return { [Symbol.dispose]: () => watcher.close() }
}
