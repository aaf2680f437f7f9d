import type { ApiSymbol, DeclaredModule, FileOutline } from '../symbol.ts'
import { hoistMacros } from './rust-macros.ts'
import { resolvePublicNames, type ApiModule, type SourceModule } from './link.ts'

/** A crate: its Cargo.toml, and the source files of the crate and its neighbours. */
export type RustCrate = {
  name: string
  manifest: string | null
  /** The folder of the crate with a trailing `/`; empty for the top folder. */
  folder: string
  paths: ReadonlySet<string>
}

/** The name and root file of the library in Cargo.toml. */
type CargoLibrary = { name: string; path: string }

export function parseCargoLibrary({
  name,
  manifest,
}: Pick<RustCrate, 'name' | 'manifest'>): CargoLibrary {
  const values = new Map<string, string>()
  let section = ''
  for (const line of (manifest ?? '').split('\n')) {
    section = /^\s*\[+\s*([\w.-]+)\s*\]/.exec(line)?.[1] ?? section
    const [, key, value] = /^\s*(name|path)\s*=\s*["']([^"']*)["']/.exec(line) ?? []
    if (key !== undefined) values.set(`${section}.${key}`, value!)
  }
  const own = values.get('lib.name') ?? values.get('package.name') ?? name
  return { name: own.replaceAll('-', '_'), path: values.get('lib.path') ?? 'src/lib.rs' }
}

export function rustEntryFiles(crate: RustCrate): string[] {
  const path = crate.folder + parseCargoLibrary(crate).path
  return crate.paths.has(path) ? [path] : []
}

/** Returns the files of declared modules, and the root files of used crates. */
export function rustReferencedFiles(
  path: string,
  outline: FileOutline,
  crate: RustCrate,
): string[] {
  const siblings = siblingRoots(crate)
  const isRoot = path === rustEntryFiles(crate)[0] || /(^|\/)src\/lib\.rs$/.test(path)
  const place = { file: path, folder: folderOfModules(path, isRoot) }
  // Files in a macro body are relative to this folder, because the parent file calls the macro.
  const above = { file: path, folder: path.replace(/[^/]*$/, '') }
  const hidden = Object.values(outline.macros ?? {}).flatMap((it) => [...filesOf(it, above)])
  const modules = [...filesOf(outline, place), ...hidden].flatMap(
    (files) => files.find((it) => crate.paths.has(it)) ?? [],
  )
  return [...modules, ...cratesOf(outline).flatMap((name) => siblings.get(name) ?? [])]
}

/** Yields the possible paths of each module in a separate file. */
function* filesOf(outline: FileOutline, place: ModulePlace): Generator<string[]> {
  for (const module of outline.modules ?? []) {
    const inner = placeOfModule(module, place)
    if (module.outline === null) yield inner.files
    else yield* filesOf(module.outline, inner)
  }
}

/** Returns the first segments of `use` paths. */
function cratesOf({ references, modules = [] }: FileOutline): string[] {
  const own = references.map(({ module }) => module.split('.')[0]!)
  return [...own, ...modules.flatMap((it) => (it.outline === null ? [] : cratesOf(it.outline)))]
}

type ModulePlace = {
  file: string
  /** The folder of modules that the file declares, with a trailing `/`. */
  folder: string
}

function placeOfModule(
  { name, path, outline }: DeclaredModule,
  { file, folder }: ModulePlace,
): ModulePlace & { files: string[] } {
  if (outline !== null) return { file, folder: `${folder}${path ?? name}/`, files: [] }
  const files =
    path === null ? [`${folder}${name}.rs`, `${folder}${name}/mod.rs`] : [joinedPath(file, path)]
  return { file, folder, files }
}

function joinedPath(file: string, path: string): string {
  const parts = file.split('/').slice(0, -1)
  for (const part of path.split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '.' && part !== '') parts.push(part)
  }
  return parts.join('/')
}

/**
 * `src/lib.rs` and `src/a/mod.rs` declare modules in their own folder, and `src/a.rs` in `src/a/`.
 */
function folderOfModules(path: string, isRoot: boolean): string {
  return isRoot || /(^|\/)mod\.rs$/.test(path)
    ? path.replace(/[^/]*$/, '')
    : path.replace(/\.rs$/, '/')
}

/** Returns the root files of the other crates by name in code. */
function siblingRoots({ paths, folder }: RustCrate): Map<string, string> {
  const kept = rootsOf.get(paths)
  if (kept !== undefined) return kept
  const roots = new Map<string, string>()
  for (const path of paths) {
    const [, own, name] = /^((?:.*\/)?([^/]+)\/)src\/lib\.rs$/.exec(path) ?? []
    if (name === undefined || own === folder) continue
    roots.set(name.replace(/-\d+\.\d+\.\d+.*$/, '').replaceAll('-', '_'), path)
  }
  rootsOf.set(paths, roots)
  return roots
}

const rootsOf = new WeakMap<ReadonlySet<string>, Map<string, string>>()

/** Returns a crate's public modules, with items re-exported from companion crates. */
export function resolveRustModules(
  outlines: ReadonlyMap<string, FileOutline>,
  { pathOf, ...crate }: RustCrate & { pathOf: (path: string) => string },
): ApiModule[] {
  const [entry] = rustEntryFiles(crate)
  if (entry === undefined) return []
  const { name } = parseCargoLibrary(crate)
  const modules = new Map<string, SourceModule>()
  const roots = [[name, entry] as const, ...siblingRoots(crate)]
  for (const [root, path] of roots) {
    const outline = outlines.get(path)
    if (outline === undefined || modules.has(root)) continue
    const place = { file: path, folder: folderOfModules(path, true) }
    addModules(copied(outline), { key: root, place, outlines, pathOf, modules })
  }
  const resolve = moduleResolver(modules)
  for (const key of modules.keys()) if (!key.includes('.')) hoistMacros(key, modules)
  attachImplementations(modules, resolve)
  for (const module of modules.values()) {
    const locals = new Set(module.outline.symbols.map((symbol) => symbol.name))
    addForeignNames(module, (path) => {
      const [first = ''] = path.split('.')
      const isHere = /^(?:\$?crate|self|super)$/.test(first) || locals.has(first)
      return !isHere && resolve(module, first) === null
    })
  }
  return resolvePublicNames([...modules.values()], {
    separator: '::',
    isPublicName: (one) => !one.startsWith('_'),
    resolve,
    packageOf: (written) => packageOf(written, modules),
  }).filter((it) => it.symbols.length + it.unresolved.length > 0 || it.documentation !== '')
}

/** Returns a path's crate, such as `crates:anstyle`; null if the first segment is a module. */
function packageOf(written: string, modules: ReadonlyMap<string, SourceModule>): string | null {
  const [first = ''] = written.replace(/^\./, '').split('.')
  if (/^(?:std|core|alloc)$/.test(first)) return `rust:${first}`
  const isHere = /^(?:\$?crate|self|super)$/.test(first)
  return isHere || modules.keys().some((key) => `.${key}`.endsWith(`.${first}`))
    ? null
    : `crates:${first}`
}

type Adding = {
  key: string
  place: ModulePlace
  outlines: ReadonlyMap<string, FileOutline>
  pathOf(path: string): string
  modules: Map<string, SourceModule>
  /** True for a public module with the name of a function or macro, such as `axum::serve`. */
  isShadowed?: boolean
}

const deepest = 40

/** Adds a module and its inner modules by dotted path. */
function addModules(outline: FileOutline, adding: Adding): void {
  const { key, place, outlines, pathOf, modules, isShadowed = false } = adding
  const isRoot = !key.includes('.')
  modules.set(key, {
    name: key.replaceAll('.', '::'),
    path: pathOf(place.file),
    outline,
    isPublic: isRoot ? modules.size === 0 : isShadowed,
    passesOn: false,
  })
  if (key.split('.').length > deepest) return
  includeMacros(outline, { place, outlines })
  for (const module of outline.modules ?? []) {
    const inner = `${key}.${module.name}`
    const found = placeOfModule(module, place)
    const file = found.files.find((path) => outlines.has(path))
    const own = module.outline ?? (file === undefined ? undefined : copied(outlines.get(file)!))
    if (own === undefined || modules.has(inner)) continue
    own.documentation = [module.documentation, own.documentation]
      .filter((it) => it !== '')
      .join('\n\n')
    const at = file === undefined ? found : { file, folder: folderOfModules(file, false) }
    const hasName = (it: { name: string }) => it.name === module.name
    const isPublic = modules.get(key)!.isPublic && outline.exported!.some(hasName)
    const others = [...outline.references.filter((it) => it.isPassedOn), ...outline.symbols]
    const isShadowed = isPublic && others.some(hasName)
    addModules(own, { key: inner, place: at, outlines, pathOf, modules, isShadowed })
  }
}

/** Expands the macros of an outline's modules where the outline calls them. */
function includeMacros(
  outline: FileOutline,
  { place, outlines }: Pick<Adding, 'place' | 'outlines'>,
) {
  const own = [...(outline.modules ?? [])].flatMap((module) => {
    const file = placeOfModule(module, place).files.find((path) => outlines.has(path))
    return module.outline ?? (file === undefined ? [] : outlines.get(file)!)
  })
  for (const name of new Set(outline.calls)) {
    const content = own.find(({ macros }) => macros && Object.hasOwn(macros, name))?.macros![name]
    if (content === undefined) continue
    const { symbols, references, exported, modules } = copied(content)
    outline.symbols.push(...symbols)
    outline.references = [...outline.references, ...references]
    outline.exported!.push(...exported!)
    outline.modules!.push(...modules!)
  }
}

/** Copies an outline deeply enough to change its symbols, names and modules. */
function copied(outline: FileOutline): FileOutline {
  return {
    ...outline,
    symbols: outline.symbols.map((it) => ({ ...it, members: [...it.members] })),
    exported: [...(outline.exported ?? [])],
    modules: (outline.modules ?? []).map((it) => ({
      ...it,
      outline: it.outline === null ? null : copied(it.outline),
    })),
  }
}

type Resolve = (from: SourceModule, written: string) => SourceModule | null

/** Maximum number of `use` declarations to follow for the first segment of a path. */
const longestChain = 8

function moduleResolver(modules: ReadonlyMap<string, SourceModule>): Resolve {
  const keys = new Map([...modules].map(([key, { outline }]) => [outline, key]))
  const namesOf = new Map<FileOutline, Map<string, string>>()
  return (from, written) => resolved(keys.get(from.outline) ?? '', written.replace(/^\./, ''), 0)

  function resolved(from: string, written: string, depth: number): SourceModule | null {
    const [first = '', ...rest] = written.split('.')
    const own = from.split('.')
    const join = (parts: string[]) => [...parts, ...rest].join('.')
    if (first === 'crate' || first === '$crate') return modules.get(join([own[0]!])) ?? null
    if (first === 'self') return modules.get(join(own)) ?? null
    if (first === 'super') {
      const up = [first, ...rest].lastIndexOf('super') + 1
      return modules.get([...own.slice(0, -up), ...rest.slice(up - 1)].join('.')) ?? null
    }
    const direct = modules.get(join([...own, first])) ?? modules.get(join([first]))
    if (direct !== undefined || depth >= longestChain) return direct ?? null
    const alias = aliasesOf(from).get(first)
    return alias === undefined ? null : resolved(from, [alias, ...rest].join('.'), depth + 1)
  }

  /** Returns the paths of imported names. */
  function aliasesOf(key: string): Map<string, string> {
    const { outline } = modules.get(key) ?? {}
    if (outline === undefined) return new Map()
    const kept = namesOf.get(outline)
    if (kept !== undefined) return kept
    const names = new Map<string, string>()
    for (const { name, module, original } of outline.references) {
      const path = original === null ? module : `${module}.${original}`
      if (name !== '*' && path !== name) names.set(name, path)
    }
    namesOf.set(outline, names)
    return names
  }
}

type Finder = (module: SourceModule, path: string) => ApiSymbol | null

/** Adds the members of `impl` blocks and the names of implemented traits to types. */
function attachImplementations(modules: ReadonlyMap<string, SourceModule>, resolve: Resolve): void {
  const find = typeFinder(modules, resolve)
  const traits = new Map<ApiSymbol, Set<string>>()
  for (const module of modules.values()) {
    for (const { type, trait, members } of module.outline.implementations ?? []) {
      const symbol = find(module, type)
      if (symbol === null) continue
      const own = new Map([...members].reverse().map((it) => [it.name, it]))
      for (const { name } of symbol.members) own.delete(name)
      symbol.members.push(...members.filter((it) => own.get(it.name) === it))
      if (trait === null) continue
      const names = traits.getOrInsertComputed(symbol, () => new Set(symbol.bases))
      names.add(trait.replace(/^.*\./, ''))
    }
  }
  for (const { outline } of modules.values()) {
    for (const symbol of outline.symbols) {
      if (symbol.kind !== 'class' && symbol.kind !== 'enum') continue
      const names = [...(traits.get(symbol) ?? symbol.bases ?? [])]
      symbol.bases = names
      if (names.length > 0) symbol.documentation = withTraits(symbol.documentation, names)
    }
  }
}

const mostTraits = 40

function withTraits(documentation: string, names: readonly string[]): string {
  const shown = names.slice(0, mostTraits).map((name) => `\`${name}\``)
  const more = names.length > mostTraits ? ' and others' : ''
  return `${documentation}\n\nImplements ${shown.join(', ')}${more}.`.trim()
}

/**
 * Finds the type for a path in a module. Otherwise, finds the only type with this name in the
 * crates.
 */
function typeFinder(modules: ReadonlyMap<string, SourceModule>, resolve: Resolve): Finder {
  const isType = ({ kind }: ApiSymbol) => ['class', 'enum', 'interface', 'type'].includes(kind)
  const unique = new Map<string, ApiSymbol | null>()
  const types = new Map<FileOutline, Map<string, ApiSymbol>>()
  for (const { outline } of modules.values()) {
    const own = new Map(outline.symbols.filter(isType).map((it) => [it.name, it]))
    types.set(outline, own)
    for (const [name, symbol] of own) unique.set(name, unique.has(name) ? null : symbol)
  }
  const references = new Map(
    [...types.keys()].map((it) => [it, new Map(it.references.map((one) => [one.name, one]))]),
  )
  return (module, path) => found(module, path, 0) ?? unique.get(path.replace(/^.*\./, '')) ?? null

  function found(module: SourceModule, path: string, depth: number): ApiSymbol | null {
    const at = path.lastIndexOf('.')
    const name = path.slice(at + 1)
    const home = at < 0 ? module : resolve(module, path.slice(0, at))
    if (home === null || depth > longestChain) return null
    const own = types.get(home.outline)?.get(name)
    if (own !== undefined) return own
    const reference = references.get(home.outline)?.get(name)
    if (reference === undefined || reference.original === null) return null
    const other = resolve(home, reference.module)
    return other === null ? null : found(other, reference.original, depth + 1)
  }
}

/** Adds names re-exported from unavailable crates, with the `use` declaration as signature. */
function addForeignNames({ outline }: SourceModule, isForeign: (path: string) => boolean): void {
  const own = outline.references.filter((it) => it.isPassedOn && !isForeign(it.module))
  const known = new Set([...outline.symbols, ...own].map(({ name }) => name))
  for (const { name, module, original, isPassedOn } of outline.references) {
    if (!isPassedOn || !isForeign(module)) continue
    const path = (original === null ? module : `${module}.${original}`).replaceAll('.', '::')
    if (name === '*') {
      const note = `Passes on the names of \`${module.replaceAll('.', '::')}\`.`
      outline.documentation = `${outline.documentation}\n\n${note}`.trim()
    } else if (!known.has(name)) {
      known.add(name)
      const alias = path.endsWith(`::${name}`) || path === name ? '' : ` as ${name}`
      outline.symbols.push(foreignSymbol(name, `pub use ${path}${alias}`))
      outline.exported!.push({ name, local: name })
    }
  }
}

function foreignSymbol(name: string, signature: string): ApiSymbol {
  return {
    kind: 'type',
    name,
    qualifiedName: name,
    signature,
    documentation: '',
    line: 1,
    members: [],
    deprecated: null,
    since: null,
  }
}
