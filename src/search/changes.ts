import type { Collection } from './collection.ts'

/** "What's new in it", "breaking changes", "removed since 0.106.0": release notes answer. */
export function asksForChanges(query: string): boolean {
  return changes.test(query)
}

const changes = new RegExp(
  String.raw`\b(what('s|s| is) new|new in|change ?log|changes|changed|deprecated|removed)\b` +
    String.raw`|\b(releases?|since)\b|\d\.\d`,
  'i',
)

/** The version whose changes are asked for, `0.115.0` of "what changed in v0.115.0"; else null. */
export function changedVersion(query: string): string | null {
  if (query.length > 200 || !news.test(query)) return null
  return /(?<![\w.])v?(\d+\.\d+(?:\.\w+)*(?:-[\w.]+)?)(?![\w.]*\w)/i.exec(query)?.[1] ?? null
}

const news = new RegExp(
  String.raw`\b(what('s|s| is)? new|new in|changed?|changes|change ?logs?|changelog|releases?` +
    String.raw`|release notes|breaking|deprecated|removed|added|fixed|since)\b`,
  'i',
)

export function isChangelog({ collection, url }: { collection: Collection; url: string }): boolean {
  return collection.facts.get(url)?.kind === 'changelog'
}
