import { existsSync } from 'node:fs'
import { access, constants, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Whether files may be written in a folder, or it be made; creates nothing. */
export async function mayWrite(folder: string): Promise<boolean> {
  const allowed = constants.W_OK | constants.X_OK
  return access(existingFolder(folder), allowed).then(() => true, () => false)
}

/** Bytes that this user may still write where the folder lies, or will lie. */
export async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(existingFolder(folder))
  return bavail * bsize
}

/** The folder, or the nearest one above it that exists. */
function existingFolder(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder
    ? folder
    : existingFolder(dirname(folder))
}
