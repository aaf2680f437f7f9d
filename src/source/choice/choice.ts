import type { Reach } from '../../platform/reach.ts'
import type { Source } from '../../store/source.ts'

/** The source that was found for what was named, and how. */
export type Choice = {
  source: Source
  /** `sitemap http://…/sitemap.xml (12 pages)`; null: what was named is the source itself. */
  how: string | null
  /** What was looked at before, in this order, and why it was not taken. */
  passed: Passed[]
  /** Of a package: the version that was found, as the source has it. */
  version?: string
  /** Of a package: what may be connected to, since strangers named it. */
  reach?: Reach
}

export type Passed = { place: string; reason: string }
