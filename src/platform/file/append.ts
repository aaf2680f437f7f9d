import type { Stats } from 'node:fs'
import { open } from 'node:fs/promises'

/** Appends to a file and waits until the data is on the disk; returns the file's new stats. */
export async function appendSynced(path: string, text: string | Uint8Array): Promise<Stats> {
  await using handle = await open(path, 'a')
  await handle.writeFile(text)
  await handle.datasync()
  return await handle.stat()
}
