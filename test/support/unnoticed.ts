import { statSync, utimesSync, writeFileSync } from 'node:fs'

/**
 * Writes other bytes of the same size with the same modification time, so that only `ctime`
 * differs.
 */
export function rewriteUnnoticed(path: string, content: string | Uint8Array): void {
  const before = statSync(path, { bigint: true })
  // A file system's clock ticks only a few hundred times a second, so two writes may have the same
  // time.
  do {
    writeFileSync(path, content)
    utimesSync(path, before.atime, before.mtime)
  } while (statSync(path, { bigint: true }).ctimeNs === before.ctimeNs)
}
