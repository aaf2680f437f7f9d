import type { ExportFinder, ImportRules, SourceModule } from './link.ts'

/** Maximum number of files to follow for one name. */
const longestChain = 30

/** The file or package where the search for an undeclared name ended. */
type Lead = { reason: MissingReason; from: string }

/**
 * Returns a function that lists a module's exported names without declaration. `*` stands for
 * unknown names of a file or package.
 */
export function unresolvedFinder(
  rules: ImportRules,
  { exportsOf, namesOf, targetOf, linksOf }: ExportFinder,
): (module: SourceModule) => ReadonlyMap<string, Lead> {
  const lost = new Map<SourceModule, Map<string, Lead>>()
  return unresolvedOf

  function unresolvedOf(module: SourceModule): ReadonlyMap<string, Lead> {
    const before = lost.get(module)
    if (before !== undefined) return before
    const { outline } = module
    const leads = new Map<string, Lead>()
    lost.set(module, leads)
    const found = exportsOf(module)
    const add = (name: string, lead: Lead) => {
      if (!found.has(name) && !leads.has(name)) leads.set(name, lead)
    }
    if (outline.failure !== undefined) add('*', { reason: 'unread', from: module.path })
    const isImplied = outline.exported === null && module.passesOn
    for (const [name, local] of namesOf(module)) {
      const lead = leadOf(module, local, 0)
      // Without a list of exports, imports from other packages are probably private.
      if (!isImplied || lead.reason !== 'dependency') add(name, lead)
    }
    for (const local of outline.exportedOf) {
      if (targetOf(module, local, 0) === null) add('*', leadOf(module, local, 0))
    }
    for (const { name, module: written, isPassedOn, isForTypes = false } of outline.references) {
      const isPublic = isPassedOn || (isImplied && !isForTypes)
      const other = isPublic ? rules.resolve(module, written) : null
      if (other !== null && name === '*') {
        for (const [inner, lead] of unresolvedOf(other)) if (inner !== 'default') add(inner, lead)
      } else if (other === null && (isPassedOn || (isPublic && isOwn(written)))) {
        if (rules.isPublicName(name)) add(name, leadTo(module, written))
      }
    }
    return leads
  }

  function isOwn(written: string): boolean {
    return rules.packageOf !== undefined && rules.packageOf(written) === null
  }

  /** Follows an unresolved name to the last known file or package. */
  function leadOf(module: SourceModule, name: string, depth: number): Lead {
    const nowhere: Lead = { reason: 'undeclared', from: module.path }
    if (module.outline.failure !== undefined) return { ...nowhere, reason: 'unread' }
    if (depth > longestChain) return nowhere
    const { renamed, references, stars } = linksOf(module)
    const local = renamed.get(name)
    if (local !== undefined) return leadOf(module, local, depth + 1)
    for (const { module: written, original } of [...(references.get(name) ?? []), ...stars]) {
      const other = rules.resolve(module, written)
      if (other === null) return leadTo(module, written)
      if (original !== null && original !== '*') return leadOf(other, original, depth + 1)
    }
    return nowhere
  }

  function leadTo({ path }: SourceModule, written: string): Lead {
    const other = rules.packageOf?.(written)
    if (other) return { reason: 'dependency', from: other }
    return { reason: other === undefined ? 'undeclared' : 'absent', from: `${written} in ${path}` }
  }
}

/**
 * Reasons why the API reference lacks a public name. `dependency`: another package declares it.
 * `absent`: the source file is missing. `unread`: the file could not be parsed. `limit`: the
 * reference would be too large. `undeclared`: no declaration was found.
 */
export const missingReasons = ['dependency', 'absent', 'unread', 'limit', 'undeclared'] as const

export type MissingReason = (typeof missingReasons)[number]

/**
 * A public name without documentation. `from` is the package (`npm:zod`) or file that should
 * declare it. A final `*` stands for an unknown number of names.
 */
export type MissingName = { name: string; reason: MissingReason; from: string }
