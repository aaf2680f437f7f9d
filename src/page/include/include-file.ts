import type { Fence } from '../../document/fence.ts'
import type { PageSite } from '../generator/generator.ts'
import type { FindTitles } from '../reference-key.ts'

/** Reads the files of a source that a page can include. */
export type IncludedFiles = {
  /** The page's own path, `/`-separated and relative to the root of the readable files. */
  from: string
  /**
   * The text of the file at a path relative to that root; null if it is missing or unreadable. A
   * path that ends with `/` is a folder, whose text is empty. A path that ends with `*` and an
   * extension, such as `src/*.jl`, lists the files below the folder, one per line; null if none.
   * Never called with a path outside the root.
   */
  read(path: string): Promise<string | null>
  /** Reads the first file of each list at once. Returns each path that it tried with its text. */
  readFirst?(lists: readonly string[][]): Promise<(readonly [path: string, text: string | null])[]>
  /** Finds titles of pages and sections of the source; if absent, references keep their labels. */
  titles?: FindTitles | undefined
}

/** A directive: the lines from `from` to `to` (exclusive) include the file `target`. */
export type Include = {
  from: number
  to: number
  target: string
  /** The lines that replace the directive, up to `limit` characters; null without the part. */
  render(text: string, limit: number): string[] | null
  /** Whether the included text is markup in which includes are resolved too. */
  isMarkup: boolean
  /** Other files of the same include. Either all files are resolved, or none. */
  also?: Include[]
  /** The line that replaces a missing file or part; by default, it has the name of the file. */
  missingLine?: string
  /** Whether it is enough that one of the files exists. */
  isAnyOf?: boolean
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
