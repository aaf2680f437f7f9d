import type { BigIntStats } from 'node:fs'
import { sha256 } from '../platform/hash.ts'

/**
 * The recorded state of a file. `stamp` is its size, times and inode, or '-' if they are
 * unreliable. `includes` lists the files that its page includes or tries to include, with one hash
 * of their states.
 */
export type FileValidator = {
  stamp: string
  hash: string
  includes: { paths: string[]; state: string } | null
}

export function parseFileValidator(validator: string | undefined): FileValidator | null {
  const [stamp, hash, state, paths] = validator?.split(' ') ?? []
  if (!stamp || !hash) return null
  const includes =
    state && paths ? { state, paths: paths.split(',').map(decodeURIComponent) } : null
  return { stamp, hash, includes }
}

/**
 * Returns a file's validator to store. The caller must take `stats` before it reads the file, so
 * that a concurrent change is detected next time. `siteKey` changes with the rules of the page's
 * site.
 */
export function fileValidator(stats: BigIntStats, bytes: Uint8Array, siteKey = ''): string {
  const stamp = reliableStamp(stats)
  return `${stamp === null ? '-' : stamp + siteKey} ${sha256(bytes)}${siteKey}`
}

export function withIncludes(
  validator: string,
  { paths, state }: { paths: readonly string[]; state: string },
): string {
  // encodeURIComponent writes commas and blanks as %2C and %20.
  return `${validator} ${state} ${paths.map((path) => encodeURIComponent(path)).join(',')}`
}

/** Returns a file's stamp, or null if the file changed so recently that it may change again. */
export function reliableStamp(stats: BigIntStats): string | null {
  return Date.now() - Number(stats.ctimeMs) < racyMs ? null : fileStamp(stats)
}

/**
 * Returns a file's size, times and inode as text. Includes ctime because programs that copy files
 * restore mtime. A rename or a mode change costs only one more read of the file.
 */
export function fileStamp({ size, mtimeNs, ctimeNs, ino }: BigIntStats): string {
  return `${size}/${mtimeNs}/${ctimeNs}/${ino}`
}

/** A file that changed this recently could change again within one tick of the disk's clock. */
const racyMs = 2000
