import type { Reach } from '../../platform/reach.ts'
import type { Source, SourceGap } from '../../store/source.ts'

export type SourceChoice = {
  source: Source
  /**
   * For example `sitemap http://…/sitemap.xml (12 pages)`; null if the input is itself the source.
   */
  how: string | null
  rejected: RejectedCandidate[]
  version?: string
  /** For a package: the version as spelled in the registry. Tags may spell it differently. */
  release?: string
  incomplete?: SourceGap
  /**
   * For a package: the hosts that may be contacted, because the URL comes from an untrusted
   * publisher.
   */
  reach?: Reach
}

export type RejectedCandidate = { place: string; reason: string }

export function unreachableGap(host: string, intended: Source): SourceGap {
  return { reason: `cannot reach ${host}`, host, intended }
}
