import type { GrowthLimit } from '../document/growth.ts'
import type { ReferenceTitles } from '../document/reference-key.ts'
import type { Markup } from '../document/headings.ts'
import type { JuliaDocs } from '../api/julia/find-julia.ts'
import type { FoundSymbol } from '../api/find-python.ts'

export type ParsedFile = {
  path: string
  url: string
  growth: GrowthLimit
  /** Values in the site's configuration by name. */
  variables?: ReadonlyMap<string, string> | undefined
  /** Finds the objects that the page documents. Without it, source files are not read. */
  lookup?: ApiLookup | undefined
  /** Titles for references without text. Without a title, a reference shows its label. */
  titles?: ReferenceTitles | undefined
  /** True if the site shows marks such as `[!code focus]` in code. */
  showsCodeMarks?: boolean
}

/** One of several pages in a file. Its `id` is unique in the file. */
export type FilePart = { id: string; title: string; description: string | null; text: string }

export type ParsedText = {
  text: string
  /** The default is Markdown. */
  markup?: Markup
  /** The source text for the description; the default is `text`. */
  source?: string
  title?: string | null
  description?: string | null
  language?: string | null
  parts?: FilePart[]
  /** Title and description for a page that has none. */
  fallback?: { title: string | null; description: string | null }
}

/** Finds API objects in the source files of a page's project. */
export type ApiLookup = {
  /** Returns the first object with one of these names, or null. Undefined before `resolve`. */
  find(names: readonly string[]): FoundSymbol | null | undefined
  /** Returns the Julia project's docstrings, or null. Undefined before `resolve`. */
  julia(): JuliaDocs | null | undefined
  /** Returns documentation from TypeScript files, or null. Undefined before `resolve`. */
  declared(declaration: Declared): string | null | undefined
  /** Looks up all unknown names. Returns false if there were none. */
  resolve(): Promise<boolean>
}

/** A module that a file declares, or a name in a file. */
export type Declared = { module: string } | { file: string; name: string }

/** The facts about a page's site that the parser needs. */
export type PageSite = {
  /** Its name in `generators`. */
  generator: string
  root: string
  /** Further base folders of include paths, besides the page's own folder. */
  bases: string[]
  /** Values that pages can refer to by name. */
  variables: Map<string, string>
  path: string
  /** The title in the navigation, or null. */
  title: string | null
  /** True if other pages have the same title. The page's heading is then a better title. */
  isShared: boolean
}
