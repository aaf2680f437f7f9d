import { statSync, utimesSync, writeFileSync } from 'node:fs'

/** Other bytes of the same size at the same date of modification: only `ctime` tells. */
export function rewriteUnnoticed(path: string, content: string | Uint8Array): void {
  const before = statSync(path, { bigint: true })
  // The clock of a file system ticks some hundred times a second: two writes may share a tick.
  do {
    writeFileSync(path, content)
    utimesSync(path, before.atime, before.mtime)
  } while (statSync(path, { bigint: true }).ctimeNs === before.ctimeNs)
}
