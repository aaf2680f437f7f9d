import type { ApiSymbol, FileOutline } from '../symbol.ts'
import { resolvePublicNames, type ApiModule, type SourceModule } from './link.ts'

/** Returns the importable packages of a Go module. Each folder is a package. */
export function resolveGoPackages(
  outlines: ReadonlyMap<string, FileOutline>,
  pathOf: (path: string) => string,
): ApiModule[] {
  const files = [...outlines].filter(([path]) => isPublicPath(path))
  const folders = Map.groupBy(files, ([path]) => path.slice(0, Math.max(0, path.lastIndexOf('/'))))
  const names = [...folders].map(([folder, own]) => ({ folder, own, name: packageOf(own) }))
  const importable = names.filter(({ name }) => name !== 'main' && name !== '')
  return importable.flatMap(({ folder, own, name }) => {
    const isUnique = importable.filter((it) => it.name === name).length === 1
    const shown = isUnique || folder === '' ? name : folder
    const linked = linkFolder(shown, own, pathOf)
    const described = own.find(([, { documentation }]) => documentation !== '')
    return linked.map((module) => ({
      ...module,
      path: pathOf((described ?? own[0]!)[0]),
      documentation: described?.[1].documentation ?? '',
      unresolved: own.flatMap(([path, { failure }]) =>
        failure === undefined
          ? []
          : [{ name: `${shown}.*`, reason: 'unread' as const, from: pathOf(path) }],
      ),
    }))
  })
}

type Files = (readonly [path: string, outline: FileOutline])[]

function packageOf(files: Files): string {
  return files.find(([, { packageName }]) => packageName !== undefined)?.[1].packageName ?? ''
}

/** Excludes tests and folders that other modules cannot import. */
function isPublicPath(path: string): boolean {
  return !/_test\.go$|(^|\/)(internal|vendor|testdata|cmd)\//.test(path)
}

/** Links the files of one package. Each symbol keeps the path of its file. */
function linkFolder(name: string, files: Files, pathOf: (path: string) => string): ApiModule[] {
  const types = new Map<string, ApiSymbol>()
  const all = files.flatMap(([path, { symbols }]) => symbols.map((symbol) => ({ path, symbol })))
  const own = all
    .filter(({ symbol }) => symbol.kind !== 'method')
    .map((it) => ({ ...it, symbol: { ...it.symbol, members: [...it.symbol.members] } }))
  for (const { symbol } of own) types.set(symbol.name, symbol)
  for (const { symbol } of all) {
    const type = symbol.kind === 'method' ? types.get(symbol.bases?.[0] ?? '') : undefined
    type?.members.push({ ...symbol, bases: [] })
  }
  for (const { symbol } of own)
    if (symbol.kind === 'type' && symbol.members.length > 0) symbol.kind = 'class'
  const outline: FileOutline = {
    documentation: '',
    symbols: own.map(({ symbol }) => symbol),
    references: [],
    exported: null,
    exportedOf: [],
  }
  const module: SourceModule = { name, path: '', outline, isPublic: true, passesOn: false }
  const paths = new Map(own.map(({ path, symbol }) => [symbol.name, path]))
  return resolvePublicNames([module], {
    separator: '.',
    isPublicName: () => true,
    resolve: () => null,
  }).map((linked) => ({
    ...linked,
    symbols: linked.symbols.map(({ symbol }) => ({
      symbol,
      path: pathOf(paths.get(symbol.name) ?? ''),
    })),
  }))
}
