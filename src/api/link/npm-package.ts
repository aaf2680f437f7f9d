import { isRecord, parseJsonOrUndefined } from '../../platform/json.ts'
import { addOutline } from '../merge-outline.ts'
import type { FileOutline, Reference } from '../symbol.ts'
import { findNeeds, type DependencyFiles, type Needs } from './dependency.ts'
import { resolvePublicNames, type ApiModule, type SourceModule } from './link.ts'

/** An npm package: its package.json, and the paths of its files relative to it. */
type NpmPackage = {
  name: string
  manifest: string | null
  paths: ReadonlySet<string>
  dependencies?: ReadonlyMap<string, DependencyFiles>
}

/**
 * The files that users import, by import name: `zod`, `hono/jsx`. Type declarations precede code; a
 * generated file is replaced with its source if the repository has it.
 */
export function npmEntryFiles(own: NpmPackage): Map<string, string> {
  const entries = [...npmEntries(own)].flatMap(([name, { path }]) =>
    path === null ? [] : [[name, path] as const],
  )
  return new Map(entries)
}

/** The file of an import name; null if none of its `targets` is a file of the package. */
type NpmEntry = { path: string | null; targets: string[] }

function npmEntries({ name, manifest, paths }: NpmPackage): Map<string, NpmEntry> {
  const content = parseJsonOrUndefined(manifest ?? '')
  const entries = new Map<string, NpmEntry>()
  if (!isRecord(content)) return entries
  const own = typeof content.name === 'string' ? content.name : name
  const listed = exportedPaths(content.exports)
  const subpaths = listed.length > 0 ? listed : typedPaths(content.typesVersions)
  const hidden = subpaths.filter(([, targets]) => targets.length === 0).map(([it]) => it)
  const isHidden = (subpath: string) =>
    hidden.some((it) => it === subpath || (it.endsWith('*') && subpath.startsWith(it.slice(0, -1))))
  for (const [subpath, targets] of subpaths.flatMap((it) => expandedPaths(it, paths))) {
    const imported = subpath === '.' ? own : own + subpath.slice(1)
    if (isHidden(subpath) || entries.get(imported)?.path) continue
    entries.set(imported, { path: firstFile(targets, paths), targets })
  }
  const types = [content.types, content.typings].filter((it) => typeof it === 'string')
  const code = [content.module, content.main].filter((it) => typeof it === 'string')
  const targets = [...types, ...code]
  const before = entries.get(own)?.path ?? null
  if (before === null && (targets.length > 0 || listed.length === 0)) {
    entries.set(own, { path: firstFile([...targets, './index.js'], paths), targets })
  } else if (before !== null && !isDeclaration(before)) {
    const path = firstFile(types, paths)
    if (path !== null && isDeclaration(path)) entries.set(own, { path, targets })
  }
  return entries
}

/** Import names whose file is missing. Files in other languages, such as CSS, declare no names. */
function absentModules(own: NpmPackage): ApiModule[] {
  return [...npmEntries(own)].flatMap(([name, { path, targets }]) => {
    const target = targets.find((it) => /\.([cm]?[jt]s|[jt]sx)$/.test(it))
    if (path !== null || target === undefined) return []
    const unresolved = [{ name: `${name}.*`, reason: 'absent' as const, from: target }]
    return [{ name, path: '', documentation: '', symbols: [], aliases: [], unresolved }]
  })
}

/** Maximum number of files to which one pattern of `exports` refers. */
const mostExpanded = 2000

/**
 * The subpaths to which a pattern such as `./addons/*` refers. A pattern that only repeats the path
 * of a file gives users no name of its own.
 */
function expandedPaths([subpath, targets]: Subpath, paths: ReadonlySet<string>): Subpath[] {
  if (!subpath.includes('*')) return [[subpath, targets]]
  const [before = '', after = ''] = subpath.split('*')
  const found = new Set<string>()
  for (const target of targets) {
    const [start = '', end = ''] = target.replace(/^\.\//, '').split('*')
    if (!target.includes('*') || `./${start}` === before) continue
    const stem = end.replace(/(\.d)?\.[cm]?[jt]sx?$/, '')
    for (const path of paths) {
      if (!path.startsWith(start) || found.size >= mostExpanded) continue
      if (end === '' && isDeclaration(path)) continue
      const whole = end === '' ? path : path.replace(codeEnding, '')
      if (whole.endsWith(stem)) found.add(whole.slice(start.length, whole.length - stem.length))
    }
  }
  return [...found].map((it) => [
    before + it + after,
    targets.map((target) => target.replaceAll('*', it)),
  ])
}

const codeEnding = /(\.d)?\.([cm]?[jt]s|[jt]sx)$/

/** The files from which a file re-exports names, or takes base classes of its declarations. */
export function npmReexportSources(path: string, outline: FileOutline, own: NpmPackage): string[] {
  const locals = new Set(usedNames(outline).map((name) => name.split('.', 1)[0]!))
  return referencesOf(outline)
    .filter(({ name, isPassedOn }) => isPassedOn || locals.has(name))
    .flatMap(({ module }) => resolvedPath(path, module, own) ?? [])
}

function usedNames({ exported, symbols, modules = [] }: FileOutline): string[] {
  const inner = modules.flatMap(({ outline }) => (outline === null ? [] : usedNames(outline)))
  const bases = symbols.flatMap((it) => it.bases ?? [])
  return [...(exported ?? []).map(({ local }) => local), ...bases, ...inner]
}

function referencesOf({ references, modules = [] }: FileOutline): Reference[] {
  return [
    ...references,
    ...modules.flatMap(({ outline }) => (outline === null ? [] : referencesOf(outline))),
  ]
}

/**
 * The public modules of a package; `outlines` are keyed by the path relative to its package.json.
 */
export function resolveNpmModules(
  outlines: ReadonlyMap<string, FileOutline>,
  { pathOf, ...own }: NpmPackage & { pathOf: (path: string) => string },
): ApiModule[] {
  const byPath = new Map<string, SourceModule>()
  const byName = new Map<string, SourceModule>()
  const paths = new Set(outlines.keys())
  const entries = [...npmEntryFiles(own)]
  const names = new Map(entries.map(([name, path]): [string, string] => [path, name]).reverse())
  for (const [path, outline] of outlines) {
    const name = names.get(path) ?? path
    const isPublic = names.has(path)
    const module = { name, path: pathOf(path), outline, isPublic, passesOn: false }
    byPath.set(path, module)
    if (isPublic) byName.set(name, module)
  }
  addAmbientModules({ byPath, byName, ...own, paths })
  const all = new Set([...byPath.values(), ...byName.values()])
  for (const module of all) addNamespaces(module)
  const pathsOf = new Map([...byPath].map(([path, module]) => [module.path, path]))
  const modules = resolvePublicNames([...all], {
    separator: '.',
    isPublicName: () => true,
    packageOf(written) {
      if (isRelative(written) || written.startsWith('#')) return null
      return written.startsWith('node:') ? written : `npm:${packagePart(written)}`
    },
    resolve({ path }, written) {
      const target = resolvedPath(pathsOf.get(path) ?? path, written, { ...own, paths })
      return (target === null ? byName.get(written) : byPath.get(target)) ?? null
    },
  })
  return [...modules, ...absentModules(own)]
}

function isRelative(written: string): boolean {
  return /^\.\.?(\/|$)/.test(written)
}

/** Returns `@scope/name` for `@scope/name/part`. */
function packagePart(written: string): string {
  return /^(?:@[^/]*\/)?[^/]*/.exec(written)![0]
}

type Linking = Resolving & {
  byPath: Map<string, SourceModule>
  /** The modules that users import, by name. */
  byName: Map<string, SourceModule>
}

/** Adds the modules of `declare module "x"` and `declare global`. */
function addAmbientModules({ byPath, byName, ...own }: Linking): void {
  for (const [path, module] of [...byPath]) {
    for (const declared of (module.outline.modules ?? []).filter(({ isGlobal }) => isGlobal)) {
      const { name, outline } = declared
      const target = isRelative(name) ? resolvedPath(path, name, own) : null
      const known = isRelative(name) ? byPath.get(target ?? '') : byName.get(name)
      if (outline === null || (isRelative(name) && known === undefined)) continue
      if (known !== undefined) addOutline(known.outline, outline)
      else byName.set(name, { ...module, name, outline, isPublic: true, outer: module })
    }
  }
}

/** Adds the namespaces that a module declares. */
function addNamespaces(module: SourceModule): void {
  const inner = new Map<string, SourceModule>()
  for (const { name, documentation, isGlobal, outline } of module.outline.modules ?? []) {
    if (isGlobal || outline === null) continue
    outline.documentation ||= documentation
    const namespace = { ...module, name: `${module.name}.${name}`, outline, isPublic: false }
    inner.set(name, { ...namespace, outer: module })
    addNamespaces(inner.get(name)!)
  }
  module.inner = inner
}

type Subpath = [subpath: string, targets: string[]]

/** The subpaths of `exports` with the files that they may refer to, types first. */
function exportedPaths(exports: unknown): Subpath[] {
  if (typeof exports === 'string' || Array.isArray(exports)) return [['.', targetsOf(exports, 0)]]
  if (!isRecord(exports)) return []
  const isConditions = Object.keys(exports).every((key) => !key.startsWith('.'))
  if (isConditions) return [['.', targetsOf(exports, 0)]]
  return Object.entries(exports)
    .filter(([key]) => !/\.(json|css)$/.test(key))
    .map(([key, value]) => [key, targetsOf(value, 0)])
}

/** The subpaths of `typesVersions`, for packages without `exports`. */
function typedPaths(versions: unknown): Subpath[] {
  const [newest] = isRecord(versions) ? Object.values(versions) : []
  if (!isRecord(newest)) return []
  return Object.entries(newest).map(([key, value]) => [`./${key}`, targetsOf(value, 0)])
}

const deepest = 8

function targetsOf(value: unknown, depth: number): string[] {
  if (typeof value === 'string') return [value]
  if (depth > deepest) return []
  if (Array.isArray(value)) return value.flatMap((it) => targetsOf(it, depth + 1))
  if (!isRecord(value)) return []
  const isTypes = ([key]: [string, unknown]) => key === 'types' || key.startsWith('types@')
  const entries = Object.entries(value)
  const ordered = [...entries.filter(isTypes), ...entries.filter((it) => !isTypes(it))]
  const all = ordered.flatMap(([, it]) => targetsOf(it, depth + 1))
  return [...all.filter((it) => isDeclaration(it)), ...all.filter((it) => !isDeclaration(it))]
}

function isDeclaration(path: string): boolean {
  return /\.d\.[cm]?ts$/.test(path)
}

/** The first declaration file at one of the targets, or else the first file. */
function firstFile(targets: readonly string[], paths: ReadonlySet<string>): string | null {
  const found = targets.flatMap((target) => fileAt(target.replace(/^\.\//, ''), paths) ?? [])
  const [first] = found
  if (first !== undefined) return found.find(isDeclaration) ?? first
  for (const target of targets) {
    const source = target.replace(/^\.\//, '').replace(built, 'src/')
    const path = fileAt(source, paths)
    if (path !== null) return path
  }
  return null
}

/** Folders into which builds write. */
const built = /^(?:dist|lib|build|out|es|esm|cjs|types)\/(?:(?:types|esm|cjs|es|src)\/)?/

type Resolving = Omit<NpmPackage, 'name'>

function resolvedPath(
  from: string,
  written: string,
  { manifest, paths, dependencies }: Resolving,
): string | null {
  if (written.startsWith('#')) return firstFile(importedPaths(manifest, written), paths)
  if (!isRelative(written)) return dependencyFile(written, dependencies)
  const parts = from.split('/').slice(0, -1)
  for (const part of written.split('/')) {
    if (part === '..' && parts.pop() === undefined) return null
    if (part !== '..' && part !== '.' && part !== '') parts.push(part)
  }
  return fileAt(parts.join('/'), paths)
}

/** The entry file of a dependency, in its folder. */
function dependencyFile(written: string, dependencies: NpmPackage['dependencies']): string | null {
  const name = packagePart(written)
  const dependency = dependencies?.get(name)
  if (dependency === undefined) return null
  const entries = entriesOf.get(dependency) ?? npmEntryFiles({ name, ...dependency })
  entriesOf.set(dependency, entries)
  const path = entries.get(written)
  return path === undefined ? null : dependency.folder + path
}

const entriesOf = new WeakMap<DependencyFiles, Map<string, string>>()

/** The files and packages of dependencies that re-exported names need. */
export function npmNeeds(outlines: ReadonlyMap<string, FileOutline>, own: NpmPackage): Needs {
  const { dependencies = new Map<string, DependencyFiles>() } = own
  const ownerOf = (path: string) =>
    [...dependencies.values()].find(({ folder }) => path.startsWith(folder)) ?? own
  return findNeeds(outlines, {
    isOwn: (path) => ownerOf(path) === own,
    locate(from, written) {
      const path = resolvedPath(from, written, own)
      if (path !== null) return { path }
      const name = packagePart(written)
      const range = isRelative(written) ? undefined : rangeOf(name, ownerOf(from).manifest)
      return range === undefined ? null : { name, range }
    },
  })
}

function rangeOf(name: string, manifest: string | null): string | undefined {
  const content = parseJsonOrUndefined(manifest ?? '')
  if (!isRecord(content)) return undefined
  for (const kind of ['dependencies', 'peerDependencies', 'optionalDependencies']) {
    const ranges = content[kind]
    const range = isRecord(ranges) ? ranges[name] : undefined
    if (typeof range === 'string') return range
  }
  return undefined
}

/** The `imports` of the package that is being linked, cached because every reference needs them. */
let lastImports: { manifest: string | null; imports: Record<string, unknown> } = {
  manifest: null,
  imports: {},
}

function importsOf(manifest: string | null): Record<string, unknown> {
  const content = parseJsonOrUndefined(manifest ?? '')
  return isRecord(content) && isRecord(content.imports) ? content.imports : {}
}

/** The files to which `imports` in package.json maps a name such as `#types/lamp`. */
function importedPaths(manifest: string | null, written: string): string[] {
  if (lastImports.manifest !== manifest) lastImports = { manifest, imports: importsOf(manifest) }
  const { imports } = lastImports
  for (const [pattern, value] of Object.entries(imports)) {
    const [start = '', end] = pattern.split('*')
    if (end === undefined ? written !== pattern : !written.startsWith(start)) continue
    const rest = written.slice(start.length, written.length - (end?.length ?? 0))
    return targetsOf(value, 0).map((target) => target.replaceAll('*', rest))
  }
  return []
}

const endings = [
  '.d.ts',
  '.ts',
  '.tsx',
  '.d.mts',
  '.d.cts',
  '.mts',
  '.cts',
  '.js',
  '.mjs',
  '.cjs',
  '.jsx',
]

/** The file that a path refers to; `x.js` refers to the types or the source of that file. */
function fileAt(path: string, paths: ReadonlySet<string>): string | null {
  const stem = path.replace(codeEnding, '')
  const [, letter = ''] = /\.(?:d\.)?([cm]?)[jt]sx?$/.exec(path) ?? []
  const own = isDeclaration(path) ? [path] : [`${stem}.d.${letter}ts`]
  const folder = path === '' ? 'index' : `${path}/index`
  const candidates = [
    ...own,
    ...endings.map((it) => stem + it),
    path,
    ...endings.map((it) => folder + it),
  ]
  return candidates.find((it) => paths.has(it) && /\.([cm]?[jt]s|[jt]sx)$/.test(it)) ?? null
}
