/**
 * Titles for references without their own text, by `referenceKey`. References to targets outside
 * the source are missing.
 */
export type ReferenceTitles = ReadonlyMap<string, string>

/** References to a page, a label, a link's target, or a DocFX uid. */
export type ReferenceKind = 'doc' | 'ref' | 'link' | 'uid'

/** Returns the key of a reference in `ReferenceTitles`. `target` is the target in the text. */
export function referenceKey(kind: ReferenceKind, target: string): string {
  return `${kind} ${kind === 'ref' ? labelKey(target) : target.trim()}`
}

/** Normalizes a label: ignores case, repeated blanks and backslashes. */
export function labelKey(label: string): string {
  return label.replace(/\\(.)/g, '$1').replace(/\s+/g, ' ').trim().toLowerCase()
}

/** The page or section at the target of a reference. */
export type TargetTitle = { path: string; title: string }

/** Returns the title of the first query that has one, for each list of `TitleIndex` queries. */
export type FindTitles = (
  queries: readonly (readonly string[])[],
) => Promise<(TargetTitle | null)[]>
