import type { ApiModule } from './link/link.ts'
import { lastPart, parsePageSymbols } from './page-symbols.ts'
import type { ApiPage } from './render.ts'
import type { MissingName } from './link/unresolved.ts'

/** The number of public names in a package, and the names missing from its pages. */
export type ApiCoverage = {
  declared: number
  missing: MissingName[]
  /** Names with shortened documentation. */
  shortened?: string[]
}

type Compared = { separator: string; kept: readonly ApiPage[]; dropped: readonly ApiPage[] }

/**
 * Compares the public names of modules with the names on pages. `dropped` contains the pages that
 * exceed the size limit.
 */
export function compareWithPages(
  modules: readonly ApiModule[],
  { separator, kept, dropped }: Compared,
): ApiCoverage {
  const [shown, cut] = [namesOn(kept), namesOn(dropped)]
  const coverage: ApiCoverage = { declared: 0, missing: [] }
  for (const { name: module, path, symbols, aliases, unresolved } of modules) {
    const declared = [
      ...symbols
        .filter(({ symbol }) => !symbol.isHidden)
        .map(({ symbol: { qualifiedName: name } }) => ({ name, of: name })),
      ...aliases.map(({ name, of }) => ({ name: module + separator + name, of })),
    ]
    coverage.declared += declared.length + unresolved.length
    coverage.missing.push(...unresolved)
    for (const { name, of } of declared) {
      if (shown.has(name) || (shown.has(of) && lastPart(name) === lastPart(of))) continue
      const reason = cut.has(of) ? 'limit' : 'undeclared'
      coverage.missing.push({ name, reason, from: path })
    }
  }
  return coverage
}

function namesOn(pages: readonly ApiPage[]): Set<string> {
  const symbols = pages.flatMap(({ text }) => parsePageSymbols(text))
  return new Set(symbols.flatMap(({ qualifiedName, aliases = [] }) => [qualifiedName, ...aliases]))
}
