import type { Stats } from 'node:fs'
import { open } from 'node:fs/promises'

/** Adds to the end of a file and waits until it is on the disk; tells what the file is then. */
export async function appendSynced(path: string, text: string | Uint8Array): Promise<Stats> {
  await using handle = await open(path, 'a')
  await handle.writeFile(text)
  await handle.datasync()
  return await handle.stat()
}
