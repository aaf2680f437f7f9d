import type { Reach } from '../../platform/reach.ts'
import type { Source } from '../../store/source.ts'

/** The source that was found for what was named, and how. */
export type Choice = {
  source: Source
  /** `sitemap http://…/sitemap.xml (12 pages)`; null: what was named is the source itself. */
  how: string | null
  /** The places that were tried before, in this order, and why they were not taken. */
  passed: Passed[]
  /** Of a package: the version that was found, as the source has it. */
  version?: string
  /** For a package: the hosts that may be connected to, since strangers named the address. */
  reach?: Reach
}

export type Passed = { place: string; reason: string }
