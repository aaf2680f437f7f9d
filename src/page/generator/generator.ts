import type { GrowthLimit } from '../growth.ts'
import type { ApiLookup } from '../include/api-lookup.ts'
import type { IncludeFinder } from '../include/include.ts'
import type { GeneratorName } from './generators.ts'

/**
 * A documentation site that a generator builds from files of the source. All paths are relative to
 * the top of the source's files, `/`-separated; '' is the top itself.
 */
export type DocsSite = {
  generator: GeneratorName
  /** The folder of the configuration file. */
  root: string
  /** The folders whose files are pages or partials of the site. */
  folders: string[]
  /** The files that were read to describe the site, whether or not they exist. */
  files: string[]
  /** The only pages that the site shows; absent: all pages in its folders. */
  pages?: string[]
  /** Matches the paths of files that are parts of pages and not pages themselves. */
  partials?: RegExp
  /**
   * The same as globs, for patterns of the configuration: a regular expression of a stranger could
   * take hours. A glob that names a folder matches all of its content.
   */
  partialGlobs?: string[]
  /** Path of a page → its title in the navigation. */
  titles: Map<string, string>
  /** Folders that include paths are relative to, besides the page's own folder and those above. */
  bases: string[]
  /** Values that pages refer to by name. */
  variables: Map<string, string>
}

/** The facts about a page's site that the parser needs. */
export type PageSite = Pick<DocsSite, 'generator' | 'root' | 'bases' | 'variables'> & {
  /** The path of the page. */
  path: string
  /** The title in the navigation; null if it has none. */
  title: string | null
  /** Whether several pages have that title: then a heading tells more. */
  isShared: boolean
}

/** Reads a file of the source by its path from the top; null if there is none. */
export type ReadText = (path: string) => Promise<string | null>

/** A configuration file, and the folder that it makes the root of a site. */
export type SiteConfig = {
  path: string
  root: string
  text: string
  /** The folders of the source that match the generator's `foldersLike`. */
  folders?: string[]
}

/** A page whose syntax is rewritten; `lookup` finds the objects that it shows. */
export type MarkupPage = {
  path: string
  site: PageSite
  growth?: GrowthLimit
  lookup?: ApiLookup | undefined
}

/** The syntax and the conventions of one site generator. */
export type Generator = {
  /** The name as people write it. */
  name: string
  /** The root of the site that a file configures; null if the file configures none. */
  rootOf(path: string): string | null
  /**
   * Describes a site by its configuration, which is read as data and may be malformed; null if the
   * file is not this generator's.
   */
  read(config: SiteConfig, read: ReadText): Promise<Partial<DocsSite> | null>
  /** Matches the paths of folders anywhere in the source that `read` needs to know. */
  foldersLike?: RegExp
  /**
   * Finds the includes that only this generator has. They take precedence over the page's format.
   */
  includes?: IncludeFinder
  /** Matches the start of an include in any line that has one. */
  sign?: RegExp
  /**
   * Rewrites the generator's syntax to the syntax of the page's format. Includes are expanded
   * before. The values of `site.variables` are charged to `growth` when they are read.
   */
  toMarkup?(text: string, page: MarkupPage): string
}
