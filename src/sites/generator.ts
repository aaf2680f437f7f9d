import type { GrowthLimit } from '../document/growth.ts'
import type { IncludeFinder } from '../formats/include/include-file.ts'
import type { ReferenceKind, ReferenceTitles } from '../document/reference-key.ts'
import type { ApiLookup, PageSite } from '../formats/parsed-text.ts'

/**
 * A documentation site that a generator builds from files in the source. All paths are
 * `/`-separated and relative to the top of the source's files; '' is the top itself.
 */
export type DocsSite = Pick<PageSite, 'generator' | 'root' | 'bases' | 'variables'> & {
  /** Folders whose files are pages or partials of the site. */
  folders: string[]
  /** Files that describe the site; if one changes, all pages are parsed again. */
  files: string[]
  /** The pages that the site shows; if undefined, all pages in its folders. */
  pages?: string[]
  /** Matches the paths of files that are parts of pages, not pages themselves. */
  partials?: RegExp
  /**
   * The same as globs, for patterns from the configuration, because an untrusted regular expression
   * could run for hours. A glob that matches a folder also matches all files in it.
   */
  partialGlobs?: string[]
  /** Page titles in the navigation, by the path of the page. */
  titles: Map<string, string>
  /**
   * Paths in the order of the navigation, with or without extension, possibly of missing files; if
   * undefined, the order of `titles`.
   */
  order?: string[]
  /**
   * The sections above each page in the navigation, outermost first, one per line: a label, or a
   * slash and the path of the page that heads the others.
   */
  sections?: Map<string, string>
}

/** Returns a file of the source by its path from the top; null if it is missing. */
export type ReadText = (path: string) => Promise<string | null>

/** A configuration file, and the root folder of the site that it configures. */
export type SiteConfig = {
  path: string
  root: string
  text: string
  /** The folders and files of the source that match the generator's `pathsLike`. */
  paths?: string[]
}

/**
 * A page whose generator syntax is rewritten; `lookup` finds the objects that it documents, and
 * `titles` are the titles for its references.
 */
export type MarkupPage = {
  path: string
  site: PageSite
  /** The values of the page's front matter. */
  front?: ReadonlyMap<string, string>
  growth?: GrowthLimit
  lookup?: ApiLookup | undefined
  titles?: ReferenceTitles | undefined
}

/** A page whose front matter other files may complete. `from` is its path in the source. */
export type InheritingPage = {
  text: string
  front: ReadonlyMap<string, string>
  from: string
  root: string
  /** The values of the site. */
  variables: ReadonlyMap<string, string>
}

/** The syntax and conventions of one site generator. */
export type Generator = {
  /** The name as shown to people. */
  name: string
  /** Returns the root of the site that a file configures; null if the file configures none. */
  rootOf(path: string): string | null
  /**
   * Describes a site from its configuration, which is read as data and may be malformed; null if
   * the file does not belong to this generator.
   */
  read(config: SiteConfig, read: ReadText): Promise<Partial<DocsSite> | null>
  /** Set if a different generator whose configuration is in the same folder builds the site. */
  isSecondary?: true
  /** Set if the site removes marks such as `[!code focus]` from code. */
  removesCodeMarks?: true
  /** Matches the paths of folders and files, anywhere in the source, that `read` needs. */
  pathsLike?: RegExp
  /** Finds the includes of this generator. They take precedence over the page's format. */
  includes?: IncludeFinder
  /** Completes the front matter of a page with the values that it inherits from other files. */
  inheritValues?(page: InheritingPage, read: ReadText): Promise<ReadonlyMap<string, string>>
  /** Matches references in Markdown that have no words of their own; the target is group 1. */
  references?: readonly (readonly [mark: RegExp, kind: ReferenceKind])[]
  /** Matches the start of an include in any line that contains one. */
  sign?: RegExp
  /**
   * Rewrites the generator's syntax to that of the page's format. Includes have already been
   * expanded. Reading a value in `site.variables` charges its length to `growth`.
   */
  toMarkup?(text: string, page: MarkupPage): string
}
