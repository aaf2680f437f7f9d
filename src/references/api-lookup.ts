import { readJuliaDocs, type JuliaDocs } from '../api/julia/find-julia.ts'
import { pythonFinder, type FoundSymbol } from '../api/find-python.ts'
import { findDeclaredModule, findDocumented } from '../api/find-declared.ts'
import { placeholdersOf } from '../formats/markdown/placeholder.ts'
import type { ApiLookup, Declared } from '../formats/parsed-text.ts'
import type { IncludedFiles } from './include.ts'

const mostObjects = 3000

/** Looks up a page's objects in nearby packages and in `bases`, which are folders of its site. */
export function openApiLookup(includes: IncludedFiles, bases: readonly string[]): ApiLookup {
  const find = pythonFinder(includes.read, packageFolders(includes.from, bases))
  const known = new Map<string, FoundSymbol | null>()
  const waiting = new Map<string, readonly string[]>()
  const declarations = new Map<string, { declaration: Declared; text?: string | null }>()
  let julia: JuliaDocs | null | undefined
  let wantsJulia = false
  return {
    julia() {
      wantsJulia = julia === undefined
      return julia
    },
    find(names) {
      const key = names.join(' ')
      const object = known.get(key)
      if (object === undefined && known.size + waiting.size < mostObjects) waiting.set(key, names)
      return object === undefined && !waiting.has(key) ? null : object
    },
    declared(declaration) {
      const key = JSON.stringify(declaration)
      if (!declarations.has(key)) declarations.set(key, { declaration })
      return declarations.get(key)!.text
    },
    async resolve() {
      const round = [...waiting]
      waiting.clear()
      for (const [key, names] of round) {
        let object: FoundSymbol | null = null
        for (const name of names) object ??= await find(name)
        known.set(key, object)
      }
      const missing = [...declarations.values()].filter(({ text }) => text === undefined)
      for (const one of missing) one.text = await readDeclared(includes.read, one.declaration)
      const isRead = !wantsJulia && missing.length === 0
      if (wantsJulia) julia = await readJuliaDocs(includes.read, includes.from)
      wantsJulia = false
      return round.length > 0 || !isRead
    },
  }
}

function readDeclared(read: IncludedFiles['read'], declaration: Declared): Promise<string | null> {
  return 'module' in declaration
    ? findDeclaredModule(read, declaration.module)
    : findDocumented(read, declaration)
}

/** Folders with a project's packages, relative to a folder above the page. */
const sourceFolders = ['', 'src', 'lib', 'python']

function packageFolders(from: string, bases: readonly string[]): string[] {
  const above = from.split('/').slice(0, -1)
  const folders = ['', ...above.map((_, at) => above.slice(0, at + 1).join('/'))]
  const around = folders.flatMap((folder) =>
    sourceFolders.map((it) => [folder, it].filter((part) => part !== '').join('/')),
  )
  return [...new Set([...bases, ...around])]
}

/**
 * Returns the packages and other source files that a page refers to: top-level Python packages,
 * `*.jl` for Julia docstrings, `*.d.ts` and file names for TypeScript.
 */
export function apiPackages(text: string): string[] {
  const names = new Set(juliaBlock.test(text) ? ['*.jl'] : [])
  for (const one of placeholdersOf(text))
    names.add('module' in one ? '*.d.ts' : one.file.replace(/^.*\//, ''))
  if (!directive.test(text)) return [...names]
  const marks = text.includes('autosummary') ? [pattern, listed] : [pattern]
  for (const mark of marks) {
    for (const [, name] of text.matchAll(mark)) if (names.size < mostPackages) names.add(name!)
  }
  return [...names]
}

const mostPackages = 50
const juliaBlock = /^[ \t]*(?:`{3,}|~{3,})@(?:auto)?docs\b/m
const directive = /^[ \t]*:::[ \t]|\bauto[a-z]+(?:::|\})/m
const pattern = new RegExp(
  '^[ \\t]*(?::::|(?:\\.\\. |[`:]{3,9}\\{)(?:py:)?(?:auto[a-z_]+|currentmodule|module)(?:::|\\}))' +
    '[ \\t]+~?([A-Za-z_]\\w*)',
  'gm',
)
const listed = /^[ \t]+~?([A-Za-z_]\w*)\.\w/gm
