import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { OgError } from '../platform/error.ts'
import { beginsWithForge, repositoryOf } from './git/address.ts'
import { cleanDocsPath } from './select/docs-path.ts'
import { folderAddress, forgeOf, isScpForm } from './page-address.ts'
import { packageKey, parsePackage, type PackageName } from '../version/package-name.ts'
import { checkRepositoryUrl } from './git/repository-url.ts'
import { hasPageExtension, pageExtensions } from '../formats/formats.ts'
import type { SitemapFilter, Source } from '../store/source.ts'

type Detected = {
  source: Source
  /** The part of the URL after `/tree/`, not yet split into ref and path, or null. */
  ref: string | null
}

export type DetectOptions = {
  docsPaths: string[]
  baseUrl?: string | null
  /** Filters for a site's pages. `languages` also applies to folders, archives and repositories. */
  filter?: Partial<SitemapFilter>
  cwd: string
  home: string
}

/**
 * Detects the source from the user's input. A package has its registry as a prefix, as in
 * `npm:zod`. Paths become absolute. A path is a git source if it is a bundle or a bare repository,
 * or starts with `file://`. Any other folder or file is local. The end of a web URL's path shows
 * whether it is an archive, an llms.txt or a sitemap. A URL that names a file or has a query is a
 * single page, and any other is a site.
 * @throws OgError if the input is not a source, does not exist, or could run a command
 */
export function detectSource(input: string, options: DetectOptions): Detected {
  if (input === '' || input.includes('\0')) throw refusal(input, 'it names nothing')
  if (input.startsWith('-')) {
    throw refusal(input, 'it looks like an option', `write ./${input} for a folder of that name`)
  }
  const packageName = parsePackage(input)
  if (packageName !== null) return detectPackage(packageName, options)
  if (/^[a-z0-9+.-]+::/i.test(input)) checkRepositoryUrl(input)
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(input)) return detectUrl(input, options)
  const path = resolveInputPath(input, options)
  if (existsSync(path)) return detectPath(path, options)
  if (/^([/~]|\.\.?([/\\]|$))/.test(input)) throw missingError(input)
  if (beginsWithForge(input)) return detectUrl(`https://${input}`, options)
  if (isScpForm(input)) return repository(input, null, options)
  throw missingError(input)
}

function detectPackage(packageName: PackageName, { baseUrl }: DetectOptions): Detected {
  const url = packageKey(packageName)
  if (baseUrl) throw refusal(url, '--base-url is for folders, and this is a package')
  const { version } = packageName
  return { source: { kind: 'package', url, ...(version === null ? {} : { version }) }, ref: null }
}

export function resolveInputPath(
  input: string,
  { cwd, home }: Pick<DetectOptions, 'cwd' | 'home'>,
): string {
  if (input === '~') return home
  return /^~[/\\]/.test(input) ? join(home, input.slice(2)) : resolve(cwd, input)
}

function detectUrl(input: string, options: DetectOptions): Detected {
  checkRepositoryUrl(input)
  if (!URL.canParse(input)) throw refusal(input, 'it is not a valid address')
  const address = new URL(input)
  if (address.protocol === 'file:') return detectFileUrl(address, options)
  if (!/^https?:$/.test(address.protocol)) return repository(input, null, options)
  if (archiveName.test(address.pathname)) return archive(address.href, options)
  const place = repositoryOf(address)
  if (place) return repository(place.url, place.refPath, options)
  if (forgeOf(address.hostname) !== null) {
    throw refusal(input, 'it names no repository', 'add .git to the address of a repository')
  }
  return detectWeb(address, options)
}

/** Matches the file names of archives and packages. */
export const archiveName = /\.(?:zip|tar|tgz|tar\.gz|whl|jar|gem|crate|nupkg)$/i

function detectWeb(address: URL, { docsPaths, baseUrl, filter }: DetectOptions): Detected {
  const url = address.href
  if (docsPaths.length > 0) {
    throw refusal(url, '--docs-path is for folders, git repositories and archives')
  }
  if (baseUrl) throw refusal(url, '--base-url is for folders, and this is on the web')
  const listed = {
    url,
    filterKeywords: [],
    exclude: [],
    languages: [],
    trimQueryParams: false,
    ...filter,
  }
  if (/\/llms[^/]*\.txt$/i.test(address.pathname)) {
    return { source: { kind: 'llms_txt', ...listed }, ref: null }
  }
  if (/\.xml(\.gz)?$|sitemap|\/robots\.txt$/i.test(address.pathname)) {
    return { source: { kind: 'sitemap', ...listed }, ref: null }
  }
  if (looksLikeFileUrl(address)) return { source: { kind: 'web_page', url }, ref: null }
  return { source: { kind: 'site', ...below(address), ...listed }, ref: null }
}

export function looksLikeFileUrl({ pathname, search }: URL): boolean {
  const file = pathname.split('/').at(-1)!
  return search !== '' || (/\.[a-z]{1,8}$/i.test(file) && !indexFile.test(file))
}

const indexFile = /^index\.[a-z]+$/i

function below({ pathname }: URL): { below?: string } {
  const path = pathname
    .split('/')
    .map((part) => (indexFile.test(part) ? '' : part))
    .join('/')
  return path === '/' ? {} : { below: path }
}

function archive(url: string, options: DetectOptions): Detected {
  const docsPaths = options.docsPaths.map(cleanDocsPath)
  const base = parseBaseUrl(url, options)
  return {
    source: { kind: 'archive', url, docsPaths, ...base, ...languagesOf(options) },
    ref: null,
  }
}

function languagesOf({ filter }: DetectOptions): { languages?: string[] } {
  return filter?.languages?.length ? { languages: filter.languages } : {}
}

function parseBaseUrl(input: string, { baseUrl }: DetectOptions): { baseUrl?: string } {
  if (baseUrl && !URL.canParse(baseUrl)) {
    throw refusal(input, `--base-url "${baseUrl}" is not an address`)
  }
  return baseUrl ? { baseUrl } : {}
}

function detectFileUrl(address: URL, options: DetectOptions): Detected {
  if (address.hostname !== '' || /%(?![0-9a-f]{2})/i.test(address.pathname)) {
    throw refusal(address.href, 'it is not the address of a path on this disk')
  }
  const path = Bun.fileURLToPath(address)
  if (!existsSync(path)) throw missingError(address.href)
  return repository(isBundle(path) ? path : folderAddress(path), null, options)
}

function detectPath(path: string, options: DetectOptions): Detected {
  if (isBundle(path)) return repository(path, null, options)
  if (isBareRepository(path)) return repository(folderAddress(path), null, options)
  if (archiveName.test(path) && statSync(path).isFile()) return archive(path, options)
  const stats = statSync(path)
  if (!stats.isDirectory() && !stats.isFile())
    throw refusal(path, 'it is neither a file nor a folder')
  if (stats.isFile() && !hasPageExtension(path)) {
    throw refusal(path, `only ${pageExtensions.join(', ')} files and archives are read`)
  }
  const docsPaths = options.docsPaths.map(cleanDocsPath).filter((it) => it !== '')
  if (docsPaths.length > 0 && stats.isFile()) {
    throw refusal(path, '--docs-path is for folders, and this is a file')
  }
  const paths = docsPaths.length > 0 ? { docsPaths } : {}
  const more = { ...paths, ...parseBaseUrl(path, options), ...languagesOf(options) }
  return { source: { kind: 'local_path', path, ...more }, ref: null }
}

function repository(url: string, refPath: string | null, options: DetectOptions): Detected {
  checkRepositoryUrl(url)
  if (options.baseUrl) throw refusal(url, '--base-url is for folders, and this is a git repository')
  const docsPaths = options.docsPaths.map(cleanDocsPath)
  const at = { url, docsPaths, ...(refPath ? { refPath } : {}) }
  return { source: { kind: 'git_repo', ...at, ...languagesOf(options) }, ref: refPath }
}

function isBundle(path: string): boolean {
  if (!statSync(path).isFile()) return false
  const signature = Buffer.alloc(16)
  const file = openSync(path, 'r')
  readSync(file, signature, 0, 16, 0)
  closeSync(file)
  return /^# v[23] git bundle\n/.test(signature.toString('latin1'))
}

/** True if a folder contains the entries that git requires in a repository. */
function isBareRepository(path: string): boolean {
  return ['HEAD', 'objects', 'refs'].every((name) => existsSync(join(path, name)))
}

function missingError(input: string): OgError {
  const isHost = /^[a-z0-9-]+(\.[a-z0-9-]+)*\.[a-z]{2,}(:\d+)?(\/|$)/i.test(input)
  const hint = isHost ? `write https://${input} for an address on the web` : undefined
  return refusal(input, 'no such file or folder', hint)
}

function refusal(input: string, why: string, hint?: string): OgError {
  return new OgError(`Cannot use ${JSON.stringify(input)} as a source: ${why}`, { hint })
}
