import type { GrowthLimit } from '../document/growth.ts'
import type { ReferenceTitles } from '../document/reference-key.ts'
import type { Markup } from '../document/headings.ts'
import type { JuliaDocs } from '../api/julia/find-julia.ts'
import type { FoundSymbol } from '../api/find-python.ts'

export type ParsedFile = {
  path: string
  url: string
  growth: GrowthLimit
  /** Names and their values in the site's configuration. */
  variables?: ReadonlyMap<string, string> | undefined
  /**
   * Finds the objects whose documentation the page shows; if undefined, source files are not read.
   */
  lookup?: ApiLookup | undefined
  /** Titles for references without words; if undefined, their labels are shown. */
  titles?: ReferenceTitles | undefined
  /** True if the site shows marks such as `[!code focus]` in code. */
  showsCodeMarks?: boolean
}

/** A page in a file that contains several. Its `id` is unique in the file. */
export type FilePart = { id: string; title: string; description: string | null; text: string }

export type ParsedText = {
  text: string
  /** If undefined, Markdown. */
  markup?: Markup
  /** The source text from which the description is taken; if undefined, `text`. */
  written?: string
  title?: string | null
  description?: string | null
  language?: string | null
  parts?: FilePart[]
  /** The fallback title and description of a page that has none of its own. */
  fallback?: { title: string | null; description: string | null }
}

/** Finds the API objects that a page documents in the source files of its own project. */
export type ApiLookup = {
  /** Returns the first object with one of these names; null if none; undefined before `resolve`. */
  find(names: readonly string[]): FoundSymbol | null | undefined
  /** Returns the Julia project's docstrings; null if there is none; undefined before `resolve`. */
  julia(): JuliaDocs | null | undefined
  /** Documentation in TypeScript files; null if there is none; undefined before `resolve`. */
  declared(declaration: Declared): string | null | undefined
  /** Looks up everything unknown so far. Returns false if there was nothing. */
  resolve(): Promise<boolean>
}

/** A module that a file declares, or a name in a file. */
export type Declared = { module: string } | { file: string; name: string }

/** The facts about a page's site that the parser needs. */
export type PageSite = {
  /** Its name in `generators`. */
  generator: string
  /** The folder of the configuration file. */
  root: string
  /** Further folders to which include paths may be relative, in addition to the page's folder. */
  bases: string[]
  /** Values that pages refer to by name. */
  variables: Map<string, string>
  path: string
  /** The title in the navigation; null if it has none. */
  title: string | null
  /** True if other pages have the same title; then the page's heading is a better title. */
  isShared: boolean
}
