import type { FileOutline, Reference } from '../symbol.ts'

/** A package that declares re-exported names. Its files are not public modules. */
export type DependencyFiles = {
  /** The text of its manifest, such as package.json. */
  manifest: string | null
  /** Its folder among the files of the re-exporting package, with a trailing `/`. */
  folder: string
  /** Its files, relative to its folder. */
  paths: ReadonlySet<string>
}

/** A required package and its allowed versions. */
export type Requirement = { name: string; range: string | null; isOptional?: boolean }

/** Files and packages that declare re-exported names. */
export type Needs = { files: Set<string>; packages: Map<string, Requirement> }

/** An imported module: a file, or a package that has not been read. */
export type Located = { path: string } | Requirement | null

type Finding = {
  isOwn(path: string): boolean
  /** True if the base classes in a file are needed too. */
  usesBases?(path: string): boolean
  locate(from: string, written: string): Located
}

/** Follows the re-exports of a package into the files of its dependencies. */
export function findNeeds(
  outlines: ReadonlyMap<string, FileOutline>,
  { isOwn, usesBases = () => false, locate }: Finding,
): Needs {
  const needs: Needs = { files: new Set(), packages: new Map() }
  const seen = new Set<string>()
  const waiting: { path: string; name: string }[] = []
  const visit = (path: string, name: string) => {
    const key = `${path} ${name}`
    if (!seen.has(key)) waiting.push({ path, name })
    seen.add(key)
  }
  const follow = (from: string, { module, original, name }: Reference, wanted: string) => {
    const inner = original === null || name === '*' ? module : joinedModule(module, original)
    for (const written of new Set([module, inner])) {
      const found = locate(from, written)
      if (found === null) continue
      if (!('path' in found)) needs.packages.set(found.name, found)
      else if (!isOwn(found.path)) visit(found.path, written === module ? wanted : '*')
    }
  }
  for (const [path, outline] of outlines) {
    if (!isOwn(path)) continue
    const all = reexportsOf(outline, usesBases(path))
    for (const one of all) follow(path, one, one.original ?? '*')
  }
  for (const { path, name } of waiting) {
    const outline = outlines.get(path)
    if (outline === undefined) needs.files.add(path)
    else if (name === '*') {
      for (const one of reexportsOf(outline, usesBases(path)))
        follow(path, one, one.original ?? '*')
    } else if (!outline.symbols.some((it) => it.name === name)) {
      const local = outline.exported?.find((it) => it.name === name)?.local ?? name
      if (local !== name) visit(path, local)
      for (const one of outline.references) {
        if (one.name === name) follow(path, one, one.original ?? '*')
        else if (one.name === '*') follow(path, one, name)
      }
    }
  }
  return needs
}

function reexportsOf(
  { exported, symbols, references, modules = [] }: FileOutline,
  withBases: boolean,
): Reference[] {
  const bases = withBases ? symbols.flatMap((it) => it.bases ?? []) : []
  const used = [...(exported ?? []).map(({ local }) => local), ...bases]
  const locals = new Set(used.map((name) => name.split('.', 1)[0]!))
  const own = references.filter(({ name, isPassedOn }) => isPassedOn || locals.has(name))
  const inner = modules.flatMap(({ outline }) =>
    outline === null ? [] : reexportsOf(outline, withBases),
  )
  return [...own, ...inner]
}

/** In Python, `from a import b` can import the module `a.b`. */
function joinedModule(module: string, name: string): string {
  return module.endsWith('.') ? module + name : `${module}.${name}`
}

/** The name, folder and files of a package. */
export type PackageSource = {
  name: string
  /** Its folder with a trailing `/`; empty for the top folder. */
  folder: string
  /** The text of its manifest, such as package.json. */
  manifest: string | null
  /** Its source files, relative to its folder. */
  paths: ReadonlySet<string>
  /** Packages that declare its re-exported names. */
  dependencies: ReadonlyMap<string, DependencyFiles>
  /** Makes a package-relative path relative to the top folder. */
  pathOf(path: string): string
  /** Returns the text of a file by package-relative path; null if it was not read. */
  textOf?(path: string): string | null
}
