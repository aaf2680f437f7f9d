import type { ApiSymbol, DeclaredModule, FileOutline } from './symbol.ts'

export function emptyOutline(): FileOutline {
  return { documentation: '', symbols: [], references: [], exported: [], exportedOf: [] }
}

/** Merges the declarations of two outlines of the same module. */
export function addOutline(outline: FileOutline, more: FileOutline): void {
  const own = new Map(outline.symbols.map((symbol) => [symbol.name, symbol]))
  for (const symbol of more.symbols) {
    const before = own.get(symbol.name)
    if (before === undefined) outline.symbols.push(symbol)
    else addMembers(before, symbol.members)
  }
  outline.documentation ||= more.documentation
  outline.references.push(...more.references)
  const modules = (outline.modules ??= [])
  for (const module of more.modules ?? []) addModule(modules, module)
  if (outline.exported === null) return
  const names = new Set(outline.exported.map(({ name }) => name))
  outline.exported.push(...exportedIn(more).filter(({ name }) => !names.has(name)))
}

/** Returns a module's exported names. Without a list of exports, returns all declared names. */
function exportedIn({ exported, symbols, modules = [] }: FileOutline) {
  const all = [...symbols, ...modules.filter(({ isGlobal }) => !isGlobal)]
  return exported ?? all.map(({ name }) => ({ name, local: name }))
}

export function addMembers(symbol: ApiSymbol, members: readonly ApiSymbol[]): void {
  const names = new Set(symbol.members.map(({ name }) => name))
  symbol.members.push(...members.filter(({ name }) => !names.has(name)))
}

/** Adds a module. If the name exists, merges the modules. */
export function addModule(modules: DeclaredModule[], module: DeclaredModule): void {
  const before = modules.find(({ name }) => name === module.name)
  if (before?.outline && module.outline) addOutline(before.outline, module.outline)
  else if (before === undefined) modules.push(module)
}

/** Returns a module's exported names as members of a symbol. Inner modules become symbols. */
export function membersOf(outline: FileOutline): ApiSymbol[] {
  const names = new Map(exportedIn(outline).map(({ name, local }) => [local, name]))
  const inner = (outline.modules ?? []).map(moduleSymbol)
  return [...outline.symbols, ...inner].flatMap((symbol) => {
    const name = names.get(symbol.name)
    return name === undefined ? [] : [{ ...symbol, name, qualifiedName: name }]
  })
}

export function moduleSymbol({ name, documentation, line, outline }: DeclaredModule): ApiSymbol {
  return {
    kind: 'module',
    name,
    qualifiedName: name,
    signature: `namespace ${name}`,
    documentation,
    line,
    members: outline === null ? [] : membersOf(outline),
    deprecated: null,
    since: null,
  }
}
