import { closeSync, fdatasync, fstatSync, openSync, type Stats, writeFileSync } from 'node:fs'
import { promisify } from 'node:util'

/**
 * Waits until the data of an open file is on the disk. All other calls of an append take
 * microseconds, less than the way to a thread and back, so that they are synchronous.
 */
export const syncData = promisify(fdatasync)

/** Appends to a file, waits until the data is on disk, and returns the new stats of the file. */
export async function appendSynced(path: string, text: string | Uint8Array): Promise<Stats> {
  const fd = openSync(path, 'a')
  try {
    writeFileSync(fd, text)
    await syncData(fd)
    return fstatSync(fd)
  } finally {
    closeSync(fd)
  }
}
