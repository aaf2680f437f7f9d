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
  /** As users write it: `fastapi.FastAPI.add_middleware`. */
  qualifiedName: string
  /** Source text of the declaration without its body; one line or more for each overload. */
  signature: string
  /** Markdown. */
  documentation: string
  /** From 1. */
  line: number
  members: ApiSymbol[]
  /** The documentation's text about the deprecation, often empty; null: it is not deprecated. */
  deprecated: string | null
  /** The version in which it appeared. */
  since: string | null
  /** Names of the classes it inherits from, as they are written. */
  bases?: string[]
}

/** A name that a file takes from another file. */
export type Reference = {
  /** The name in this file; `*`: all names of the other file. */
  name: string
  /** The other file as it is written: `.applications`, `./types.js`. */
  module: string
  /** The name in the other file; null: the other file itself. */
  original: string | null
  /** True if the statement says that the name is passed on. */
  isPassedOn: boolean
}

/** The declarations of one source file, and its relations to other files. */
export type FileOutline = {
  /** The package that the file says it belongs to; only in Go and Java. */
  packageName?: string
  documentation: string
  /** Top-level declarations, private ones included, since other files may pass them on. */
  symbols: ApiSymbol[]
  references: Reference[]
  /** Names that the file declares to be public; null: the rules of the language decide. */
  exported: { name: string; local: string }[] | null
  /** Other files whose public names are added to `exported`. */
  exportedOf: string[]
  /** The modules that the file declares; only in Rust. */
  modules?: DeclaredModule[]
  /** Only in Rust. */
  implementations?: Implementation[]
  /** The content of each macro without parameters that the file does not use itself. */
  macros?: Record<string, FileOutline>
  /** Macros of other files that the file uses without arguments. */
  calls?: string[]
}

/** A module that a file declares: `mod lamp;`, or one with its body. */
export type DeclaredModule = {
  name: string
  /** The file, if the declaration names it. */
  path: string | null
  documentation: string
  line: number
  /** Null if the module is another file. */
  outline: FileOutline | null
}

/** An `impl` block; paths are joined by dots. */
export type Implementation = {
  type: string
  /** Null: the members belong to the type itself. */
  trait: string | null
  members: ApiSymbol[]
}
