/** The kind of a symbol. `value` is a variable, constant, field or member of an enumeration. */
export type SymbolKind =
  | 'module'
  | 'class'
  | 'interface'
  | 'enum'
  | 'type'
  | 'function'
  | 'method'
  | 'property'
  | 'value'
  | 'macro'

/** A name that a library offers to its users. */
export type ApiSymbol = {
  kind: SymbolKind
  name: string
  /** As users write it, for example `fastapi.FastAPI.add_middleware`. */
  qualifiedName: string
  /** Source text of the declaration without its body; one or more lines per overload. */
  signature: string
  /** Markdown. */
  documentation: string
  /** From 1. */
  line: number
  members: ApiSymbol[]
  /** The text of the deprecation notice, often empty; null if the symbol is not deprecated. */
  deprecated: string | null
  /** The version in which the symbol first appeared. */
  since: string | null
  /** Names of its base classes, as written. */
  bases?: string[]
  /** True if a public signature mentions it, but no module exports it. */
  isHidden?: boolean
}

/** A name that a file takes from another file. */
export type Reference = {
  /** The name in this file; `*` means all names of the other file. */
  name: string
  /** The other file as written: `.applications`, `./types.js`. */
  module: string
  /** The name in the other file; null for the other file itself. */
  original: string | null
  /** True if the statement re-exports the name. */
  isPassedOn: boolean
  /** True if only type checkers execute the statement. */
  isForTypes?: boolean
}

/** The declarations of one source file, and its relations to other files. */
export type FileOutline = {
  /** The package to which the file belongs, according to the file. */
  packageName?: string
  documentation: string
  /** Why the file could not be parsed; the outline is then empty. */
  failure?: string
  /** Top-level declarations, including private ones, because other files may re-export them. */
  symbols: ApiSymbol[]
  references: Reference[]
  /** Names that the file declares as public; null if the rules of the language decide. */
  exported: { name: string; local: string }[] | null
  /** Other files whose public names are added to `exported`. */
  exportedOf: string[]
  /** The modules or namespaces that the file declares. */
  modules?: DeclaredModule[]
  /** Only in Rust. */
  implementations?: Implementation[]
  /** The content of each macro without parameters that the file does not use itself. */
  macros?: Record<string, FileOutline>
  /** Macros from other files that this file uses without arguments. */
  calls?: string[]
  /** The source text of each `macro_rules!`; only in Rust. */
  macroRules?: Record<string, string>
  /** Macros of other files that this file uses where items are declared. */
  unknownMacros?: string[]
}

/** A module that a file declares: `mod lamp;`, or a module with its body. */
export type DeclaredModule = {
  name: string
  /** The file, if the declaration names it. */
  path: string | null
  documentation: string
  line: number
  /** Null if the module is a separate file. */
  outline: FileOutline | null
  /** True if all files know the module by this name: `declare module "x"`, `declare global`. */
  isGlobal?: boolean
}

/** An `impl` block; paths are joined with dots. */
export type Implementation = {
  type: string
  /** Null if the members belong to the type itself. */
  trait: string | null
  members: ApiSymbol[]
}
