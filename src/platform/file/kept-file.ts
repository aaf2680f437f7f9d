import { createHash } from 'node:crypto'

/** An old file that lies under another name, as its name tells; see `keptFileName`. */
export type KeptFile = {
  /** The name of the file that is edited. */
  name: string
  /** Inode of the new content, which has this name until it is exchanged. */
  newInode: bigint
  /** Size and hash of the bytes that the new content takes into account. */
  size: number
  hash: string
}

/** The name of the new content before the exchange, and of the old file after it. */
export function keptFileName({ name, newInode, size, hash }: KeptFile): string {
  return `.${name}.${newInode.toString(36)}-${size.toString(36)}-${hash}`
}

/** The parts of a name of `keptFileName`; null for other names. */
export function parseKeptName(fileName: string): KeptFile | null {
  const parts = /^\.(.+)\.([0-9a-z]+)-([0-9a-z]+)-([0-9a-f]{12})~?$/.exec(fileName)
  if (parts === null) return null
  const [, name = '', inode = '', size = '', hash = ''] = parts
  const newInode = [...inode].reduce((sum, digit) => sum * 36n + BigInt(parseInt(digit, 36)), 0n)
  return { name, newInode, size: parseInt(size, 36), hash }
}

export function keptHash(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex').slice(0, 12)
}

/** The bytes that were added to the end; null if anything else has changed. */
export function appendedBytes(old: Buffer, now: Buffer): Buffer | null {
  return now.subarray(0, old.length).equals(old) ? now.subarray(old.length) : null
}
