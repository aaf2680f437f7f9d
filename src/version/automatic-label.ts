import type { Source } from '../store/source.ts'
import { isLocalDate } from './version.ts'

export type VersionLabel = {
  version: string
  source: Source
  ref?: string | null
  commit?: string | null
  pack?: unknown
}

/**
 * True if no user chose the label of a library version: og derived it from the state of local files
 * (a date, or the name of the checked-out commit), and the next update replaces it. A library has
 * at most one such version.
 */
export function isAutomaticLabel({ version, source, ref, commit, pack }: VersionLabel): boolean {
  if (isLocalDate(version)) return true
  return source.kind === 'local_path' && Boolean(commit) && !ref && !pack
}
