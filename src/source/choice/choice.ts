import type { Reach } from '../../platform/reach.ts'
import type { Source, SourceGap } from '../../store/source.ts'

/** The source chosen for the user's input, and how it was found. */
export type SourceChoice = {
  source: Source
  /**
   * For example `sitemap http://…/sitemap.xml (12 pages)`; null if the input is itself the source.
   */
  how: string | null
  /** The candidates tried before it, in order, and why each was rejected. */
  rejected: RejectedCandidate[]
  /** For a package: the version that was found, as spelled in the source. */
  version?: string
  /** For a package: the version as spelled in the registry. Tags may spell it differently. */
  release?: string
  /** Set if a better source may exist on a host that did not respond. */
  incomplete?: SourceGap
  /**
   * For a package: the hosts that may be contacted, because the URL comes from an untrusted
   * publisher.
   */
  reach?: Reach
}

export type RejectedCandidate = { place: string; reason: string }

/** Reports that a better source may be on a host that did not respond. */
export function unreachableGap(host: string, intended: Source): SourceGap {
  return { reason: `cannot reach ${host}`, host, intended }
}
