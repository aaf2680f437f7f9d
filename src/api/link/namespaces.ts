import type { PackageSource } from '../language.ts'
import type { ApiSymbol, FileOutline } from '../symbol.ts'
import { qualified, type ApiModule } from './link.ts'

/** The modules of a language whose files declare modules or namespaces. */
export function resolveNamespaces(
  outlines: ReadonlyMap<string, FileOutline>,
  { pathOf }: Pick<PackageSource, 'pathOf'>,
): ApiModule[] {
  const modules = new Map<string, ApiModule>()
  for (const [path, outline] of outlines) {
    addModule({ ...outline, line: 1 }, { name: outline.packageName ?? '', path: pathOf(path) })
  }
  return [...modules.values()]

  function addModule(
    { documentation, symbols, modules: inner = [], line }: FileOutline & { line: number },
    { name, path }: { name: string; path: string },
  ): void {
    const before = modules.get(name)
    const module = before ?? {
      name,
      path,
      line,
      documentation,
      symbols: [],
      aliases: [],
      unresolved: [],
    }
    if (module.documentation === '' && documentation !== '') {
      Object.assign(module, { path, line, documentation })
    }
    for (const symbol of publicSymbols(symbols, name)) addSymbol(module, symbol, path)
    if (module.symbols.length > 0 || module.documentation !== '') modules.set(name, module)
    for (const { name: last, documentation: text, line: at, outline } of inner) {
      const own = name === '' ? last : `${name}.${last}`
      if (outline !== null)
        addModule({ ...outline, documentation: text, line: at }, { name: own, path })
    }
  }
}

/** Adds a symbol, or the members of a class whose other parts are in other files. */
function addSymbol(module: ApiModule, symbol: ApiSymbol, path: string): void {
  const isClass = /^(?:class|interface)$/.test(symbol.kind)
  const same = ({ symbol: it }: (typeof module.symbols)[number]) =>
    it.qualifiedName === symbol.qualifiedName && it.kind === symbol.kind
  const before = isClass ? module.symbols.find(same)?.symbol : undefined
  if (before === undefined) {
    module.symbols.push({ symbol, path })
    return
  }
  before.members.push(...symbol.members)
  before.documentation ||= symbol.documentation
}

/** Symbols with their qualified names. A leading `_` hides a symbol unless it is documented. */
export function publicSymbols(symbols: readonly ApiSymbol[], scope: string): ApiSymbol[] {
  return symbols
    .filter(({ name, documentation }) => !name.startsWith('_') || documentation !== '')
    .map((symbol) => qualified(symbol, scope, '.'))
}
