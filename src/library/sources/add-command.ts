import { shellWord } from '../../platform/text/shell-word.ts'
import { isOnDisk } from '../../source/git/repository-url.ts'
import { looksLikeFileUrl } from '../../source/detect.ts'
import {
  isVersion,
  packageLibrary,
  parsePackage,
  splitVersion,
} from '../../version/package-name.ts'
import { displaySource, type SitemapFilter, type Source } from '../../store/source.ts'
import type { Entry } from '../../store/registry.ts'
import { isAutomaticLabel, type VersionLabel } from '../../version/version.ts'
import { OgError } from '../../platform/error.ts'
import { looksLikeSource } from '../../source/source-name.ts'

type Named = Pick<Entry, 'library' | 'version'> & { live: Omit<VersionLabel, 'version'> }

/**
 * Returns the command that rebuilds a library version from its source. For a package, the command
 * has the package name because its archive's URL belongs to one version.
 */
export function addCommand(entry: Named): string {
  const source = entry.live.source
  if (source.package !== undefined) return packageCommand(entry, source.package)
  return sourceCommand(entry)
}

/** Returns the command that rebuilds a library version from its recorded URL or path. */
export function sourceCommand(entry: Named): string {
  const source = entry.live.source
  if (source.kind === 'raw_pages') {
    return ['og', 'embed', entry.library, '-v', entry.version].map(shellWord).join(' ')
  }
  const { version } = entry
  const isImplied =
    isAutomaticLabel({ ...entry.live, version }) ||
    (version === 'latest' && source.kind !== 'local_path')
  const words = ['og', 'add', entry.library]
  words.push('-s', displaySource(source))
  if (!isImplied) words.push('-v', entry.version)
  if (source.kind === 'site') words.push('--follow-links')
  if (source.kind === 'web_page' && !looksLikeFileUrl(new URL(source.url)))
    words.push('--only-page')
  words.push(...docsPathWords(source))
  if ('baseUrl' in source && source.baseUrl) words.push('--base-url', source.baseUrl)
  if ('filterKeywords' in source) words.push(...filterWords(source))
  else if ('languages' in source) words.push(...languageWords(source))
  return words.map(shellWord).join(' ')
}

/**
 * Returns the command for another version of a library from a package or repository. Returns null
 * for a folder, a site or an archive, which have no versions.
 */
export function otherVersionCommand(entry: Named): string | null {
  const { kind, package: name } = entry.live.source
  return kind === 'git_repo' || name !== undefined ? addCommand(entry) : null
}

function packageCommand({ library, version }: Named, place: string): string {
  const parts = parsePackage(place)!
  const isNewest = version === 'latest' || !isVersion(version)
  const words = ['og', 'add', isNewest ? place : `${place}@${version}`]
  if (packageLibrary(parts) !== library) words.push('--as', library)
  return words.map(shellWord).join(' ')
}

/** Without a path, og chooses a folder of a remote repository. `/` means the whole repository. */
function docsPathWords(source: Source): string[] {
  if (!('docsPaths' in source)) return []
  const { docsPaths = [] } = source
  const isChosen = source.kind === 'git_repo' && !isOnDisk(source.url)
  const paths = docsPaths.length === 0 && isChosen ? ['/'] : docsPaths
  return paths.flatMap((path) => ['-d', path || '/'])
}

function filterWords(filter: SitemapFilter): string[] {
  return [
    ...filter.filterKeywords.flatMap((word) => ['-f', word]),
    ...filter.exclude.flatMap((word) => ['--exclude', word]),
    ...languageWords(filter),
    ...(filter.trimQueryParams ? ['--trim-query-params'] : []),
    ...(filter.below === undefined ? [] : ['--below', filter.below]),
  ]
}

function languageWords({ languages = [] }: { languages?: string[] }): string[] {
  return languages.flatMap((language) => ['--language', language])
}

export function replaceCommand(entry: Named): string {
  const remove = ['og', 'remove', entry.library, '-v', entry.version, '-y'].map(shellWord).join(' ')
  return `${remove} && ${addCommand(entry)}`
}

/** `source` is blank or undefined if the library must be in a list of sources. */
type Typed = { library: string; source: string | undefined }

/** Splits library and version as `og add` does. A URL may itself contain an "@". */
export function parseNameToAdd({ library, source, version }: Typed & { version: string | null }): {
  library: string
  version: string | null
} {
  const typedName = { library, version }
  return source || !looksLikeSource(library) ? splitVersion(typedName) : typedName
}

/** The libraries, and the names with a known source, that a team key may see. */
type KeyView = { canSee(library: string): boolean; knownSources(): Promise<string[]> }

/**
 * Checks a name before a job starts, because a job's error for an unknown name lists all sources.
 * @throws OgError if the caller must not add the library, or must name a source
 */
export async function checkMayAdd(
  { canSee, knownSources }: KeyView,
  { library, source }: Typed,
): Promise<void> {
  checkVisible(canSee, { library, command: 'add' })
  const isSame = (name: string) => name.toLowerCase() === library.toLowerCase()
  if (source || (await knownSources()).some(isSame)) return
  throw new OgError(`Cannot add "${library}": og knows no source with that name`, {
    hint: 'name one as source',
  })
}

/** @throws OgError if the caller must not see the library */
export function checkVisible(
  canSee: KeyView['canSee'],
  { library, command }: { library: string; command: string },
): void {
  if (canSee(splitVersion({ library, version: null }).library)) return
  throw new OgError(`Cannot ${command} "${library}": this key may not have it`, { code: 'denied' })
}
