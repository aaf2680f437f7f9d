import { openLruCache } from '../platform/lru-cache.ts'
import type { ApiSymbol, FileOutline, Reference } from './symbol.ts'

/** An object in a Python package, such as a class, function or module. */
export type FoundSymbol = {
  /** The object under the requested name. For a module, the members are its public names. */
  symbol: ApiSymbol
  /** Members that only base classes declare. */
  inherited: ApiSymbol[]
  /** The source text of a module's docstring; null for other objects. */
  docstring: string | null
}

/** Finds an object by its dotted name. Returns null if its source is missing. */
export type FindSymbol = (name: string) => Promise<FoundSymbol | null>

type Module = { name: string; root: string; isPackage: boolean; text: string; outline: FileOutline }
type Place = { root: string; name: string; stem: string }
type Passing = { reference: Reference; parts: string[] }
/** `chain` lists the class and inner symbols down to the object. It is empty for the module. */
type Found = { module: Module; chain: ApiSymbol[] }

/** Limits for one page: files read, files looked up, and characters read. */
const mostFiles = 1000
const mostLookups = 5000
const mostText = 32 * 2 ** 20
/** Maximum number of files to follow for one name. */
const longestChain = 30
const mostBases = 30
const identifier = /^[\p{L}_][\p{L}\p{N}_]*$/u

/**
 * Finds objects in source files as a Python import would: through packages, modules and re-exports.
 * Executes no code.
 * @param read returns the text of a file, '' for a folder (a path with a trailing `/`), or null if
 * it is missing
 * @param roots folders that contain importable packages, without a trailing `/`
 */
export function pythonFinder(
  read: (path: string) => Promise<string | null>,
  roots: readonly string[],
): FindSymbol {
  const finder = new PythonFinder(read, roots)
  return (name) => finder.findNamed(name)
}

class PythonFinder {
  private readonly modules = new Map<string, Promise<Module | null>>()
  private readonly folders = new Map<string, Promise<boolean>>()
  private readonly inheritances = new Map<ApiSymbol, ApiSymbol[]>()
  private filesLeft = mostFiles
  private lookupsLeft = mostLookups
  private textLeft = mostText

  constructor(
    private readonly read: (path: string) => Promise<string | null>,
    private readonly roots: readonly string[],
  ) {}

  async findNamed(name: string): Promise<FoundSymbol | null> {
    const parts = name.split('.')
    if (parts.length > longestChain || !parts.every((part) => identifier.test(part))) return null
    const found = await this.findFrom(parts)
    return found === null ? null : this.described(found, name)
  }

  /** Tries up to three parts as the module name, because a folder may lack `__init__.py`. */
  private async findFrom(parts: string[]): Promise<Found | null> {
    for (let depth = 1; depth <= Math.min(3, parts.length); depth++) {
      for (const root of this.roots) {
        const module = await this.load(root, parts.slice(0, depth).join('.'))
        if (module !== null) return this.find(module, parts.slice(depth), new Set())
      }
    }
    return null
  }

  private load(root: string, name: string): Promise<Module | null> {
    const stem = `${root === '' ? '' : `${root}/`}${name.replaceAll('.', '/')}`
    return this.modules.getOrInsertComputed(stem, () => this.loadFile({ root, name, stem }))
  }

  private async loadFile({ root, name, stem }: Place): Promise<Module | null> {
    if (!(await this.hasFolder(parentOf(stem)))) return null
    const isFolder = await this.hasFolder(stem)
    for (const [ending, isPackage] of endings) {
      if (isPackage && !isFolder) continue
      if (this.filesLeft <= 0 || this.textLeft <= 0 || this.lookupsLeft-- <= 0) return null
      const text = await this.read(stem + ending)
      if (text === null) continue
      this.filesLeft--
      this.textLeft -= text.length
      if (this.textLeft < 0) return null
      return { name, root, isPackage, text, outline: await outlineOf(text) }
    }
    return null
  }

  /** Checks for the folder before its files, because most roots do not contain the package. */
  private hasFolder(path: string): Promise<boolean> {
    return this.folders.getOrInsertComputed(path, () => this.lookUpFolder(path))
  }

  private async lookUpFolder(path: string): Promise<boolean> {
    if (path === '') return true
    if (!(await this.hasFolder(parentOf(path)))) return false
    return this.lookupsLeft-- > 0 && (await this.read(`${path}/`)) !== null
  }

  private async find(module: Module, parts: string[], seen: Set<string>): Promise<Found | null> {
    const [first, ...rest] = parts
    if (first === undefined) return { module, chain: [] }
    const key = `${module.name} ${parts.join('.')}`
    if (seen.has(key) || seen.size > longestChain) return null
    seen.add(key)
    const own = module.outline.symbols.find((it) => it.name === first)
    const chain = own === undefined ? null : await this.memberChain(module, own, rest)
    if (chain !== null) return { module, chain }
    const { references } = module.outline
    for (const reference of references.filter((it) => it.name === first)) {
      const found = await this.findReference(module, { reference, parts: rest }, seen)
      if (found !== null) return found
    }
    const inner = module.isPackage ? await this.load(module.root, `${module.name}.${first}`) : null
    const found = inner === null ? null : await this.find(inner, rest, seen)
    if (found !== null) return found
    for (const { module: written } of references.filter((it) => it.name === '*')) {
      const other = await this.resolve(module, written)
      const passed = other === null ? null : await this.find(other, parts, seen)
      if (passed !== null) return passed
    }
    return null
  }

  private async findReference(
    from: Module,
    { reference, parts }: Passing,
    seen: Set<string>,
  ): Promise<Found | null> {
    const { module: written, original, name } = reference
    // `import a.b` binds `a`.
    const target = original === null && written.startsWith(`${name}.`) ? name : written
    const other = await this.resolve(from, target)
    if (original === null) return other === null ? null : this.find(other, parts, seen)
    const symbol = other === null ? null : await this.find(other, [original, ...parts], seen)
    if (symbol !== null) return symbol
    const joined = written.endsWith('.') ? written + original : `${written}.${original}`
    const inner = await this.resolve(from, joined)
    return inner === null ? null : this.find(inner, parts, seen)
  }

  private async resolve({ name, root, isPackage }: Module, written: string) {
    const dots = /^\.*/.exec(written)![0].length
    const rest = written.slice(dots)
    if (dots === 0) return this.load(root, written)
    const up = isPackage ? dots - 1 : dots
    const parts = name.split('.')
    if (up > parts.length) return null
    const base = parts.slice(0, parts.length - up)
    const target = [...base, ...(rest === '' ? [] : [rest])].join('.')
    return target === '' ? null : this.load(root, target)
  }

  /** Returns the symbols from `own` to an inner symbol, which base classes can declare. */
  private async memberChain(
    module: Module,
    own: ApiSymbol,
    parts: string[],
  ): Promise<ApiSymbol[] | null> {
    const [first, ...rest] = parts
    if (first === undefined) return [own]
    const member =
      own.members.find((it) => it.name === first) ??
      (await this.inheritedOf(module, own)).find((it) => it.name === first)
    const inner = member === undefined ? null : await this.memberChain(module, member, rest)
    return inner === null ? null : [own, ...inner]
  }

  private async inheritedOf(module: Module, own: ApiSymbol): Promise<ApiSymbol[]> {
    const before = this.inheritances.get(own)
    if (before !== undefined) return before
    // Prevents endless recursion if a class is its own base class.
    this.inheritances.set(own, [])
    const inherited = await this.readInherited(module, own)
    this.inheritances.set(own, inherited)
    return inherited
  }

  private async readInherited(module: Module, own: ApiSymbol): Promise<ApiSymbol[]> {
    const seen = new Set(own.members.map(({ name }) => name))
    const inherited: ApiSymbol[] = []
    const waiting = (own.bases ?? []).map((base) => ({ module, base }))
    for (let at = 0; at < waiting.length && at < mostBases; at++) {
      const { module: from, base } = waiting[at]!
      const found = await this.find(from, base.split('.'), new Set())
      const symbol = found?.chain.at(-1)
      if (symbol === undefined || symbol === own) continue
      inherited.push(...symbol.members.filter(({ name }) => !seen.has(name)))
      for (const { name } of symbol.members) seen.add(name)
      waiting.push(...(symbol.bases ?? []).map((it) => ({ module: found!.module, base: it })))
    }
    return inherited
  }

  private async described({ module, chain }: Found, name: string): Promise<FoundSymbol> {
    const symbol = chain.at(-1)
    if (symbol === undefined) return this.describedModule(module, name)
    const inherited = symbol.bases === undefined ? [] : await this.inheritedOf(module, symbol)
    return {
      symbol: renamed(symbol, name),
      inherited: inherited.map((it) => renamed(it, `${name}.${it.name}`)),
      docstring: null,
    }
  }

  private async describedModule(module: Module, name: string): Promise<FoundSymbol> {
    const { exported, symbols, documentation } = module.outline
    const listed = exported?.map((it) => it.name) ?? symbols.map((it) => it.name)
    const names = listed.slice(0, mostFiles)
    const members: ApiSymbol[] = []
    for (const one of exported === null ? names.filter((it) => !it.startsWith('_')) : names) {
      const found = await this.find(module, [one], new Set())
      const symbol = found?.chain.at(-1)
      if (symbol !== undefined) members.push(renamed(symbol, `${name}.${one}`))
    }
    const symbol: ApiSymbol = {
      kind: 'module',
      name: name.slice(name.lastIndexOf('.') + 1),
      qualifiedName: name,
      signature: '',
      documentation,
      line: 1,
      members,
      deprecated: null,
      since: null,
    }
    return { symbol, inherited: [], docstring: moduleDocstring(module.text) }
  }
}

/** Source code precedes stubs, which have no documentation. */
const endings = [
  ['/__init__.py', true],
  ['.py', false],
  ['/__init__.pyi', true],
  ['.pyi', false],
] as const

function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')))
}

/** Copies a symbol and its members under a different qualified name. */
function renamed(symbol: ApiSymbol, qualifiedName: string): ApiSymbol {
  return {
    ...symbol,
    qualifiedName,
    members: symbol.members.map((it) => renamed(it, `${qualifiedName}.${it.name}`)),
  }
}

function moduleDocstring(text: string): string {
  const start = /^(?:\ufeff?(?:[ \t]*(?:#[^\n]*)?\n)*)[rRuU]?("""|''')/.exec(text)
  if (start === null) return ''
  const end = text.indexOf(start[1]!, start[0].length)
  return end < 0 ? '' : text.slice(start[0].length, end)
}

/** Caches outlines, because many pages of a site refer to the same modules. */
const outlines = openLruCache<FileOutline>(8 * 2 ** 20)

async function outlineOf(text: string): Promise<FileOutline> {
  const { outlinePython } = await import('./python/python.ts')
  return outlines.of(text, text.length, () =>
    outlinePython(text.replaceAll('\r\n', '\n').replace(/^\ufeff/, '')),
  )
}
