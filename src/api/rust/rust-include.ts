import type { ApiSymbol, FileOutline } from '../symbol.ts'
import { rustdocToMarkdown } from './rust-doc.ts'

const [start, end] = ['\ue000', '\ue001']
const marks = new RegExp(`${start}([^${end}]*)${end}`, 'g')

/** Returns a placeholder for the text of another file, for `doc = include_str!("…")`. */
export function includeMark(path: string): string {
  // A README has its own page.
  return /(?:^|\/)README\.md$/i.test(path) ? '' : start + path + end
}

/**
 * Replaces placeholders in an outline's documentation with the text of files.
 * @param textOf returns the text of a file by path relative to the source file, or null
 */
export function includeRustTexts(
  outline: FileOutline,
  textOf: (path: string) => string | null,
): FileOutline {
  const filled = (text: string) =>
    text.includes(start)
      ? text.replace(marks, (_, path: string) => rustdocToMarkdown(textOf(path) ?? '')).trim()
      : text
  const symbolWith = (it: ApiSymbol): ApiSymbol => ({
    ...it,
    documentation: filled(it.documentation),
    members: it.members.map(symbolWith),
  })
  const outlineWith = (it: FileOutline): FileOutline => ({
    ...it,
    documentation: filled(it.documentation),
    symbols: it.symbols.map(symbolWith),
    modules: (it.modules ?? []).map((module) => ({
      ...module,
      documentation: filled(module.documentation),
      outline: module.outline === null ? null : outlineWith(module.outline),
    })),
    implementations: (it.implementations ?? []).map((one) => ({
      ...one,
      members: one.members.map(symbolWith),
    })),
  })
  const macros = Object.entries(outline.macros ?? {})
  const content = macros.map(([name, it]) => [name, outlineWith(it)] as const)
  return { ...outlineWith(outline), macros: Object.fromEntries(content) }
}
