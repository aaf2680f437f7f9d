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

export function isChangelog({ collection, url }: { collection: Collection; url: string }): boolean {
  return collection.facts.get(url)?.kind === 'changelog'
}
