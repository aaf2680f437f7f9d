import type { Reach } from '../../platform/reach.ts'
import type { Source, SourceGap } from '../../store/source.ts'

/** The source chosen for the user's input, and how it was found. */
export type SourceChoice = {
  source: Source
  /** `sitemap http://…/sitemap.xml (12 pages)`; null if the input is itself the source. */
  how: string | null
  /** The candidates that were tried before, in this order, and why each was rejected. */
  rejected: RejectedCandidate[]
  /** For a package: the version found, as the source spells it. */
  version?: string
  /** For a package: the version as its registry spells it. Tags may spell it differently. */
  release?: string
  /** Set if a better source may exist on a host that did not answer. */
  incomplete?: SourceGap
  /** For a package: the hosts that may be contacted, because a stranger wrote the address. */
  reach?: Reach
}

export type RejectedCandidate = { place: string; reason: string }

/** The gap in a source whose better part is on a host that did not answer. */
export function unreachableGap(host: string, intended: Source): SourceGap {
  return { reason: `cannot reach ${host}`, host, intended }
}
