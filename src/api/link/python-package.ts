import type { ApiSymbol, FileOutline } from '../symbol.ts'
import { findNeeds, type Needs, type Requirement, type PackageSource } from './dependency.ts'
import { resolvePublicNames, type ApiModule, type ImportRules, type SourceModule } from './link.ts'
import type { MissingName } from './unresolved.ts'

/**
 * Returns the public modules of one or more Python packages.
 * @param outlines outlines by path, relative to the folder that contains the packages
 * @param place `name` is the preferred package if several export the same symbol
 */
export function resolvePythonModules(
  outlines: ReadonlyMap<string, FileOutline>,
  { name: first, pathOf, dependencies, manifest }: PythonPlace = ownPlace,
): ApiModule[] {
  const byName = new Map<string, SourceModule>()
  const borrowed = new Set([...dependencies.values()].flatMap(({ paths }) => [...paths]))
  // Stubs come first: `a` precedes `b` if they are the `.pyi` and the `.py` of the same module.
  const paths = [...outlines.keys()].sort(
    (a, b) => Number(b.endsWith('i')) - Number(a.endsWith('i')),
  )
  for (const path of paths) {
    const name = moduleName(path)
    const outline = outlines.get(path)!
    const stub = byName.get(name)
    if (stub !== undefined) stub.outline = merged(stub.outline, outline)
    else {
      const isPackage = /(^|\/)__init__\.pyi?$/.test(path)
      byName.set(name, {
        name,
        path: pathOf(path),
        outline,
        isPublic: isPublicModule(name, isPackage) && !borrowed.has(path),
        passesOn: isPackage,
      })
    }
  }
  documentStubs(outlines, byName)
  const isFirst = ({ name }: SourceModule) => name === first || name.startsWith(`${first}.`)
  const rules = rulesOf(byName, manifest === null ? null : requirementsOf(manifest))
  return resolvePublicNames([...byName.values()], { ...rules, isFirst }).map(withStandardNames)
}

/** Adds a symbol for each name that a module re-exports from the standard library. */
function withStandardNames(module: ApiModule): ApiModule {
  const isStandard = ({ name, from }: MissingName) => /^python:/.test(from) && !name.endsWith('*')
  const symbols = module.unresolved.filter(isStandard).map(({ name: qualifiedName, from }) => {
    const name = qualifiedName.slice(module.name.length + 1)
    const documentation = `From the standard library: \`${from.slice('python:'.length)}\`.`
    const rest = { documentation, line: 1, members: [], deprecated: null, since: null }
    const symbol: ApiSymbol = { kind: 'value', name, qualifiedName, signature: name, ...rest }
    return { symbol, path: module.path }
  })
  const unresolved = module.unresolved.filter((it) => !isStandard(it))
  return { ...module, symbols: [...module.symbols, ...symbols], unresolved }
}

type PythonPlace = Pick<PackageSource, 'name' | 'pathOf' | 'dependencies' | 'manifest'>

const ownPlace: PythonPlace = {
  name: '',
  pathOf: (path) => path,
  dependencies: new Map(),
  manifest: null,
}

/**
 * Returns the files and distributions that declare re-exported names. A distribution without files
 * stands for the distributions whose names start with its name.
 */
export function pythonNeeds(
  outlines: ReadonlyMap<string, FileOutline>,
  { name, manifest, paths, dependencies }: PackageSource,
): Needs {
  const requirements = requirementsOf(manifest)
  const isEmpty = paths.size === 0
  const borrowed = new Set([...dependencies.values()].flatMap((it) => [...it.paths]))
  const named = [...paths].map((path) => [moduleName(path), path] as const)
  const modules = new Map(named.toReversed())
  const needs = findNeeds(outlines, {
    isOwn: (path) => !borrowed.has(path),
    locate(from, written) {
      const isPackage = /(^|\/)__init__\.pyi?$/.test(from)
      const target = absoluteName(moduleName(from), isPackage, written)
      const path = modules.get(target)
      if (path !== undefined) return { path }
      return written.startsWith('.') ? null : distributionOf(target, requirements)
    },
  })
  if (!isEmpty) return needs
  const start = `${plainName(name)}-`
  const parts = [...requirements.values()].filter((it) => plainName(it.name).startsWith(start))
  return { files: new Set(), packages: new Map(parts.map((it) => [it.name, it])) }
}

/** Returns the required distributions by normalized name. Ignores extras. */
function requirementsOf(manifest: string | null): Map<string, Requirement> {
  const head = (manifest ?? '').split(/\r?\n\r?\n/, 1)[0]!
  const found = new Map<string, Requirement>()
  for (const [, name = '', range = ''] of head.matchAll(requirement)) {
    const plain = range.replace(/[()\s]/g, '')
    if (!found.has(plainName(name))) found.set(plainName(name), { name, range: plain || null })
  }
  return found
}

const requirement =
  /^Requires-Dist:[ \t]*([\w.-]+)(?:[ \t]*\[[^\]\n]*\])?([^;\n]*)(?:;(?!.*\bextra\b).*)?$/gm

/**
 * Returns the requirement that provides a module, such as `opentelemetry-api` for
 * `opentelemetry.api.trace`. Returns null if no name matches, for example for the standard library.
 */
function distributionOf(
  module: string,
  requirements: ReadonlyMap<string, Requirement>,
): Requirement | null {
  const parts = module.split('.')
  for (let count = Math.min(parts.length, mostParts); count > 0; count--) {
    const name = plainName(parts.slice(0, count).join('.'))
    const found = [name, `python-${name}`, `py${name}`].find((it) => requirements.has(it))
    if (found !== undefined) return requirements.get(found)!
  }
  return null
}

const mostParts = 3

function plainName(name: string): string {
  return name.toLowerCase().replace(/[-_.]+/g, '-')
}

/** Returns `a.b.c` for `.c` in the module `a.b.x`. */
function absoluteName(name: string, isPackage: boolean, written: string): string {
  const dots = /^\.*/.exec(written)![0].length
  if (dots === 0) return written
  const parts = name.split('.')
  const up = isPackage ? dots - 1 : dots
  const base = up === 0 ? parts : parts.slice(0, -up)
  const rest = written.slice(dots)
  return [...base, ...(rest === '' ? [] : [rest])].join('.')
}

/** True if a name is public by convention. */
export function isPublicPythonName(name: string): boolean {
  return !name.startsWith('_')
}

function isPublicModule(name: string, isPackage: boolean): boolean {
  const parts = name.split('.')
  const folders = isPackage ? parts : parts.slice(0, -1)
  return (
    parts.every((part) => identifier.test(part) && isPublicPythonName(part)) &&
    !folders.some((part) => internalFolder.test(part)) &&
    (isPackage || !/^(?:conftest|setup)$/.test(parts.at(-1)!))
  )
}

const identifier = /^[\p{L}_][\p{L}\p{N}_]*$/u
const internalFolder = /^(?:tests|testsuite|vendor|vendored)$/

function moduleName(path: string): string {
  return path.replace(/(\/__init__)?\.pyi?$/, '').replaceAll('/', '.')
}

function rulesOf(
  byName: ReadonlyMap<string, SourceModule>,
  requirements: ReadonlyMap<string, Requirement> | null,
): ImportRules {
  return {
    separator: '.',
    isPublicName: isPublicPythonName,
    packageOf(written) {
      const [top = ''] = written.split('.', 1)
      if (top === '' || byName.has(top)) return null
      // A repository has no metadata, so any other module counts as a distribution.
      if (requirements === null) return `pypi:${top}`
      const distribution = distributionOf(written, requirements)
      return distribution === null ? `python:${top}` : `pypi:${distribution.name}`
    },
    resolve: ({ name, passesOn }, written) =>
      byName.get(absoluteName(name, passesOn, written)) ?? null,
  }
}

/** Returns the outline of a stub with the documentation from the code. */
function merged(stub: FileOutline, code: FileOutline): FileOutline {
  return {
    ...stub,
    documentation: stub.documentation || code.documentation,
    symbols: mergedSymbols(stub.symbols, code.symbols),
    exported: stub.exported ?? code.exported,
  }
}

/**
 * Adds documentation to stubs of compiled modules from the package's Python code. Uses a symbol's
 * documentation only if it is the only documented symbol with this name.
 */
function documentStubs(
  outlines: ReadonlyMap<string, FileOutline>,
  byName: ReadonlyMap<string, SourceModule>,
): void {
  const code = new Map<string, ApiSymbol | null>()
  for (const [path, { symbols }] of outlines) {
    if (!path.endsWith('.py')) continue
    for (const symbol of symbols.filter(isDocumented)) {
      const key = `${path.split('/', 1)[0]}:${symbol.name}`
      code.set(key, code.has(key) ? null : symbol)
    }
  }
  for (const path of outlines.keys()) {
    const stub = path.endsWith('.pyi') ? byName.get(moduleName(path)) : undefined
    if (stub === undefined) continue
    const symbols = stub.outline.symbols.map((symbol) => {
      const twin = isDocumented(symbol) ? null : code.get(`${path.split('/', 1)[0]}:${symbol.name}`)
      return twin ? mergedSymbols([symbol], [twin])[0]! : symbol
    })
    stub.outline = { ...stub.outline, symbols }
  }
}

function isDocumented({ documentation, members }: ApiSymbol): boolean {
  return documentation !== '' || members.some(isDocumented)
}

function mergedSymbols(stubs: ApiSymbol[], code: ApiSymbol[]): ApiSymbol[] {
  const byName = new Map(code.map((symbol) => [symbol.name, symbol]))
  return stubs.map((stub) => {
    const own = byName.get(stub.name)
    if (own === undefined) return stub
    return {
      ...stub,
      documentation: stub.documentation || own.documentation,
      deprecated: stub.deprecated ?? own.deprecated,
      since: stub.since ?? own.since,
      members: mergedSymbols(stub.members, own.members),
    }
  })
}
