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

/** A public name of a library. */
export type ApiSymbol = {
  kind: SymbolKind
  name: string
  /** As in user code, for example `fastapi.FastAPI.add_middleware`. */
  qualifiedName: string
  /** Source text of the declaration without its body. Overloads are separate lines. */
  signature: string
  documentation: string
  /** 1-based. */
  line: number
  members: ApiSymbol[]
  /** The deprecation notice, which can be empty; null if the symbol is not deprecated. */
  deprecated: string | null
  /** The version that introduced the symbol. */
  since: string | null
  /** Base class names as in the source. */
  bases?: string[]
  /** Types in an alias or in `extends` whose members are listed with the symbol. */
  memberTypes?: MemberType[]
  /** True if only a public signature mentions it and no module exports it. */
  isHidden?: boolean
}

/** A type whose members another type has, such as `Lamp` in `type Lit = Omit<Lamp, 'oil'>`. */
export type MemberType = {
  /** The name in the source, or the declaration once it is resolved. */
  name: string
  /** Empty until the name is resolved. */
  members: ApiSymbol[]
  omitted: string[]
  /** Null if no members are picked. */
  picked: string[] | null
}

/** A name imported from another file. */
export type Reference = {
  /** The local name; `*` means all names of the other file. */
  name: string
  /** The other file as in the source: `.applications`, `./types.js`. */
  module: string
  /** The name in the other file; null for the file itself. */
  original: string | null
  /** True if the file also exports the name. */
  isPassedOn: boolean
  /** True if the import is only for type checkers. */
  isForTypes?: boolean
}

/** The declarations of a source file and its relations to other files. */
export type FileOutline = {
  /** The package name that the file declares. */
  packageName?: string
  documentation: string
  /** The reason why parsing failed. The outline is then empty. */
  failure?: string
  /** Top-level declarations. Private ones are included, because other files can re-export them. */
  symbols: ApiSymbol[]
  references: Reference[]
  /** Explicitly exported names; null if the rules of the language decide. */
  exported: { name: string; local: string }[] | null
  /** Files whose public names are also exported. */
  exportedOf: string[]
  /** Declared modules or namespaces. */
  modules?: DeclaredModule[]
  /** Only in Rust. */
  implementations?: Implementation[]
  /** Bodies of macros without parameters that the file does not use itself. */
  macros?: Record<string, FileOutline>
  /** Macros from other files that are called without arguments. */
  calls?: string[]
  /** Source text of each `macro_rules!`; only in Rust. */
  macroRules?: Record<string, string>
  /** Macros from other files that are called in place of items. */
  unknownMacros?: string[]
}

/** A declared module, with or without a body: `mod lamp;`. */
export type DeclaredModule = {
  name: string
  /** The file that the declaration names, or null. */
  path: string | null
  documentation: string
  line: number
  /** Null if the module is in a separate file. */
  outline: FileOutline | null
  /** True if the name is global: `declare module "x"` or `declare global`. */
  isGlobal?: boolean
}

/** A Rust `impl` block. Paths are joined with dots. */
export type Implementation = {
  type: string
  /** Null if the block has no trait. */
  trait: string | null
  members: ApiSymbol[]
}
