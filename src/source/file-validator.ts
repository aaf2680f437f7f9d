import type { BigIntStats } from 'node:fs'
import { sha256 } from '../platform/hash.ts'

/** What is noted of a file: `stamp` is its size, times and inode; '-' where they prove nothing. */
type FileValidator = { stamp: string; hash: string }

/** Null: there is no such note. */
export function parseValidator(validator: string | undefined): FileValidator | null {
  const [stamp, hash] = validator?.split(' ') ?? []
  return stamp && hash ? { stamp, hash } : null
}

/** `stats` are those from before the file was read: what changes meanwhile is then seen. */
export function fileValidator(stats: BigIntStats, bytes: Uint8Array): string {
  const age = Date.now() - Number(stats.ctimeMs)
  return `${age < racyMs ? '-' : fileStamp(stats)} ${sha256(bytes)}`
}

/**
 * The time of change is asked too, since copying programs restore that of modification; a rename
 * or a new mode then costs a look at the bytes, and nothing else.
 */
export function fileStamp({ size, mtimeNs, ctimeNs, ino }: BigIntStats): string {
  return `${size}/${mtimeNs}/${ctimeNs}/${ino}`
}

/** A file written this shortly ago could be written again within one tick of its clock. */
const racyMs = 2000
