import type { Fence } from '../../document/fence.ts'
import type { PageSite } from '../parsed-text.ts'

/** A directive: the lines from `from` to `to` (exclusive) include the file `target`. */
export type Include = {
  from: number
  to: number
  target: string
  /** The lines that replace the directive, up to `limit` characters; null without the part. */
  render(text: string, limit: number): string[] | null
  /** True if the included text is markup in which includes are resolved too. */
  isMarkup: boolean
  /** Further files of the same include. Either all files are resolved, or none. */
  also?: Include[]
  /** True if it is enough that one of the files exists. */
  isAnyOf?: boolean
  /** True if a file elsewhere in the source stands for a missing one if no other has its name. */
  isByName?: boolean
}

export type IncludeFinder = (
  lines: readonly string[],
  at: {
    line: number
    fence: Fence | null
    /** The line that opens the fence; '' outside fences. */
    opening?: string
    /** The format in which a file is included, by its path; null if it cannot be part of a page. */
    formatOf: (target: string) => string | null
    /** The site that the page belongs to, if its generator is known. */
    site?: PageSite | undefined
  },
) => Include | null
