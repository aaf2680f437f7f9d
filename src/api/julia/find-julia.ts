import { openLruCache } from '../../platform/lru-cache.ts'
import { argumentType, splitArguments } from './julia-declaration.ts'
import { scanJulia, type JuliaDoc, type JuliaFile } from './julia-scan.ts'
import { stringAt, stringValue } from './julia-string.ts'

/** A Julia docstring as Markdown. */
export type JuliaDocstring = {
  /** The name with its module, such as `Package.name`. */
  qualifiedName: string
  kind: JuliaDoc['kind']
  text: string
}

/** The options of an `@autodocs` block. */
export type AutodocsOptions = {
  modules: readonly string[]
  /** Endings of file paths; null selects all files. */
  pages: readonly string[] | null
  order: readonly string[] | null
  /** True if exported names are shown; `hasPrivate` is the same for all other names. */
  hasPublic: boolean
  hasPrivate: boolean
}

/** The docstrings of a project. */
export type JuliaDocs = {
  /** Returns the docstrings of `name`, `Module.name`, `@macro` or `name(::Type)`. */
  named(written: string): JuliaDocstring[]
  autodocs(options: AutodocsOptions): JuliaDocstring[]
}

type Entry = JuliaDoc & { path: string; inModule: string }

/** Limits for one page: files and their characters. */
const mostFiles = 1000
const mostText = 32 * 2 ** 20
/** Source folders in a project. */
const sourceFolders = ['src', 'ext', 'base', 'stdlib', 'lib']

/**
 * Reads the docstrings of the project that contains the page `from`. Returns null if no parent
 * folder of the documentation contains Julia sources. Lists the files instead of following
 * `include`, because packages often compute the included names.
 * @param read returns the text of a file, and the listing of `folder/*.jl`
 */
export async function readJuliaDocs(
  read: (path: string) => Promise<string | null>,
  from: string,
): Promise<JuliaDocs | null> {
  for (const folder of projectFolders(from)) {
    const lists: string[] = []
    for (const name of sourceFolders) {
      lists.push((await read(`${folder === '' ? '' : `${folder}/`}${name}/*.jl`)) ?? '')
    }
    const paths = lists
      .flatMap((list) => list.split('\n'))
      .filter((path) => path !== '' && !/(?:^|\/)(?:tests?|docs?|bench\w*|examples)\//.test(path))
    if (paths.length > 0) return openDocs(await scanFiles(read, paths.slice(0, mostFiles)))
  }
  return null
}

/** Returns the parent folders of a page's documentation, nearest first. */
function projectFolders(from: string): string[] {
  const parts = from.split('/').slice(0, -1)
  const docs = parts.findLastIndex((part) => /^docs?$/i.test(part))
  const depth = docs < 0 ? parts.length : docs
  return Array.from({ length: depth + 1 }, (_, up) => parts.slice(0, depth - up).join('/'))
}

async function scanFiles(
  read: (path: string) => Promise<string | null>,
  paths: readonly string[],
): Promise<Map<string, JuliaFile>> {
  const files = new Map<string, JuliaFile>()
  let left = mostText
  for (const path of paths) {
    const text = await read(path)
    left -= text?.length ?? 0
    if (left < 0) break
    if (text !== null) files.set(path, scanned(text))
  }
  return files
}

/** Caches scans, because all pages of a site need the same files. */
const scans = openLruCache<JuliaFile>(8 * 2 ** 20)

function scanned(text: string): JuliaFile {
  return scans.of(text, text.length, () => scanJulia(text.replaceAll('\r\n', '\n')))
}

function openDocs(files: ReadonlyMap<string, JuliaFile>): JuliaDocs {
  const modules = modulesOf(files)
  const entries = [...files].flatMap(([path, { docs }]) =>
    docs.map((doc): Entry => ({ ...doc, path, inModule: doc.module || modules.get(path) || '' })),
  )
  const byName = Map.groupBy(entries, ({ name }) => name)
  const exported = new Set([...files.values()].flatMap((file) => file.exported))
  const constants = new Map([...files.values()].flatMap((file) => [...file.constants]))
  const shown = (entry: Entry) => docstringOf(entry, constants)
  return {
    named: (written) => namedEntries(written, byName).map(shown),
    autodocs: (options) => selected(entries, { ...options, exported }).map(shown),
  }
}

/** Returns each file's module: the module that includes it, or else the module of its folder. */
function modulesOf(files: ReadonlyMap<string, JuliaFile>): Map<string, string> {
  const modules = new Map<string, string>()
  const isRoot = ([path, { module }]: [string, JuliaFile]) => path.endsWith(`/${module}.jl`)
  const roots = [...files].filter(isRoot)
  roots.sort(([one], [other]) => one.split('/').length - other.split('/').length)
  const folderOf = (path: string) => path.slice(0, path.lastIndexOf('/') + 1)
  for (const [path] of files) {
    const root = roots.findLast(([other]) => path.startsWith(folderOf(other)))
    modules.set(path, root?.[1].module ?? '')
  }
  // Repeats, because a file can be listed before the file that includes it.
  for (let round = 0; round < 3; round++) {
    for (const [path, { included }] of files) {
      for (const one of included) {
        const target = folderOf(path) + one.path
        if (files.has(target)) modules.set(target, one.module || modules.get(path) || '')
      }
    }
  }
  return modules
}

/** Returns the entries for a line of `@docs`. Selects by types as Documenter does. */
function namedEntries(written: string, byName: ReadonlyMap<string, Entry[]>): Entry[] {
  const [, path = '', macro = '', last = '', list] = requested.exec(written.trim()) ?? []
  const all = byName.get(macro + last.replace(/^:?\(?([^()]*)\)?$/, '$1')) ?? []
  const qualifier = path.replace(/\.$/, '').split('.').at(-1) ?? ''
  const near = all.filter((it) => qualifier === '' || belongsTo(it, qualifier))
  const entries = near.length > 0 ? near : all
  if (list === undefined) return entries
  const types = splitArguments(list).map(argumentType)
  const ofType = entries.filter(({ types: own }) => own?.join() === types.join())
  if (ofType.length > 0) return ofType
  const ofLength = entries.filter(
    (it) => it.types !== null && it.required <= types.length && types.length <= it.types.length,
  )
  return ofLength.length > 0 ? ofLength : entries
}

const requested = new RegExp(
  String.raw`^((?:[\p{L}_][\p{L}\p{N}_]*\.)*)(@?)(:?\([^()]{1,20}\)|[^\s(){}.]+)` +
    String.raw`(?:\{[^()]{0,300}\})?(?:\(([^]{0,1000})\))?`,
  'u',
)

function belongsTo({ inModule, qualifier, path }: Entry, name: string): boolean {
  return inModule === name || qualifier.split('.').at(-1) === name || path.includes(`/${name}`)
}

function selected(
  entries: readonly Entry[],
  {
    modules,
    pages,
    order,
    hasPublic,
    hasPrivate,
    ...rest
  }: AutodocsOptions & { exported: ReadonlySet<string> },
): Entry[] {
  const last = new Set(modules.map((it) => it.split('.').at(-1)))
  const wanted = entries.filter(({ path, inModule, name, kind }) => {
    if (pages !== null && !pages.some((it) => path === it || path.endsWith(`/${it}`))) return false
    if (last.size > 0 && !last.has(kind === 'module' ? name : inModule)) return false
    const isExported = rest.exported.has(name) || kind === 'module'
    return isExported ? hasPublic : hasPrivate
  })
  const ranks = order ?? ['module', 'constant', 'type', 'function', 'macro']
  const rankOf = ({ kind }: Entry) => ranks.indexOf(kind)
  return wanted.filter((it) => rankOf(it) >= 0).sort((a, b) => rankOf(a) - rankOf(b))
}

/** Maximum number of interpolated characters in one docstring. */
const mostInterpolated = 2 ** 18

function docstringOf(entry: Entry, constants: JuliaFile['constants']): JuliaDocstring {
  const { name, inModule, qualifier, kind, signature, literal } = entry
  let depth = 0
  let left = mostInterpolated
  const resolve = (expression: string): string | null => {
    if (left < 0) return null
    const value = valueOf(expression)
    left -= (value?.length ?? 0) + 1
    return value
  }
  const valueOf = (expression: string): string | null => {
    if (/^(?:TYPED)?(?:SIGNATURES|DEF)$|^(?:TYPEDEF|METHODLIST)$/.test(expression)) {
      return signature === '' ? '' : codeOf(signature)
    }
    if (/^(?:TYPED)?FIELDS$/.test(expression)) return fieldsText(entry.body)
    if (/^(?:EXPORTS|IMPORTS|README|LICENSE|DOCSTRING|TEMPLATE)$/.test(expression)) return ''
    const constant = constants.get(expression)
    if (constant === undefined || depth > 3) return null
    depth++
    const value = stringValue(constant, resolve)
    depth--
    return value
  }
  const text = stringValue(literal, resolve).trimEnd()
  const hasSignature = /^\s*(?: {4}|\t|```)/.test(text.replace(/^\n+/, ''))
  const code = hasSignature || signature === '' ? '' : codeOf(signature)
  const module = qualifier !== '' ? qualifier : inModule
  return {
    qualifiedName: module === '' || kind === 'module' ? name : `${module}.${name}`,
    kind,
    text: [code, text.replace(/^\n+/, '')].filter((part) => part !== '').join('\n\n'),
  }
}

function codeOf(signature: string): string {
  return `\`\`\`julia\n${signature.trim()}\n\`\`\``
}

/** Returns the documented fields of a type as a list. */
function fieldsText(body: string): string {
  const items: string[] = []
  let doc = ''
  const lines = body.split('\n').slice(1)
  let offset = body.indexOf('\n') + 1
  let skipTo = 0
  for (const line of lines) {
    const start = offset + line.length - line.trimStart().length
    offset += line.length + 1
    if (start < skipTo || line.trim() === '' || line.trimStart().startsWith('#')) continue
    const literal = stringAt(body, start)
    if (literal !== null) {
      doc = stringValue(literal, () => null).trim()
      skipTo = literal.end
      continue
    }
    const [, field] =
      /^\s*(?:const\s+)?([\p{L}_][\p{L}\p{N}_!]*(?:::[^=#\n]{1,200})?)/u.exec(line) ?? []
    if (field === undefined || /^\s*function\b|\)\s*=|\bnew\b/.test(line)) break
    items.push(`- \`${field.trim()}\`${doc === '' ? '' : `: ${doc.replaceAll('\n', '\n  ')}`}`)
    doc = ''
  }
  return items.join('\n')
}
