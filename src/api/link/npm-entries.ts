import { isRecord, parseJsonOrUndefined } from '../../platform/json.ts'
import type { DependencyFiles, Requirement } from './dependency.ts'

/** An npm package with its package.json and package-relative paths. */
export type NpmPackage = {
  name: string
  manifest: string | null
  paths: ReadonlySet<string>
  dependencies?: ReadonlyMap<string, DependencyFiles>
}

/**
 * Returns the importable files by import name, such as `zod` or `hono/jsx`. Prefers type
 * declarations to code, and a source file to the generated file.
 */
export function npmEntryFiles(own: NpmPackage): Map<string, string> {
  const entries = [...npmEntries(own)].flatMap(([name, { path }]) =>
    path === null ? [] : [[name, path] as const],
  )
  return new Map(entries)
}

type NpmEntry = {
  /** The file that declares its names; null if none of the targets exists. */
  path: string | null
  targets: string[]
  /** Executable files. */
  scripts: string[]
}

export function npmEntries(own: NpmPackage): Map<string, NpmEntry> {
  const entries = ownEntries(own)
  const types = own.dependencies?.get(typesPackageOf(packageName(own)))
  if (types === undefined) return entries
  const name = packageName(own)
  for (const [typed, { path }] of ownEntries({ name: '', ...types })) {
    const imported = typed.replace(/^@types\/[^/]*/, name)
    const before = entries.get(imported)
    if (path === null || before === undefined || isTyped(before)) continue
    entries.set(imported, { ...before, path: types.folder + path })
  }
  return entries
}

/** Returns the name of the types package, such as `@types/a__b` for `@a/b`. */
export function typesPackageOf(name: string): string {
  return `@types/${name.replace(/^@([^/]*)\//, '$1__')}`
}

/**
 * Returns the types package for an npm package, limited to its major version; null if the package
 * contains types.
 */
export function requiredTypes(own: NpmPackage): Requirement | null {
  const entries = [...ownEntries(own).values()]
  if (!entries.some(({ path }) => path !== null) || entries.some(isTyped)) return null
  const content = parseJsonOrUndefined(own.manifest ?? '')
  const [, major] = /^(\d+)\./.exec(isRecord(content) ? String(content.version) : '') ?? []
  if (major === undefined) return null
  return { name: typesPackageOf(packageName(own)), range: `^${major}`, isOptional: true }
}

function isTyped({ path }: NpmEntry): boolean {
  return path !== null && /\.([cm]?ts|tsx)$/.test(path)
}

function packageName({ name, manifest }: NpmPackage): string {
  const content = parseJsonOrUndefined(manifest ?? '')
  return isRecord(content) && typeof content.name === 'string' ? content.name : name
}

function ownEntries({ name, manifest, paths }: NpmPackage): Map<string, NpmEntry> {
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
    entries.set(imported, entryOf(targets, paths))
  }
  const types = [content.types, content.typings].filter((it) => typeof it === 'string')
  const code = [content.module, content.main].filter((it) => typeof it === 'string')
  const targets = [...types, ...code]
  const before = entries.get(own)?.path ?? null
  if (before === null && (targets.length > 0 || listed.length === 0)) {
    entries.set(own, { ...entryOf([...targets, './index.js'], paths), targets })
  } else if (before !== null && !isDeclaration(before)) {
    const path = firstFile(types, paths)
    const { scripts } = entries.get(own)!
    if (path !== null && isDeclaration(path)) entries.set(own, { path, targets, scripts })
  }
  return entries
}

function entryOf(targets: string[], paths: ReadonlySet<string>): NpmEntry {
  const scripts = targets.flatMap((target) => {
    const path = target.replace(/^\.\//, '').replace(/\/$/, '')
    return [path, `${path}.js`, `${path}/index.js`].find((it) => paths.has(it)) ?? []
  })
  const isScript = (path: string) => /\.[cm]?jsx?$/.test(path)
  return {
    path: firstFile(targets, paths),
    targets,
    scripts: [...new Set(scripts.filter(isScript))],
  }
}

/** Maximum number of files per pattern in `exports`. */
const mostExpanded = 2000

/**
 * Expands a subpath pattern such as `./addons/*`. Ignores patterns that only repeat file paths,
 * `./internal/*` and files in `node_modules`.
 */
function expandedPaths([subpath, targets]: Subpath, paths: ReadonlySet<string>): Subpath[] {
  if (!subpath.includes('*')) return [[subpath, targets]]
  const [before = '', after = ''] = subpath.split('*')
  if (/\/_?internals?\//.test(before)) return []
  const found = new Set<string>()
  for (const target of targets) {
    const [start = '', end = ''] = target.replace(/^\.\//, '').split('*')
    if (!target.includes('*') || (`./${start}` === before && end === after)) continue
    const stem = end.replace(/(\.d)?\.[cm]?[jt]sx?$/, '')
    for (const path of paths) {
      if (!path.startsWith(start) || found.size >= mostExpanded) continue
      if (path.startsWith('node_modules/') || path.includes('/node_modules/')) continue
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

export function isRelative(written: string): boolean {
  return /^\.\.?(\/|$)/.test(written)
}

/** Returns `@scope/name` for `@scope/name/part`. */
export function packagePart(written: string): string {
  return /^(?:@[^/]*\/)?[^/]*/.exec(written)![0]
}

type Subpath = [subpath: string, targets: string[]]

/** Returns the subpaths of `exports` with their possible files, types first. */
function exportedPaths(exports: unknown): Subpath[] {
  if (typeof exports === 'string' || Array.isArray(exports)) return [['.', targetsOf(exports, 0)]]
  if (!isRecord(exports)) return []
  const isConditions = Object.keys(exports).every((key) => !key.startsWith('.'))
  if (isConditions) return [['.', targetsOf(exports, 0)]]
  return Object.entries(exports)
    .filter(([key]) => !/\.(json|css)$/.test(key))
    .map(([key, value]) => [key, targetsOf(value, 0)])
}

/** Returns the subpaths of `typesVersions`, for packages without `exports`. */
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
  const rank = (it: string) => (isDeclaration(it) ? 0 : /\.min\.\w+$/.test(it) ? 2 : 1)
  return all.toSorted((a, b) => rank(a) - rank(b))
}

export function isDeclaration(path: string): boolean {
  return /\.d\.[cm]?ts$/.test(path)
}

/** Returns the first target that is a declaration file, or else the first existing target. */
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

/** Output folders of builds. */
const built = /^(?:dist|lib|build|out|es|esm|cjs|types)\/(?:(?:types|esm|cjs|es|src)\/)?/

/** Caches the `imports` of the current package, because every reference needs them. */
let lastImports: { manifest: string | null; imports: Record<string, unknown> } = {
  manifest: null,
  imports: {},
}

function importsOf(manifest: string | null): Record<string, unknown> {
  const content = parseJsonOrUndefined(manifest ?? '')
  return isRecord(content) && isRecord(content.imports) ? content.imports : {}
}

/** Resolves a name such as `#types/lamp` with `imports` in package.json. */
export function importedFile(
  { manifest, paths }: Pick<NpmPackage, 'manifest' | 'paths'>,
  written: string,
): string | null {
  return firstFile(importedPaths(manifest, written), paths)
}

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

/** Resolves a path to a file. `x.js` resolves to its types or its source. */
export function fileAt(path: string, paths: ReadonlySet<string>): string | null {
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
