import type { ApiSymbol, FileOutline } from '../symbol.ts'
import type { SourceModule } from './link.ts'

/** Limits on the macros appended to one file. */
const mostMacros = 30
const mostCharacters = 100_000

/** Separates a file from appended macros. */
export const addedMacros = '\n//// macro_rules of other files\n'

/**
 * Finds macros that one file uses and another file in the crate defines. Returns the text to
 * append, by path of the using file.
 */
export function missingMacros(outlines: ReadonlyMap<string, FileOutline>): Map<string, string> {
  const definitions = new Map<string, { path: string; text: string }[]>()
  for (const [path, { macroRules = {} }] of outlines) {
    for (const [name, text] of Object.entries(macroRules)) {
      definitions.set(name, [...(definitions.get(name) ?? []), { path, text }])
    }
  }
  const missing = new Map<string, string>()
  for (const [path, outline] of outlines) {
    const original = originalNames(outline)
    const found = new Map<string, string>()
    const waiting = [...(outline.unknownMacros ?? [])]
    for (const name of waiting) {
      const all = definitions.get(name) ?? definitions.get(original.get(name) ?? '') ?? []
      const near = all.toSorted((a, b) => sharedLength(b.path, path) - sharedLength(a.path, path))
      const text = near[0]?.text
      if (text === undefined || found.has(name) || found.size >= mostMacros) continue
      found.set(name, text.replace(/^(macro_rules!\s*)[\w#]+/, `$1${name}`))
      waiting.push(...Array.from(text.matchAll(/\b(\w+)!\s*[({[]/g), ([, other]) => other!))
    }
    const text = [...found.values()].join('\n')
    if (text !== '' && text.length <= mostCharacters) missing.set(path, addedMacros + text)
  }
  return missing
}

/** Maps imported names to their original names. */
function originalNames({ references, modules = [] }: FileOutline): Map<string, string> {
  const inner = modules.flatMap(({ outline }) =>
    outline === null ? [] : [...originalNames(outline)],
  )
  const own = references.flatMap(({ name, original }) =>
    original === null || original === '*' ? [] : [[name, original] as const],
  )
  return new Map([...inner, ...own])
}

function sharedLength(a: string, b: string): number {
  let at = 0
  while (at < a.length && a[at] === b[at]) at++
  return at
}

/** Moves exported macros to the root of the crate, where they are public. */
export function hoistMacros(root: string, modules: ReadonlyMap<string, SourceModule>): void {
  const { outline } = modules.get(root)!
  const taken = new Set(outline.symbols.map(({ name }) => name))
  for (const [key, module] of modules) {
    if (!key.startsWith(`${root}.`)) continue
    const isMacro = ({ kind, signature }: ApiSymbol) =>
      kind === 'macro' && signature.startsWith('macro_rules!')
    const macros = new Set(module.outline.symbols.filter(isMacro).map(({ name }) => name))
    if (macros.size === 0) continue
    module.outline.exported = module.outline.exported!.filter(({ name }) => !macros.has(name))
    for (const name of macros) {
      if (taken.has(name)) continue
      taken.add(name)
      const shadowed = modules.get(`${root}.${name}`)
      const isPublic = outline.exported!.some((it) => it.name === name)
      if (shadowed !== undefined && isPublic) shadowed.isPublic = modules.get(root)!.isPublic
      const written = `crate${key.slice(root.length)}`
      outline.references.push({ name, module: written, original: name, isPassedOn: true })
    }
  }
}
