import type { Fence } from '../../document/fence.ts'
import type { PageSite } from '../parsed-text.ts'

/** A directive in the lines from `from` to `to` (exclusive), which includes the file `target`. */
export type Include = {
  from: number
  to: number
  target: string
  /** Returns the lines that replace the directive, up to `limit` characters, or null. */
  render(text: string, limit: number): string[] | null
  /** True if the included text is markup and can contain further includes. */
  isMarkup: boolean
  /** Further files of the same include. All files must be found, or else none is included. */
  also?: Include[]
  /** True if one existing file is sufficient. */
  isAnyOf?: boolean
  /** True if the only file with this name in the source can replace a missing file. */
  isByName?: boolean
}

export type IncludeFinder = (
  lines: readonly string[],
  at: {
    line: number
    fence: Fence | null
    /** The line that opens the fence; '' outside fences. */
    opening?: string
    /** Returns the format of an included file by path, or null if it cannot be part of a page. */
    formatOf: (target: string) => string | null
    /** The page's site, if its generator is known. */
    site?: PageSite | undefined
  },
) => Include | null
