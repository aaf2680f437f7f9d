import { cached } from '../../platform/lru-cache.ts'
import type { ApiSymbol, FileOutline, SymbolKind } from '../symbol.ts'
import { resolveMemberTypes } from './member-types.ts'
import { unresolvedFinder, type MissingName } from './unresolved.ts'

/** A file of a package, with its import name. */
export type SourceModule = {
  /** For example `fastapi.routing`, `zod` or `hono/jsx`. */
  name: string
  /** The `/`-separated path of the file, relative to the top folder. */
  path: string
  /** The line of its declaration; absent if the module is a file. */
  line?: number
  outline: FileOutline
  /** False if users should not import it. */
  isPublic: boolean
  /** True if imports from its own package are public too. */
  passesOn: boolean
  /** TypeScript namespaces in the file, by name. */
  inner?: ReadonlyMap<string, SourceModule>
  /** The enclosing module, whose names it can use. */
  outer?: SourceModule
}

/** A language's rules for imports. */
export type ImportRules = {
  separator: string
  isPublicName(name: string): boolean
  /** True if a module ranks above others of the same depth. By default, all rank equally. */
  isFirst?(module: SourceModule): boolean
  /** Returns the module for `written` in a file; null if it belongs to a different package. */
  resolve(from: SourceModule, written: string): SourceModule | null
  /**
   * Returns the package of an unresolvable module, such as `npm:zod`; null for the same package.
   */
  packageOf?(written: string): string | null
}

export type DeclaredSymbol = { symbol: ApiSymbol; path: string }

/** A public module. */
export type ApiModule = {
  name: string
  path: string
  /** The line of its declaration; absent if the module is a file. */
  line?: number
  documentation: string
  /** Symbols whose shortest public name is in this module. */
  symbols: DeclaredSymbol[]
  /** Other exported names, each with the qualified name of its symbol. */
  aliases: { name: string; of: string }[]
  /** Exported names without a declaration. `module.*` stands for the unknown names in a file. */
  unresolved: MissingName[]
}

/** Finds the public names of a package. A symbol's qualified name is its shortest import name. */
export function resolvePublicNames(
  modules: readonly SourceModule[],
  rules: ImportRules,
): ApiModule[] {
  const { separator } = rules
  const finder = exportFinder(rules)
  const { exportsOf, targetOf } = finder
  const unresolvedOf = unresolvedFinder(rules, finder)
  const names = new Map<ApiSymbol, PublicName[]>()
  const publicModules = withNamespaces(
    modules.filter(({ isPublic }) => isPublic),
    exportsOf,
    separator,
  )
  for (const module of publicModules) {
    for (const [exported, target] of exportsOf(module)) {
      if (target.symbol === null) continue
      const name = exported === 'default' ? target.symbol.name : exported
      if (name !== exported && exportsOf(module).has(name)) continue
      const isOwn = name === target.symbol.name
      names.getOrInsert(target.symbol, []).push({ module, name, home: target.module, isOwn })
    }
  }
  const hidden = addHiddenTypes(names, { targetOf, exportsOf })
  const linked = new Map(
    publicModules.map((module): [string, ApiModule] => {
      const { name, path, line, outline } = module
      const unresolved = [...unresolvedOf(module)].map(([missing, lead]) => ({
        ...lead,
        name: name + separator + missing,
      }))
      const empty = { documentation: outline.documentation, symbols: [], aliases: [], unresolved }
      return [name, { name, path, ...(line !== undefined && { line }), ...empty }]
    }),
  )
  for (const all of names.values()) all.sort((a, b) => rank(a) - rank(b))
  const publicNameOf = (symbol: ApiSymbol) => {
    const [best] = names.get(symbol) ?? []
    return best === undefined ? null : best.module.name + separator + best.name
  }
  for (const [symbol, [first, ...others]] of names) {
    const best = first!
    const whole = withHiddenMembers({ symbol, module: best.home }, targetOf, publicNameOf)
    const named = { ...whole, name: best.name, ...(hidden.has(symbol) && { isHidden: true }) }
    const placed = qualified(named, best.module.name, { separator })
    linked.get(best.module.name)!.symbols.push({ symbol: placed, path: best.home.path })
    for (const { module, name } of others) {
      linked.get(module.name)!.aliases.push({ name, of: placed.qualifiedName })
    }
  }
  return [...linked.values()]

  /**
   * Ranks a public name; the lowest rank is best. Prefers few parts (`pkg.x` to `pkg/core.x`), then
   * the first package, the declaring module, and short names. A prelude only re-exports names.
   */
  function rank({ module, name, home, isOwn }: PublicName): number {
    const depth = module.name.split(separator).length + module.name.split('/').length
    const isPrelude = module.name.endsWith(`${separator}prelude`)
    const place =
      depth * 1e6 +
      ((rules.isFirst?.(module) ?? true) ? 0 : 5e5) +
      (isPrelude ? 2e5 : 0) +
      (module === home ? 0 : 1e5) +
      (name.startsWith('_') ? 5e4 : 0)
    return place + module.name.length * 100 + (isOwn ? 0 : 50) + name.length
  }
}

const mostHidden = 500

/**
 * Adds types without a public name that public signatures mention, such as a function's options.
 * Adds them to the module of the first such signature. Returns these types.
 */
function addHiddenTypes(
  names: Map<ApiSymbol, PublicName[]>,
  { targetOf, exportsOf }: Pick<ExportFinder, 'targetOf' | 'exportsOf'>,
): Set<ApiSymbol> {
  const hidden = new Set<ApiSymbol>()
  const seen = new Map<SourceModule, Set<string>>()
  // The loop also visits types added during iteration.
  for (const [symbol, [first]] of names) {
    const { module, home } = first!
    const before = seen.getOrInsertComputed(home, () => new Set())
    for (const name of mentionedTypes(symbol)) {
      if (before.has(symbol.kind + name)) continue
      before.add(symbol.kind + name)
      const target = exportsOf(module).has(name) ? null : targetOf(home, name, 0)
      if (!target?.symbol || names.has(target.symbol)) continue
      if (!isType(target.symbol) && !isInstance(symbol, name)) continue
      if (hidden.size === mostHidden) return hidden
      hidden.add(target.symbol)
      names.set(target.symbol, [{ module, name, home: target.module, isOwn: false }])
    }
  }
  return hidden
}

/** Returns capitalized names in the signatures of a symbol and its members. */
function mentionedTypes({ signature, members }: ApiSymbol): string[] {
  const signatures = [signature, ...members.map((it) => it.signature)]
  return signatures.flatMap((it) => it.match(/\b_?\p{Lu}[\p{L}\p{N}_]*/gu) ?? [])
}

/** True for a type without code. In Python, a union type is a variable. */
function isType({ kind, signature }: ApiSymbol): boolean {
  const isUnion = kind === 'value' && /^\w+ = .*(?:\b(?:Literal|Union)\[| \| )/.test(signature)
  return kind === 'type' || kind === 'interface' || isUnion
}

/** True for a constant of a class, such as `logger: Logger` or `logger = Logger(…)`. */
function isInstance({ kind, signature }: ApiSymbol, className: string): boolean {
  return kind === 'value' && new RegExp(`[:=] ${className}(?:\\(|;?$)`).test(signature)
}

/** Maximum number of base classes to merge into one class. */
const mostBases = 20

/**
 * Adds the members of base classes without a public name to a class, and the qualified names of its
 * other base classes.
 */
function withHiddenMembers(
  { symbol, module }: Target & { symbol: ApiSymbol },
  targetOf: ExportFinder['targetOf'],
  publicNameOf: (symbol: ApiSymbol) => string | null,
): ApiSymbol {
  const memberTypes = resolveMemberTypes({ symbol, module }, targetOf)
  if (!symbol.bases || symbol.bases.length === 0) return { ...symbol, memberTypes }
  const members = new Map(symbol.members.map((it) => [it.name, it]))
  const waiting = symbol.bases.map((name) => ({ name, module }))
  const bases: string[] = []
  let { signature } = symbol
  for (let at = 0; at < waiting.length && at < mostBases; at++) {
    const { name } = waiting[at]!
    const base = targetOf(waiting[at]!.module, name, 0)
    const publicName = base?.symbol ? publicNameOf(base.symbol) : null
    const isHidden = base?.symbol?.kind === symbol.kind && publicName === null
    if (!isHidden) bases.push(publicName ?? name)
    if (!isHidden || !base?.symbol || base.symbol === symbol) continue
    for (const it of base.symbol.members) if (!members.has(it.name)) members.set(it.name, it)
    if (!signature.includes('\n')) signature += creationOf(base.symbol, symbol.name)
    waiting.push(...(base.symbol.bases ?? []).map((name) => ({ name, module: base.module })))
  }
  return { ...symbol, signature, bases, memberTypes, members: [...members.values()] }
}

/** Returns the constructor lines of a signature, adapted to a subclass. */
function creationOf({ name, signature }: ApiSymbol, heir: string): string {
  const [, ...lines] = signature.split('\n')
  const own = new RegExp(`^(new )?${RegExp.escape(name)}(?=\\()`)
  return lines.map((line) => `\n${line.replace(own, `$1${heir}`)}`).join('')
}

/** Adds modules that are exported under a name, as with `export * as z`. */
function withNamespaces(
  modules: readonly SourceModule[],
  exportsOf: ExportFinder['exportsOf'],
  separator: string,
): SourceModule[] {
  const all = [...modules]
  const outlines = new Set(modules.map(({ outline }) => outline))
  for (const module of all) {
    for (const [name, target] of exportsOf(module)) {
      if (target.symbol !== null || outlines.has(target.module.outline)) continue
      outlines.add(target.module.outline)
      all.push({ ...target.module, name: module.name + separator + name, isPublic: true })
    }
  }
  return all
}

/**
 * A name under which a module exports a symbol. `home` declares the symbol. `isOwn` means that the
 * name is the same in `home`.
 */
type PublicName = { module: SourceModule; name: string; home: SourceModule; isOwn: boolean }

/** Copies a symbol and its members with new qualified names. */
export function qualified(symbol: ApiSymbol, scope: string, marks: NameMarks): ApiSymbol {
  const { separator, inModule = {}, inClass = {} } = marks
  const mark = inModule[symbol.kind] ?? separator
  const qualifiedName = scope === '' ? symbol.name : scope + mark + symbol.name
  const inner = { separator, inModule: inClass, inClass }
  const members = symbol.members.map((it) => qualified(it, qualifiedName, inner))
  return { ...symbol, qualifiedName, members }
}

/** The separators in qualified names. */
export type NameMarks = {
  separator: string
  /** Separators by kind of symbol: before names in a module, or before class members. */
  inModule?: Partial<Record<SymbolKind, string>>
  inClass?: Partial<Record<SymbolKind, string>>
}

/** A resolved name: a symbol and its module, or a module. */
type Target = { module: SourceModule; symbol: ApiSymbol | null }

/** Maximum number of files to follow for one name. */
const longestChain = 30

export type ExportFinder = {
  exportsOf(module: SourceModule): ReadonlyMap<string, Target>
  /** Resolves a name in a module. `depth` is the number of files followed so far. */
  targetOf(module: SourceModule, name: string, depth: number): Target | null
  /** Maps exported names to names inside the module. */
  namesOf(module: SourceModule): ReadonlyMap<string, string>
  linksOf(module: SourceModule): ReturnType<typeof linksByName>
}

function exportFinder(rules: ImportRules): ExportFinder {
  const kept = new Map<SourceModule, Map<string, Target>>()
  const localsOf = cached(
    ({ outline }: SourceModule) => new Map(outline.symbols.map((symbol) => [symbol.name, symbol])),
  )
  const linksOf = cached(linksByName)
  const namesOf = (module: SourceModule) => exportedNames(module, rules, { exportsOf, targetOf })
  return { exportsOf, namesOf, targetOf, linksOf }

  function exportsOf(module: SourceModule): ReadonlyMap<string, Target> {
    const before = kept.get(module)
    if (before !== undefined) return before
    const exports = new Map<string, Target>()
    // If modules re-export each other, the inner call uses the names found so far.
    kept.set(module, exports)
    for (const [name, local] of namesOf(module)) {
      const target = targetOf(module, local, 0)
      if (target !== null) exports.set(name, target)
    }
    return exports
  }

  function targetOf(module: SourceModule, name: string, depth: number): Target | null {
    if (depth > longestChain) return null
    const own = localsOf(module).get(name)
    if (own !== undefined) return { module, symbol: own }
    const inner = module.inner?.get(name)
    if (inner !== undefined) return moduleTarget(inner)
    const { renamed, references, stars } = linksOf(module)
    const local = renamed.get(name)
    if (local !== undefined) return targetOf(module, local, depth + 1)
    for (const { module: written, original } of references.get(name) ?? []) {
      const other = rules.resolve(module, written)
      if (original === null && other !== null) return { module: other, symbol: null }
      if (original === null) continue
      const symbol = other === null ? null : targetOf(other, original, depth + 1)
      const found = symbol ?? moduleTarget(rules.resolve(module, joined(written, original)))
      if (found !== null) return found
    }
    for (const { module: written } of stars) {
      const other = rules.resolve(module, written)
      const target = other === null ? null : exportsOf(other).get(name)
      if (target !== undefined && target !== null) return target
    }
    const dot = name.lastIndexOf('.')
    if (dot > 0) {
      const owner = targetOf(module, name.slice(0, dot), depth + 1)
      const last = name.slice(dot + 1)
      return owner?.symbol === null
        ? targetOf(owner.module, last, depth + 1)
        : memberTarget(owner, last)
    }
    const outer = module.outer === undefined ? null : targetOf(module.outer, name, depth + 1)
    return outer ?? moduleTarget(rules.resolve(module, `.${name}`))
  }
}

function exportedNames(
  module: SourceModule,
  rules: ImportRules,
  { exportsOf, targetOf }: Pick<ExportFinder, 'exportsOf' | 'targetOf'>,
): Map<string, string> {
  const {
    outline: { exported, exportedOf, symbols, references },
    passesOn,
  } = module
  const names = new Map<string, string>()
  for (const { name, local } of exported ?? []) names.set(name, local)
  const spliced = exportedOf.flatMap((local) => targetOf(module, local, 0)?.module ?? [])
  for (const other of spliced) for (const name of exportsOf(other).keys()) names.set(name, name)
  const isListed = exported !== null
  if (!isListed) {
    const declared = [...symbols.map(({ name }) => name), ...(module.inner?.keys() ?? [])]
    for (const name of declared) if (rules.isPublicName(name)) names.set(name, name)
  }
  for (const { name, module: written, isPassedOn, isForTypes = false } of references) {
    const isPublic = isPassedOn || (!isListed && passesOn && !isForTypes)
    const other = isPublic ? rules.resolve(module, written) : null
    if (other === null) continue
    const passed =
      name !== '*' ? [name] : [...exportsOf(other).keys()].filter((it) => it !== 'default')
    for (const one of passed) if (rules.isPublicName(one) && !names.has(one)) names.set(one, one)
  }
  return names
}

function memberTarget(owner: Target | null, name: string): Target | null {
  const symbol = owner?.symbol?.members.find((it) => it.name === name)
  return owner === null || symbol === undefined ? null : { module: owner.module, symbol }
}

function moduleTarget(module: SourceModule | null): Target | null {
  return module === null ? null : { module, symbol: null }
}

/** Indexes the renamed exports, references and star imports of a module by name. */
function linksByName({ outline: { exported, references } }: SourceModule) {
  // The first of several exports with the same name takes precedence.
  const renamed = (exported ?? []).filter(({ name, local }) => local !== name).toReversed()
  return {
    renamed: new Map(renamed.map(({ name, local }) => [name, local])),
    references: Map.groupBy(references, ({ name }) => name),
    stars: references.filter(({ name }) => name === '*'),
  }
}

/** `from . import x` can import the module `.x`. */
function joined(written: string, name: string): string {
  return written.endsWith('.') ? written + name : `${written}.${name}`
}
