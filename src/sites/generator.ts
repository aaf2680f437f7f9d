import type { GrowthLimit } from '../document/growth.ts'
import type { IncludeFinder } from '../formats/include/include-file.ts'
import type { ReferenceKind, ReferenceTitles } from '../document/reference-key.ts'
import type { ApiLookup, PageSite } from '../formats/parsed-text.ts'

/**
 * A documentation site in a source. All paths are `/`-separated and relative to the top folder of
 * the source, which is ''.
 */
export type DocsSite = Pick<PageSite, 'generator' | 'root' | 'bases' | 'variables'> & {
  /** Folders with pages or partials of the site. */
  folders: string[]
  /** Files that describe the site. If one of them changes, all pages are parsed again. */
  files: string[]
  /** The pages that the site shows. Without it, the site shows all pages in its folders. */
  pages?: string[]
  /** Matches files that are parts of pages. */
  partials?: RegExp
  /**
   * Globs of such files from the configuration. An untrusted regular expression could run for
   * hours. A glob that matches a folder includes all files in it.
   */
  partialGlobs?: string[]
  /** Titles in the navigation by page path. */
  titles: Map<string, string>
  /**
   * Paths in navigation order, with or without extension. Some may not exist. The default is the
   * order of `titles`.
   */
  order?: string[]
  /**
   * The navigation sections above each page, outermost first, one per line. A section is a label,
   * or a slash and the path of the parent page.
   */
  sections?: Map<string, string>
}

/** Returns the text of a file by path from the top folder, or null if it is missing. */
export type ReadText = (path: string) => Promise<string | null>

/** A configuration file and the root folder of its site. */
export type SiteConfig = {
  path: string
  root: string
  text: string
  /** The paths that match the generator's `pathsLike`. */
  paths?: string[]
}

/**
 * A page before the conversion of generator syntax. `lookup` finds documented objects, and `titles`
 * has the titles of references.
 */
export type MarkupPage = {
  path: string
  site: PageSite
  /** The page's front matter. */
  front?: ReadonlyMap<string, string>
  growth?: GrowthLimit
  lookup?: ApiLookup | undefined
  titles?: ReferenceTitles | undefined
}

/** A page that can inherit front matter from other files. `from` is its path in the source. */
export type InheritingPage = {
  text: string
  front: ReadonlyMap<string, string>
  from: string
  root: string
  /** The values of the site. */
  variables: ReadonlyMap<string, string>
}

export type Generator = {
  /** The name that users see. */
  name: string
  /** Returns the root of the site that a file configures, or null if it is no configuration. */
  rootOf(path: string): string | null
  /**
   * Describes a site from its configuration, which is untrusted data. Returns null if the file
   * belongs to another program.
   */
  read(config: SiteConfig, read: ReadText): Promise<Partial<DocsSite> | null>
  /** True if another generator, with its configuration in the same folder, builds the site. */
  isSecondary?: true
  /** True if the site removes marks such as `[!code focus]` from code. */
  removesCodeMarks?: true
  /** Matches all folders and files that `read` needs. */
  pathsLike?: RegExp
  /** Finds this generator's includes. They take precedence over includes of the page's format. */
  includes?: IncludeFinder
  /** Adds the front matter values that a page inherits from other files. */
  inheritValues?(page: InheritingPage, read: ReadText): Promise<ReadonlyMap<string, string>>
  /** Matches Markdown references without their own text; group 1 is the target. */
  references?: readonly (readonly [mark: RegExp, kind: ReferenceKind])[]
  /** A fast test for lines that may contain an include. */
  sign?: RegExp
  /**
   * Converts the generator's syntax to the page's format, after includes are expanded. Reading a
   * value in `site.variables` charges its length to `growth`.
   */
  toMarkup?(text: string, page: MarkupPage): string
}
