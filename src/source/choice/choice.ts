import type { Reach } from '../../platform/reach.ts'
import type { Source, SourceGap } from '../../store/source.ts'

/** The source that was found for what was named, and how. */
export type Choice = {
  source: Source
  /** `sitemap http://…/sitemap.xml (12 pages)`; null: what was named is the source itself. */
  how: string | null
  /** The places that were tried before, in this order, and why they were not taken. */
  passed: Passed[]
  /** Of a package: the version that was found, as the source has it. */
  version?: string
  /** The version of a package by its registry, which spells it otherwise than tags do. */
  release?: string
  /** Set if something better may exist on a host that did not answer. */
  incomplete?: SourceGap
  /** For a package: the hosts that may be connected to, since strangers named the address. */
  reach?: Reach
}

export type Passed = { place: string; reason: string }

/** The gap of a source if its better part is on a host that did not answer. */
export function unreachableGap(host: string, intended: Source): SourceGap {
  return { reason: `cannot reach ${host}`, host, intended }
}
