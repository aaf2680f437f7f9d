import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { rawFileNames, readRawPage } from '../../source/raw-pages.ts'
import { checkVersionLabel, libraryKey } from '../name.ts'

export type RawVersion = {
  /** The name of the library in its pages, else the name of the folder. */
  library: string
  version: string
  path: string
}

/**
 * Returns the folder of a library version's raw pages, which upstream names `name/version`. Unsafe
 * names are percent-encoded, and so is a `/` in a version.
 */
export function rawFolder(root: string, library: string, version: string): string {
  const parts = libraryKey(library).split('/')
  return join(root, ...parts.map(safeName), safeName(checkVersionLabel(version)))
}

/**
 * Returns every library version with raw pages, ordered by library and version. Also finds versions
 * that contain `/`, for which upstream created nested folders.
 */
export async function listRaw(root: string): Promise<RawVersion[]> {
  const folders = await foldersWithPages(root, [])
  const versions = await Promise.all(folders.map((parts) => rawVersion(root, parts)))
  const byName = new Intl.Collator('en', { numeric: true }).compare
  return versions
    .filter((it) => it !== null)
    .sort((a, b) => byName(a.library, b.library) || byName(a.version, b.version))
}

export async function findRaw(
  root: string,
  query: { library: string; version: string | null },
): Promise<RawVersion[]> {
  const key = libraryKey(query.library)
  const mine = (await listRaw(root)).filter((it) => it.library.toLowerCase() === key)
  return mine.filter((it) => query.version === null || it.version === query.version)
}

/** Deeper folders do not belong to any plausible version. */
const maxDepth = 8

async function foldersWithPages(root: string, parts: string[]): Promise<string[][]> {
  const folder = join(root, ...parts)
  const inside = await readdir(folder, { withFileTypes: true }).catch(() => [])
  const isPage = inside.some((it) => it.isFile() && it.name.endsWith('.json'))
  const own = isPage && parts.length >= 2 ? [parts] : []
  if (parts.length >= maxDepth) return own
  const folders = inside.filter((it) => it.isDirectory() && !it.name.startsWith('.'))
  const nested = folders.map(({ name }) => foldersWithPages(root, [...parts, name]))
  return [...own, ...(await Promise.all(nested)).flat()]
}

async function rawVersion(root: string, parts: string[]): Promise<RawVersion | null> {
  const path = join(root, ...parts)
  const scope = parts[0]!.startsWith('@') && parts.length > 2 ? 2 : 1
  const folder = parts.slice(0, scope).map(plainName).join('/')
  const version = parts.slice(scope).map(plainName).join('/')
  const [first] = await rawFileNames(path)
  const page = first === undefined ? '' : await readRawPage(join(path, first)).catch(() => '')
  const named = typeof page === 'string' ? folder : page.library_name
  const library = named.toLowerCase() === folder.toLowerCase() ? named : folder
  return { library, version, path }
}

function safeName(name: string): string {
  const encoded = name.replace(
    /[%/\\:*?"<>|\u0000-\u001f\u007f]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  )
  return encoded.replace(/^\./, '%2E')
}

function plainName(name: string): string {
  return name.replace(/%([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(parseInt(hex, 16)))
}
