import { createHash } from 'node:crypto'

/** An old file that an edit has renamed. The new name contains these fields. */
export type SavedFile = {
  name: string
  /** Inode of the new content, which has the name from `savedFileName` until the exchange. */
  newInode: bigint
  /** Size and hash of the bytes that the edit read. */
  size: number
  hash: string
}

/** Returns the name that the new content has before the exchange and the old file has after it. */
export function savedFileName({ name, newInode, size, hash }: SavedFile): string {
  return `.${name}.${newInode.toString(36)}-${size.toString(36)}-${hash}`
}

/** Parses a name from `savedFileName`; returns null for other names. */
export function parseSavedName(fileName: string): SavedFile | null {
  const parts = /^\.(.+)\.([0-9a-z]+)-([0-9a-z]+)-([0-9a-f]{12})~?$/.exec(fileName)
  if (parts === null) return null
  const [, name = '', inode = '', size = '', hash = ''] = parts
  const newInode = [...inode].reduce((sum, digit) => sum * 36n + BigInt(parseInt(digit, 36)), 0n)
  return { name, newInode, size: parseInt(size, 36), hash }
}

export function savedFileHash(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex').slice(0, 12)
}

/** Returns the bytes that were appended, or null if anything else has changed. */
export function appendedBytes(old: Buffer, now: Buffer): Buffer | null {
  return now.subarray(0, old.length).equals(old) ? now.subarray(old.length) : null
}
