import { posix } from 'node:path'
import type { ApiSymbol, SymbolKind } from '../symbol.ts'
import { lineFinder, truncateCode } from '../syntax.ts'
import { parseDocComment } from '../typescript/tsdoc.ts'
import type { ApiModule } from './link.ts'
import {
  isDeclaration,
  isRelative,
  npmEntries,
  packagePart,
  type NpmPackage,
} from './npm-entries.ts'

type ScriptSource = NpmPackage & {
  pathOf(path: string): string
  /** Returns the text of a file, or null if it was not read. */
  textOf(path: string): string | null
}

/**
 * Adds exported names that type declarations lack. Searches scripts only for exports, because
 * parsing a bundle takes seconds.
 */
export function addScriptNames(modules: readonly ApiModule[], source: ScriptSource): void {
  const kept = new Map<string, Script>()
  const scriptAt = (path: string) =>
    kept.getOrInsertComputed(path, () => readScript(source.textOf(path) ?? ''))
  const exportsOf = exportReader(source, scriptAt)
  const byName = new Map(modules.map((module) => [module.name, module]))
  for (const [name, { path, scripts }] of npmEntries(source)) {
    const module = byName.get(name)
    if (module === undefined) continue
    const known = new Set([
      ...module.symbols.map(({ symbol }) => symbol.name),
      ...module.aliases.map((it) => it.name),
    ])
    const isDeclared = path !== null && isDeclaration(path)
    for (const [exported, place] of scripts.flatMap((it) => [...exportsOf(it)])) {
      if (known.has(exported)) continue
      known.add(exported)
      const symbol = symbolIn(scriptAt(place.path), { ...place, name: exported })
      if (isDeclared) symbol.documentation = `${undeclared}\n\n${symbol.documentation}`.trim()
      symbol.qualifiedName = `${name}.${exported}`
      module.symbols.push({ symbol, path: source.pathOf(place.path) })
    }
    module.unresolved = module.unresolved.filter((it) => !known.has(it.name.slice(name.length + 1)))
  }
}

const undeclared = 'The type declarations lack this name.'

/** The script that declares an exported name, and its local name there. */
type ScriptPlace = { path: string; local: string }
type ScriptExports = Map<string, ScriptPlace>

/** Maximum number of scripts to follow for one name. */
const longestChain = 10

type Script = ReturnType<typeof readScript>

function exportReader(
  source: ScriptSource,
  scriptAt: (path: string) => Script,
): (path: string) => ScriptExports {
  const kept = new Map<string, ScriptExports>()
  return (path) => exportsOf(path, 0)

  function exportsOf(path: string, depth: number): ScriptExports {
    const before = kept.get(path)
    if (before !== undefined) return before
    const found: ScriptExports = new Map()
    kept.set(path, found)
    if (depth > longestChain) return found
    const { names, stars } = scriptAt(path)
    for (const { name, local, module } of names) {
      const others = module === undefined ? [] : locate(path, module)
      const place = others.map((it) => exportsOf(it, depth + 1).get(local)).find(Boolean)
      if (name !== 'default') found.set(name, place ?? { path, local })
    }
    for (const other of stars.flatMap((it) => locate(path, it))) {
      for (const [name, place] of exportsOf(other, depth + 1)) {
        if (!found.has(name)) found.set(name, place)
      }
    }
    return found
  }

  function locate(from: string, written: string): string[] {
    if (!isRelative(written)) {
      const name = packagePart(written)
      const dependency = source.dependencies?.get(name)
      const entry = dependency && npmEntries({ name, ...dependency }).get(written)
      return (entry?.scripts ?? []).map((it) => dependency!.folder + it)
    }
    const path = posix.join(posix.dirname(from), written)
    const all = [path, `${path}.js`, `${path}.mjs`, `${path}.cjs`, `${path}/index.js`]
    return all.filter((it) => source.paths.has(it)).slice(0, 1)
  }
}

const list = /\b(export|import)\s{0,9}\{([^{}]*)\}(?:\s{0,9}from\s{0,9}["']([^"'\n]+)["'])?/g
const star = /\bexport\s{0,9}\*\s{0,9}(?:as\s{1,9}([\w$]+)\s{1,9})?from\s{0,9}["']([^"'\n]+)["']/g
const declaration =
  /^(?:export )?(?:async )?(function ?\*?|class|const|let|var) ([\w$]+)(?=[\s(=;{,])/gm
const assignment = /^(?:module\.)?exports\.([\w$]+) ?=(?!=)(?: ?([\w$]+);?$)?/gm
const object = /^(?:0 && \()?module\.exports ?= ?\{([^{}]*)\}/gm
const required =
  /(?:\bmodule\.exports ?= ?|\b__exportStar\(|\b__reExport\([\w$]+, )require\(["']([^"'\n]+)["']/g

/** Finds the exports, declarations and re-exported modules of a script. */
function readScript(text: string) {
  const names: { name: string; local: string; module?: string }[] = []
  const stars: string[] = []
  const imported = new Map<string, { original: string; module: string }>()
  const declared = new Map<string, { index: number; kind: SymbolKind }>()
  for (const [, word, items = '', module] of text.matchAll(list)) {
    for (const [original, name] of namesIn(items)) {
      if (word === 'export') names.push({ name, local: original, ...(module && { module }) })
      else if (module !== undefined) imported.set(name, { original, module })
    }
  }
  for (const [, name, module = ''] of text.matchAll(star)) {
    if (name === undefined) stars.push(module)
    else names.push({ name, local: name })
  }
  for (const { 0: whole, index, 1: word = '', 2: name = '' } of text.matchAll(declaration)) {
    if (!declared.has(name)) declared.set(name, { index, kind: kinds[word.slice(0, 2)] ?? 'value' })
    if (whole.startsWith('export ')) names.push({ name, local: name })
  }
  for (const { index, 1: name = '', 2: local } of text.matchAll(assignment)) {
    if (local === undefined) declared.set(name, { index, kind: 'value' })
    names.push({ name, local: local ?? name })
  }
  for (const [, items = ''] of text.matchAll(object)) {
    for (const [local, name] of namesIn(items)) names.push({ name, local })
  }
  for (const [, module = ''] of text.matchAll(required)) stars.push(module)
  const own = names.map((it) => {
    const other = it.module === undefined ? imported.get(it.local) : undefined
    return other === undefined ? it : { name: it.name, local: other.original, module: other.module }
  })
  return { text, names: own, stars, declared, lineOf: lineFinder(text) }
}

const kinds: Record<string, SymbolKind> = { fu: 'function', cl: 'class' }

/** Parses the names in a list, such as `a`, `a as b` or, in an object, `b: a`. */
function namesIn(items: string): [original: string, name: string][] {
  return items
    .replace(/\/\*[^]*?\*\/|\/\/.*$/gm, '')
    .split(',')
    .flatMap((item): [string, string][] => {
      const [, first, renamed, value] =
        /^\s*([\w$]+)\s*(?:\bas\s+["']?([\w$-]+)|:\s*([\w$.]+))?/.exec(item) ?? []
      if (first === undefined) return []
      return value === undefined ? [[first, renamed ?? first]] : [[value, first]]
    })
}

/** Makes a symbol from the declaration and its comment. */
function symbolIn(
  { text, declared, lineOf }: Script,
  { name, local }: { name: string; local: string },
): ApiSymbol {
  const { index, kind } = declared.get(local) ?? { index: -1, kind: 'value' }
  const before = text.slice(Math.max(0, index - longestComment), Math.max(0, index)).trimEnd()
  const comment = before.endsWith('*/') ? before.slice(before.lastIndexOf('/**')) : ''
  const { text: documentation, deprecated } = parseDocComment(comment)
  return {
    kind,
    name,
    qualifiedName: name,
    signature: index < 0 ? name : signatureAt(text, index),
    documentation,
    line: lineOf(Math.max(0, index)),
    members: [],
    deprecated,
    since: null,
  }
}

const longestComment = 5000

/** Returns the first line of a declaration, without a function or class body. */
function signatureAt(text: string, index: number): string {
  const line = /^.*/.exec(text.slice(index, index + 500))![0]
  const head = line.replace(/^(?:export |(?:module\.)?exports\.)/, '').replace(/;\s*$/, '')
  const open = head.replace(/\{\s*$/, '')
  if (/\bclass\b/.test(head)) return truncateCode(open.replace(/\{.*$/, ''), 200)
  if (/\bfunction\b/.test(head)) return truncateCode(open.replace(/^(.*?\)) ?\{.*$/, '$1'), 200)
  return truncateCode(head, 200)
}
