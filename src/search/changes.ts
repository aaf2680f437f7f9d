import type { Collection } from './collection.ts'

/** True if release notes answer the query: "What's new in it", "removed since 0.106.0". */
export function asksForChanges(query: string): boolean {
  return changes.test(query)
}

const changes = new RegExp(
  String.raw`\b(what('s|s| is) new|new in|change ?log|changes|changed|deprecated|removed)\b` +
    String.raw`|\b(releases?|since)\b|\d\.\d`,
  'i',
)

/** Returns `0.115.0` for "what changed in v0.115.0", and null for other questions. */
export function versionOfChanges(query: string): string | null {
  if (query.length > 200 || !news.test(query)) return null
  return /(?<![\w.])v?(\d+\.\d+(?:\.\w+)*(?:-[\w.]+)?)(?![\w.]*\w)/i.exec(query)?.[1] ?? null
}

const news = new RegExp(
  String.raw`\b(what('s|s| is)? new|new in|changed?|changes|change ?logs?|changelog|releases?` +
    String.raw`|release notes|breaking|deprecated|removed|added|fixed|since)\b`,
  'i',
)

/** True if the query is about a version or a migration, so that upgrade notes answer it. */
export function asksForUpgrade(query: string): boolean {
  return asksForChanges(query) || /\b(?:up-?grad|migrat|updat|version|v\d)/i.test(query)
}

const upgradeName = new RegExp(
  String.raw`(?:^|[/_-])(?:migrat(?:e|ion|ing)s?|upgrad(?:e|ing)s?)` +
    String.raw`(?:[_-](?:guide|notes|from|to|v?\d)[^/]*)?\.\w+$`,
  'i',
)

/** True if the file name suggests a page about migrating to another version. */
export function isUpgradePage(path: string): boolean {
  return upgradeName.test(path)
}

export function isChangelogPage({
  collection,
  url,
}: {
  collection: Collection
  url: string
}): boolean {
  return collection.facts.get(url)?.kind === 'changelog'
}
