import { lstat, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { messageOf } from '../platform/error.ts'
import { trimEndCharacters } from '../platform/text/trim.ts'
import { encodePath, folderAddress } from './page-address.ts'
import { isExcludedFolder, isReadable } from './select/select.ts'
import type { SourceEvent } from './source.ts'
import { siteConfigsAt } from '../sites/generators.ts'
import { hasPageExtension } from '../formats/formats.ts'

/**
 * Returns the listing that a path such as `src/*.jl` represents: all files with that extension in
 * and below the folder, one per line, or null if there are none. Returns undefined for other paths.
 */
export function listingOf(path: string, files: Iterable<string>): string | null | undefined {
  const [, folder, extension] = /^(.*\/|)\*(\.\w+)$/.exec(path) ?? []
  if (folder === undefined || extension === undefined) return undefined
  const listed: string[] = []
  for (const file of files) {
    if (file.startsWith(folder) && file.endsWith(extension)) listed.push(file)
  }
  return listed.length === 0 ? null : listed.sort().join('\n')
}

export function foldersOf(files: Iterable<string>): ReadonlySet<string> {
  const folders = new Set<string>()
  for (const file of files) {
    let end = file.lastIndexOf('/')
    while (end > 0 && !folders.has(file.slice(0, end + 1))) {
      folders.add(file.slice(0, end + 1))
      end = file.lastIndexOf('/', end - 1)
    }
  }
  return folders
}

export async function folderPaths(folder: string): Promise<string[]> {
  return (await listFiles({ folder, baseUrl: folderAddress(folder) })).paths
}

export type FolderBase = { folder: string; baseUrl: string }

/** `paths` are all files, and `configs` are the files that may configure a site. */
export type FolderListing = { paths: string[]; configs: string[]; events: SourceEvent[] }

/** Lists files and links below the folder. Links to folders are reported but not followed. */
export async function listFiles(place: FolderBase): Promise<FolderListing> {
  const listing: FolderListing = { paths: [], configs: [], events: [] }
  const folders = ['']
  for (let at = folders.pop(); at !== undefined; at = folders.pop()) {
    for (const name of await namesIn(at, { place, listing })) {
      const path = at === '' ? name : `${at}/${name}`
      const { kind, reason } = await kindOf(join(place.folder, path), name)
      if (kind === 'folder') folders.push(path)
      if (kind === 'file') listing.paths.push(path)
      if (reason) listing.events.push({ type: 'skipped', path, reason })
      if (siteConfigsAt(path).length > 0) listing.configs.push(path)
      else if (reason && isConfigFolder(name)) {
        listing.configs.push(...(await configsBelow(join(place.folder, path), path)))
      }
    }
  }
  return listing
}

type Kind = { kind?: 'folder' | 'file'; reason?: string }

/**
 * Returns the kind of an entry, or the reason to skip it. An entry without a page extension has
 * neither, unless it is a file.
 */
async function kindOf(path: string, name: string): Promise<Kind> {
  const stats = await lstat(path).catch(() => null)
  if (stats?.isDirectory()) return folderKind(name)
  const target = stats?.isSymbolicLink() ? await stat(path).catch(() => null) : stats
  if (target?.isDirectory()) return { reason: 'symbolic link to a folder' }
  if (!hasPageExtension(name) || (!target && !isReadable(name)))
    return target?.isFile() ? { kind: 'file' } : {}
  if (!target) return { reason: 'symbolic link that cannot be followed' }
  return target.isFile() ? { kind: 'file' } : { reason: 'neither file nor folder' }
}

function folderKind(name: string): Kind {
  if (!isExcludedFolder(name)) return { kind: 'folder' }
  if (name === '.git') return {}
  const isHidden = name.startsWith('.')
  return { reason: isHidden ? 'hidden folder' : `of folders named ${name}, which are not read` }
}

async function namesIn(
  path: string,
  { place, listing }: { place: FolderBase; listing: FolderListing },
): Promise<string[]> {
  const names = readdir(join(place.folder, path)).catch((error: unknown) => {
    const url = addressOf(path, place)
    listing.events.push({ type: 'failed', url, reason: reasonOf(error), isFolder: true })
    return []
  })
  return (await names).sort()
}

export function addressOf(path: string, { baseUrl }: FolderBase): string {
  return `${trimEndCharacters(baseUrl, '/')}/${encodePath(path)}`
}

const reasons = new Map([
  ['EACCES', 'permission denied'],
  ['EPERM', 'permission denied'],
  ['ENOENT', 'no such file'],
])

export function reasonOf(error: unknown): string {
  return reasons.get((error as { code?: string }).code ?? '') ?? messageOf(error)
}

/** True if a hidden folder, such as `.vitepress`, contains a configuration file. */
export function isConfigFolder(name: string): boolean {
  return (
    name.startsWith('.') &&
    ['config.ts', 'config.mts', 'config.js'].some((file) => {
      return siteConfigsAt(`${name}/${file}`).length > 0
    })
  )
}

export async function configsBelow(folder: string, path: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => [])
  const configs = names
    .map((name) => `${path}/${name}`)
    .filter((it) => siteConfigsAt(it).length > 0)
  const files = await Promise.all(
    configs.map(async (it) => {
      const stats = await lstat(join(folder, it.slice(path.length + 1))).catch(() => null)
      return stats?.isFile() ? [it] : []
    }),
  )
  return files.flat()
}
