import type { BigIntStats } from 'node:fs'
import { sha256 } from '../platform/hash.ts'

/**
 * A note of a file's state. `stamp`: its size, times and inode, or '-' where they prove nothing.
 */
type FileValidator = { stamp: string; hash: string }

/** A note in its written form, parsed; null: there is none. */
export function parseValidator(validator: string | undefined): FileValidator | null {
  const [stamp, hash] = validator?.split(' ') ?? []
  return stamp && hash ? { stamp, hash } : null
}

/**
 * The note of a file, in its written form. `stats` must be taken before the file is read, so that a
 * change meanwhile is seen later.
 */
export function fileValidator(stats: BigIntStats, bytes: Uint8Array): string {
  const age = Date.now() - Number(stats.ctimeMs)
  return `${age < racyMs ? '-' : fileStamp(stats)} ${sha256(bytes)}`
}

/**
 * A file's size, times and inode as text. ctime is among them because programs that copy files
 * restore mtime; a rename or a new mode then costs one more look at the bytes.
 */
export function fileStamp({ size, mtimeNs, ctimeNs, ino }: BigIntStats): string {
  return `${size}/${mtimeNs}/${ctimeNs}/${ino}`
}

/** A file changed less than this ago could change again within one tick of the disk's clock. */
const racyMs = 2000
