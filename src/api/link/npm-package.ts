import { isBuiltin } from 'node:module'
import { isRecord, parseJsonOrUndefined } from '../../platform/json.ts'
import { addOutline } from '../merge-outline.ts'
import type { FileOutline, Reference } from '../symbol.ts'
import { findNeeds, type DependencyFiles, type Needs, type PackageSource } from './dependency.ts'
import {
  fileAt,
  importedFile,
  isRelative,
  npmEntries,
  npmEntryFiles,
  packagePart,
  requiredTypes,
  typesPackageOf,
  type NpmPackage,
} from './npm-entries.ts'
import { addScriptNames } from './npm-scripts.ts'
import { resolvePublicNames, type ApiModule, type SourceModule } from './link.ts'

/** Returns import names without a file. Ignores files such as CSS, which declare no names. */
function absentModules(own: NpmPackage): ApiModule[] {
  return [...npmEntries(own)].flatMap(([name, { path, targets }]) => {
    const target = targets.find((it) => /\.([cm]?[jt]s|[jt]sx)$/.test(it))
    if (path !== null || target === undefined) return []
    const unresolved = [{ name: `${name}.*`, reason: 'absent' as const, from: target }]
    return [{ name, path: '', documentation: '', symbols: [], aliases: [], unresolved }]
  })
}

/** Returns the files from which a file takes re-exports or base classes. */
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
 * Returns the public modules of a package. `outlines` has paths relative to package.json as keys.
 */
export function resolveNpmModules(
  outlines: ReadonlyMap<string, FileOutline>,
  { pathOf, textOf, ...own }: NpmPackage & Pick<PackageSource, 'pathOf' | 'textOf'>,
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
  dropGlobals(byPath, { ...own, paths })
  addAmbientModules({ byPath, byName, ...own, paths })
  const all = new Set([...byPath.values(), ...byName.values()])
  for (const module of all) addNamespaces(module)
  const pathsOf = new Map([...byPath].map(([path, module]) => [module.path, path]))
  const modules = resolvePublicNames([...all], {
    separator: '.',
    isPublicName: () => true,
    packageOf(written) {
      if (isRelative(written) || written.startsWith('#')) return null
      if (written.startsWith('node:')) return written
      return `${isBuiltin(written) ? 'node' : 'npm'}:${packagePart(written)}`
    },
    resolve({ path }, written) {
      const target = resolvedPath(pathsOf.get(path) ?? path, written, { ...own, paths })
      return (target === null ? byName.get(written) : byPath.get(target)) ?? null
    },
  })
  if (textOf !== undefined) addScriptNames(modules, { ...own, pathOf, textOf })
  return [...modules, ...absentModules(own)]
}

type Linking = Resolving & { byPath: Map<string, SourceModule>; byName: Map<string, SourceModule> }

/** Removes global names, which a module uses from a script but does not export. */
function dropGlobals(byPath: ReadonlyMap<string, SourceModule>, own: Resolving): void {
  for (const [path, { outline }] of byPath) {
    if (outline.exported === null) continue
    outline.references = outline.references.filter(({ name, module }) => {
      const target = name === '*' ? resolvedPath(path, module, own) : null
      return target === null || byPath.get(target)?.outline.exported !== null
    })
  }
}

/** Adds the modules declared with `declare module "x"` or `declare global`. */
function addAmbientModules({ byPath, byName, ...own }: Linking): void {
  for (const [path, module] of [...byPath]) {
    for (const declared of (module.outline.modules ?? []).filter(({ isGlobal }) => isGlobal)) {
      const { name, line, outline } = declared
      const target = isRelative(name) ? resolvedPath(path, name, own) : null
      const known = isRelative(name) ? byPath.get(target ?? '') : byName.get(name)
      if (outline === null || (isRelative(name) && known === undefined)) continue
      if (known !== undefined) addOutline(known.outline, outline)
      else byName.set(name, { ...module, name, line, outline, isPublic: true, outer: module })
    }
  }
}

function addNamespaces(module: SourceModule): void {
  const inner = new Map<string, SourceModule>()
  for (const { name, documentation, line, isGlobal, outline } of module.outline.modules ?? []) {
    if (isGlobal || outline === null) continue
    outline.documentation ||= documentation
    const namespace = { ...module, name: `${module.name}.${name}`, line, outline, isPublic: false }
    inner.set(name, { ...namespace, outer: module })
    addNamespaces(inner.get(name)!)
  }
  module.inner = inner
}

type Resolving = Omit<NpmPackage, 'name'>

function resolvedPath(
  from: string,
  written: string,
  { manifest, paths, dependencies }: Resolving,
): string | null {
  if (written.startsWith('#')) return importedFile({ manifest, paths }, written)
  if (!isRelative(written)) return dependencyFile(written, dependencies)
  const parts = from.split('/').slice(0, -1)
  for (const part of written.split('/')) {
    if (part === '..' && parts.pop() === undefined) return null
    if (part !== '..' && part !== '.' && part !== '') parts.push(part)
  }
  return fileAt(parts.join('/'), paths)
}

function dependencyFile(written: string, dependencies: NpmPackage['dependencies']): string | null {
  const imported = packagePart(written)
  const types = typesPackageOf(imported)
  const name = dependencies?.has(types) ? types : imported
  const dependency = dependencies?.get(name)
  if (dependency === undefined) return null
  const entries = entriesOf.get(dependency) ?? npmEntryFiles({ name, ...dependency })
  entriesOf.set(dependency, entries)
  const path = entries.get(name + written.slice(imported.length))
  return path === undefined ? null : dependency.folder + path
}

const entriesOf = new WeakMap<DependencyFiles, Map<string, string>>()

/** Returns the files and dependencies that declare re-exported names. */
export function npmNeeds(outlines: ReadonlyMap<string, FileOutline>, own: NpmPackage): Needs {
  const { dependencies = new Map<string, DependencyFiles>() } = own
  const ownerOf = (path: string) =>
    [...dependencies.values()].find(({ folder }) => path.startsWith(folder)) ?? own
  const required = requiredTypes(own)
  const types = dependencies.get(required?.name ?? '')
  const needs = findNeeds(outlines, {
    isOwn: (path) => [own, types].includes(ownerOf(path)),
    usesBases: (path) => ownerOf(path) === types,
    locate(from, written) {
      const { manifest } = ownerOf(from)
      const imported = packagePart(written)
      const missing = isRelative(written)
        ? []
        : [typesPackageOf(imported), imported].flatMap((name) => {
            const range = dependencies.has(name) ? undefined : rangeOf(name, manifest)
            return range === undefined ? [] : [{ name, range }]
          })
      const [first] = missing
      if (first?.name.startsWith('@types/')) return first
      const path = resolvedPath(from, written, own)
      return path === null ? (first ?? null) : { path }
    },
  })
  if (required !== null && types === undefined) needs.packages.set(required.name, required)
  for (const path of npmEntryFiles(own).values()) {
    if (ownerOf(path) === types && !outlines.has(path)) needs.files.add(path)
  }
  return needs
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
