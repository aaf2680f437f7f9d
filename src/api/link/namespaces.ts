import type { ApiSymbol, FileOutline } from '../symbol.ts'
import { qualified, type ApiModule, type NameMarks } from './link.ts'
import type { PackageSource } from './dependency.ts'

/** Links files of a language with module or namespace declarations. */
export function resolveNamespaces(
  outlines: ReadonlyMap<string, FileOutline>,
  { name: packageName, pathOf }: Pick<PackageSource, 'name' | 'pathOf'>,
  marks: NameMarks,
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
      name: name || packageName,
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
    for (const symbol of publicSymbols(symbols, name, marks)) addSymbol(module, symbol, path)
    if (module.symbols.length > 0 || module.documentation !== '') modules.set(name, module)
    for (const { name: last, documentation: text, line: at, outline } of inner) {
      const own = name === '' ? last : name + marks.separator + last
      if (outline !== null)
        addModule({ ...outline, documentation: text, line: at }, { name: own, path })
    }
  }
}

/** Adds a symbol. If other files declare parts of the same class, merges the members. */
function addSymbol(module: ApiModule, symbol: ApiSymbol, path: string): void {
  const before = samePart(
    symbol,
    module.symbols.map((it) => it.symbol),
  )
  if (before === undefined) module.symbols.push({ symbol, path })
  else mergeParts(before, symbol)
}

function samePart({ kind, qualifiedName }: ApiSymbol, symbols: ApiSymbol[]): ApiSymbol | undefined {
  if (!/^(?:class|interface)$/.test(kind)) return undefined
  return symbols.find((it) => it.qualifiedName === qualifiedName && it.kind === kind)
}

function mergeParts(whole: ApiSymbol, part: ApiSymbol): void {
  whole.documentation ||= part.documentation
  for (const member of part.members) {
    const before = samePart(member, whole.members)
    if (before === undefined) whole.members.push(member)
    else mergeParts(before, member)
  }
}

/** Returns symbols with qualified names. Hides undocumented names with a leading `_`. */
export function publicSymbols(
  symbols: readonly ApiSymbol[],
  scope: string,
  marks: NameMarks,
): ApiSymbol[] {
  return symbols
    .filter(({ name, documentation }) => !name.startsWith('_') || documentation !== '')
    .map((symbol) => qualified(symbol, scope, marks))
}
