import type { Source } from '../store/source.ts'
import { isLocalDate } from './version.ts'

/** The fields of a library version by which `isFollowing` decides. */
export type Labelled = {
  version: string
  source: Source
  ref?: string | null
  commit?: string | null
  pack?: unknown
}

/**
 * Whether nobody chose the label of a library version: it was made from the state of files on this
 * disk, a date or the name of the commit that was checked out, and the next update gives it a new
 * one. A library has one such version.
 */
export function isFollowing({ version, source, ref, commit, pack }: Labelled): boolean {
  if (isLocalDate(version)) return true
  return source.kind === 'local_path' && Boolean(commit) && !ref && !pack
}
