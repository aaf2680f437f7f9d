import type { PackageSource } from '../language.ts'
import type { ApiSymbol, FileOutline } from '../symbol.ts'
import { resolvePublicNames, type ApiModule, type ImportRules, type SourceModule } from './link.ts'

/**
 * The public modules of a Python package, or of several.
 * @param outlines the outlines of the files, by path relative to the folder from which the packages
 * are imported
 * @param place `name`: the package whose names precede those of others for the same symbol
 */
export function resolvePythonModules(
  outlines: ReadonlyMap<string, FileOutline>,
  { name: first, pathOf }: PythonPlace = { name: '', pathOf: (path) => path },
): ApiModule[] {
  const byName = new Map<string, SourceModule>()
  // Sorts stubs first: `a` precedes `b` if they are the `.pyi` and the `.py` of the same module.
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
        isPublic: isPublicModule(name),
        passesOn: isPackage,
      })
    }
  }
  const isFirst = ({ name }: SourceModule) => name === first || name.startsWith(`${first}.`)
  return resolvePublicNames([...byName.values()], { ...rulesOf(byName), isFirst })
}

type PythonPlace = Pick<PackageSource, 'name' | 'pathOf'>

/** Whether other packages may use a name, by convention. */
export function isPublicPythonName(name: string): boolean {
  return !name.startsWith('_')
}

function isPublicModule(name: string): boolean {
  return name
    .split('.')
    .every((part) => identifier.test(part) && isPublicPythonName(part) && !internal.test(part))
}

const identifier = /^[\p{L}_][\p{L}\p{N}_]*$/u
const internal = /^(tests|conftest|testsuite|vendor|vendored|setup)$/

function moduleName(path: string): string {
  return path.replace(/(\/__init__)?\.pyi?$/, '').replaceAll('/', '.')
}

function rulesOf(byName: ReadonlyMap<string, SourceModule>): ImportRules {
  return {
    separator: '.',
    isPublicName: isPublicPythonName,
    packageOf(written) {
      const [top = ''] = written.split('.', 1)
      return top === '' || byName.has(top) ? null : `pypi:${top}`
    },
    resolve({ name, passesOn }, written) {
      const dots = /^\.*/.exec(written)![0].length
      if (dots === 0) return byName.get(written) ?? null
      const parts = name.split('.')
      const up = passesOn ? dots - 1 : dots
      const base = up === 0 ? parts : parts.slice(0, -up)
      const rest = written.slice(dots)
      return byName.get([...base, ...(rest === '' ? [] : [rest])].join('.')) ?? null
    },
  }
}

/** The outline of a stub, with the documentation of the code added. */
function merged(stub: FileOutline, code: FileOutline): FileOutline {
  return {
    ...stub,
    documentation: stub.documentation || code.documentation,
    symbols: mergedSymbols(stub.symbols, code.symbols),
    exported: stub.exported ?? code.exported,
  }
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
