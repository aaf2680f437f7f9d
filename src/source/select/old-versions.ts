import { newestFirst, parseRelease } from '../../version/release.ts'

/** Names of version folders: `0.5.1`, `v1.2`, `2.x`, `version-1.0`, `v2`. */
const versionFolder = /^(?:v?\d{1,4}(?:\.(?:\d{1,5}|x)){1,3}|version-\d[\w.-]{0,40}|v\d{1,2})$/i

/** A folder `v2` beside a folder `v3` may be the version of an API, which stays in use. */
const majorFolder = /^v\d{1,2}$/i

/** Folders in which each version has its own text, so that no version replaces another. */
const newsFolder = /change|release|news|notes|migrat|upgrad|blog/i

/** Names of pages that any folder may have. */
const indexPage = /(?:^|\/)_?(?:index|readme)\.\w+$/i

type VersionPath = {
  path: string
  /** The folder that contains the version's folder, with a slash; '' is the top. */
  parent: string
  version: string
  /** The path below the version's folder. */
  rest: string
}

/**
 * The pages of versions that a newer version in the same tree replaces, each with its reason. The
 * older versions in a folder are replaced if half of the pages of one of them also exist in the
 * newest version, which is in its own folder, in the folder above, or in Docusaurus' folder `docs`.
 */
export function replacedVersions(
  paths: readonly string[],
  baseOf: (path: string) => string = () => '',
): Map<string, string> {
  const found = paths.flatMap((path) => versionPath(path, baseOf(path)) ?? [])
  const parents = Map.groupBy(found, ({ parent }) => parent)
  const known = new Set(parents.size === 0 ? [] : paths)
  const replaced = new Map<string, string>()
  for (const [parent, pages] of parents) {
    const versions = Map.groupBy(pages, ({ version }) => version)
    const names = [...versions.keys()].sort((a, b) => newestFirst(parseRelease(a), parseRelease(b)))
    const holds = (folder: string, name: string) => holdsHalf(folder, versions.get(name)!, known)
    const outer = currentFolders(parent).find((folder) => holds(folder, names[0]!))
    const kept = outer ?? parent + names[0]!
    const isApi = (name: string) => outer === undefined && majorFolder.test(name)
    const older = (outer === undefined ? names.slice(1) : names).filter((name) => !isApi(name))
    if (!older.some((name) => holds(kept, name))) continue
    const reason = `an older version than ${kept || 'the top folder'}; --docs-path reads it`
    for (const name of older) for (const { path } of versions.get(name)!) replaced.set(path, reason)
  }
  return replaced
}

/**
 * The folders that may contain the current version of the versions in a folder, most likely first.
 */
function currentFolders(parent: string): string[] {
  const [, above, name = 'docs'] = /^(.*?)(?:([\w-]+)_)?versioned_docs\/$/.exec(parent) ?? []
  const beside = above === undefined ? [] : [above + name, name]
  const named = ['current', 'latest', 'stable'].map((folder) => parent + folder)
  return [...beside, ...named, parent.replace(/\/$/, '')]
}

/** Whether a folder contains at least half of the pages of a version. */
function holdsHalf(
  folder: string,
  version: readonly VersionPath[],
  known: ReadonlySet<string>,
): boolean {
  const start = folder === '' ? '' : `${folder}/`
  const pages = version.filter(({ rest }) => !indexPage.test(rest))
  const nHeld = pages.filter(({ rest }) => known.has(start + rest)).length
  return nHeld > 0 && 2 * nHeld >= pages.length
}

/** The outermost version folder in a path below `base`, the folder that the user named. */
function versionPath(path: string, base: string): VersionPath | null {
  const parts = path.split('/')
  const from = base === '' ? 0 : base.split('/').length
  const at = parts.findIndex(
    (part, i) => i >= from && i < parts.length - 1 && versionFolder.test(part),
  )
  const above = parts.slice(0, Math.max(at, 0))
  if (at < 0 || above.some((part) => newsFolder.test(part))) return null
  const parent = above.map((part) => `${part}/`).join('')
  return { path, parent, version: parts[at]!, rest: parts.slice(at + 1).join('/') }
}
