import { programmingLanguageOf } from '../../api/language.ts'
import { formatOf, formats, hasPageExtension } from '../../formats/formats.ts'
import { parentFolder } from '../../sites/site-path.ts'
import { parseDocsPath, type DocsPath } from './docs-path.ts'
import type { SourceEvent } from '../source.ts'
import { pathsInOtherLanguages } from './translations.ts'
import { newestFirst, parseRelease } from '../../version/release.ts'

/** Size limit for a page. A larger file is not documentation written by a person. */
export const sizeLimitBytes = 8 * 2 ** 20

export type Selection = {
  /** Sorted by UTF-16 code units. */
  chosen: string[]
  /** Files excluded by a rule. Files with other extensions are only counted. */
  skipped: { path: string; reason: string }[]
  /** Docs paths that match nothing. */
  missing: string[]
  /** Number of files in unreadable formats, by extension. */
  ignored: Record<string, number>
}

/** Reports the files that a selection excludes. */
export function* leftOutEvents({ skipped, ignored }: Selection): Generator<SourceEvent> {
  for (const file of skipped) yield { type: 'skipped', ...file }
  if (Object.keys(ignored).length > 0) yield { type: 'ignored', extensions: ignored }
}

export const emptySelection: Selection = { chosen: [], skipped: [], missing: [], ignored: {} }

/**
 * Selects the documentation among a source's paths: in the newest version that it contains, and in
 * the wanted languages (by default, without translations). `paths` are all files below the top,
 * `/`-separated. Upstream meant to exclude licences and change logs, but excluded every folder
 * named `build` or `static`, even if it contained the documentation.
 */
export function selectPaths(
  paths: string[],
  docsPaths: string[],
  { languages = [] }: { languages?: string[] } = {},
): Selection {
  const requested = (docsPaths.length > 0 ? docsPaths : ['']).map((text) =>
    parseDocsPath(text, paths),
  )
  // A file that the user named is read, whatever its name suggests.
  const ownPaths = new Set(docsPaths)
  const isMarked = markedMatcher(paths)
  const isCandidate = (path: string) =>
    (isReadable(path) && isMarked(path)) || (ownPaths.has(path) && hasPageExtension(path))
  const candidates = paths.filter(isCandidate).sort()
  const foldersToRead = foldersWithMarkup(candidates)
  const chosen: string[] = []
  const skipped = new Map<string, string>()
  for (const path of candidates) {
    const left = requested
      .filter((want) => want.matches(path))
      .map((want) => exclusion(path, want, foldersToRead))
    const first = left[0]
    if (left.includes(null)) chosen.push(path)
    else if (first && !skipped.has(first.path)) skipped.set(first.path, first.reason)
  }
  const baseOf = (path: string) => requested.find((want) => want.matches(path))?.base ?? ''
  const foreign = pathsInOtherLanguages(chosen, { languages, baseOf })
  const own = chosen.filter((path) => !foreign.has(path))
  const replaced = replacedVersions(own, baseOf)
  const current = own.filter((path) => !replaced.has(path))
  const internal = pagesForDevelopers(current, (path) =>
    ownPaths.has(path) ? '' : path.slice(baseOf(path).length),
  )
  return {
    chosen: current.filter((path) => !internal.has(path)),
    skipped: [...skipped, ...foreign, ...replaced, ...internal].map(([path, reason]) => ({
      path,
      reason,
    })),
    missing: requested.filter((want) => !paths.some(want.matches)).map((want) => want.text),
    ignored: extensionsOf(paths, (path) => {
      return !isCandidate(path) && requested.some((want) => want.matches(path))
    }),
  }
}

/** Pages for people and agents who develop the project. */
const forDevelopers = new RegExp(
  String.raw`(?:^|/)(?:(?:AGENTS?|CLAUDE|GEMINI|copilot-instructions)(?:\.local)?\.mdx?` +
    String.raw`|(?:CONTRIBUTING|CODE_OF_CONDUCT|DEVELOPMENT|GOVERNANCE|MAINTAINERS)\.\w+` +
    String.raw`|RELEASING\.\w+|design\.md|(?:_?internals?|adrs?|design[-_](?:docs|notes))/.*)$`,
)

/**
 * Returns the pages for the project's developers with the reason, or none if there are no other
 * pages. `below` returns the part of a path below the requested folder.
 */
function pagesForDevelopers(
  paths: readonly string[],
  below: (path: string) => string,
): Map<string, string> {
  const hits = paths.filter((path) => forDevelopers.test(below(path)))
  if (hits.length === paths.length) return new Map()
  const reason = 'for developers of the project, not for its users; --docs-path reads it'
  return new Map(hits.map((path) => [path, reason]))
}

/**
 * Counts, by extension, the paths that `isIgnored` matches, without source code and without hidden
 * or excluded folders.
 */
function extensionsOf(
  paths: readonly string[],
  isIgnored: (path: string) => boolean,
): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const path of paths) {
    const extension = /[^/](\.[a-z\d]{1,10})$/i.exec(path)?.[1]?.toLowerCase()
    if (extension === undefined || programmingLanguageOf(path) !== null || !isIgnored(path))
      continue
    if (path.split('/').some(isExcludedFolder)) continue
    counts[extension] = (counts[extension] ?? 0) + 1
  }
  return counts
}

export function isReadable(path: string): boolean {
  return formatOf(path) !== null
}

/** Returns a test for files that have the marker required by their format. */
function markedMatcher(paths: readonly string[]): (path: string) => boolean {
  const folders = new Map<RegExp, Set<string>>()
  const foldersWith = (marker: RegExp) =>
    folders.getOrInsertComputed(
      marker,
      () => new Set(paths.filter((it) => marker.test(it)).map(parentFolder)),
    )
  return (path) => {
    const marked = formats[formatOf(path)!].marked
    if (!marked?.extensions.some((extension) => path.toLowerCase().endsWith(extension))) return true
    const holding = foldersWith(marked.marker)
    for (let at = parentFolder(path); ; at = parentFolder(at)) {
      if (holding.has(at)) return true
      if (at === '') return false
    }
  }
}

export function isExcludedFolder(name: string): boolean {
  return name.startsWith('.') || name === 'node_modules' || name === '__pycache__'
}

export function tooLargeReason(sizeBytes: number): string | null {
  if (sizeBytes <= sizeLimitBytes) return null
  const mb = Math.ceil((sizeBytes / 2 ** 20) * 10) / 10
  return `file is ${mb} MB, limit is ${sizeLimitBytes / 2 ** 20} MB`
}

const doubtfulFolders = new Set(['images', 'img', 'assets', 'static', '_build', 'build', 'dist'])

/** Returns the folder or file excluded by a rule and the rule, or null if the file is read. */
function exclusion(path: string, { base }: DocsPath, foldersToRead: Set<string>) {
  if (path === base) return null
  const parts = path.split('/')
  for (let at = base === '' ? 0 : base.split('/').length; at < parts.length - 1; at++) {
    const folder = parts.slice(0, at + 1).join('/')
    const isPart = /\.docc(?:\/.*)?\/_?Resources$/.test(folder)
    const reason = isPart
      ? 'parts of other pages (DocC)'
      : folderRule(parts[at]!, foldersToRead.has(folder))
    if (reason) return { path: `${folder}/`, reason }
  }
  const reason = fileRule(parts.at(-1)!)
  return reason ? { path, reason } : null
}

function folderRule(name: string, holdsMarkup: boolean): string | null {
  if (name.startsWith('.')) return 'hidden folder'
  if (isExcludedFolder(name)) return `of folders named ${name}, which are not read`
  if (!doubtfulFolders.has(name) || holdsMarkup) return null
  return `of folders named ${name}, which are read only if they contain ${markupFiles()}`
}

function fileRule(name: string): string | null {
  if (name.startsWith('.')) return 'hidden file'
  return rules.some((rule) => rule.test(name)) ? 'not documentation, by its name' : null
}

/** `license.md` and `LICENSE-MIT.txt` are licences, but `license-checker.md` is a page. */
const rules = [
  /^(licen[sc]e|changelog|authors)\.[^.]+$/i,
  /^(LICEN[SC]E|CHANGELOG|AUTHORS)([-_. ].*)?$/,
  /^requirements.*\.txt$/i,
  /^(cmakelists|robots|(sha\d+|check)sums?)\.txt$/i,
]

/** Returns the ambiguous folders that contain readable markup at any depth. */
function foldersWithMarkup(candidates: string[]): Set<string> {
  const holding = new Set<string>()
  for (const path of candidates) {
    const parts = path.split('/')
    const name = parts.pop()!
    if (!isMarkup(name) || fileRule(name)) continue
    for (let at = parts.length - 1; at >= 0 && !isExcludedFolder(parts[at]!); at--) {
      if (doubtfulFolders.has(parts[at]!)) holding.add(parts.slice(0, at + 1).join('/'))
    }
  }
  return holding
}

/** True if a file's format is used almost only for documentation. */
function isMarkup(name: string): boolean {
  const format = formatOf(name)
  return format !== null && formats[format].isOften !== 'other-data'
}

/** A function, because loading Intl's data with the module would take 1.5 ms. */
const markupFiles = () =>
  new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(
    Object.values(formats)
      .map(({ extensions }) => extensions[0]!)
      .filter(isMarkup),
  )

/** Matches version folders: `0.5.1`, `v1.2`, `2.x`, `version-1.0`, `v2`. */
const versionFolder = /^(?:v?\d{1,4}(?:\.(?:\d{1,5}|x)){1,3}|version-\d[\w.-]{0,40}|v\d{1,2})$/i

/** A folder `v2` next to a folder `v3` may be an API version that stays in use. */
const majorFolder = /^v\d{1,2}$/i

/** Folders in which each version has its own text, so no version replaces an earlier one. */
const newsFolder = /change|release|news|notes|migrat|upgrad|blog/i

/** Matches pages that any folder may have. */
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
 * Returns the pages of versions that a newer version in the same tree replaces, each with its
 * reason. A folder's older versions are replaced if half of the pages in one of them also exist in
 * the newest version. The newest version is in its own folder, in the folder above, or in
 * Docusaurus' folder `docs`.
 */
export function replacedVersions(
  paths: readonly string[],
  baseOf: (path: string) => string = () => '',
): Map<string, string> {
  const versionPaths = paths.flatMap((path) => versionPath(path, baseOf(path)) ?? [])
  const parents = Map.groupBy(versionPaths, ({ parent }) => parent)
  const all = new Set(parents.size === 0 ? [] : paths)
  const replaced = new Map<string, string>()
  for (const [parent, pages] of parents) {
    const versions = Map.groupBy(pages, ({ version }) => version)
    const names = [...versions.keys()].sort((a, b) => newestFirst(parseRelease(a), parseRelease(b)))
    const holds = (folder: string, name: string) => holdsHalf(folder, versions.get(name)!, all)
    const outer = currentFolders(parent).find((folder) => holds(folder, names[0]!))
    const newest = outer ?? parent + names[0]!
    const isApi = (name: string) => outer === undefined && majorFolder.test(name)
    const older = (outer === undefined ? names.slice(1) : names).filter((name) => !isApi(name))
    if (!older.some((name) => holds(newest, name))) continue
    const reason = `an older version than ${newest || 'the top folder'}; --docs-path reads it`
    for (const name of older) for (const { path } of versions.get(name)!) replaced.set(path, reason)
  }
  return replaced
}

/** Returns the folders that may contain the current version, most likely first. */
function currentFolders(parent: string): string[] {
  const [, above, name = 'docs'] = /^(.*?)(?:([\w-]+)_)?versioned_docs\/$/.exec(parent) ?? []
  const beside = above === undefined ? [] : [above + name, name]
  const aliases = ['current', 'latest', 'stable'].map((folder) => parent + folder)
  return [...beside, ...aliases, parent.replace(/\/$/, '')]
}

/** True if a folder contains at least half of a version's pages. */
function holdsHalf(
  folder: string,
  version: readonly VersionPath[],
  all: ReadonlySet<string>,
): boolean {
  const start = folder === '' ? '' : `${folder}/`
  const pages = version.filter(({ rest }) => !indexPage.test(rest))
  const nHeld = pages.filter(({ rest }) => all.has(start + rest)).length
  return nHeld > 0 && 2 * nHeld >= pages.length
}

/** Returns the outermost version folder in a path below `base`, the user's folder. */
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
