/**
 * Titles for references without their own text, by `referenceKey`. A reference whose target is not
 * in the source has none.
 */
export type ReferenceTitles = ReadonlyMap<string, string>

/** The kinds of references: to a page, to a label, to a link's target, to a DocFX uid. */
export type ReferenceKind = 'doc' | 'ref' | 'link' | 'uid'

/** The key of a reference in `ReferenceTitles`, by its target as written. */
export function referenceKey(kind: ReferenceKind, target: string): string {
  return `${kind} ${kind === 'ref' ? labelKey(target) : target.trim()}`
}

/** Labels ignore case, the number of blanks and backslashes. */
export function labelKey(label: string): string {
  return label.replace(/\\(.)/g, '$1').replace(/\s+/g, ' ').trim().toLowerCase()
}

/** The page or section that a reference leads to. */
export type TargetTitle = { path: string; title: string }

/** Finds the first target that has a title for each list of queries of a `TitleIndex`. */
export type FindTitles = (
  queries: readonly (readonly string[])[],
) => Promise<(TargetTitle | null)[]>
