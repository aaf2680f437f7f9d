import { mkdir, realpath } from 'node:fs/promises'
import { isAbsolute, join, relative, sep } from 'node:path'
import { messageOf, OgError } from '../../platform/error.ts'
import { editTextFile } from '../../platform/file/edit-file.ts'
import { parseJson } from '../../platform/json.ts'
import { lockExclusive } from '../../platform/lock.ts'
import type { HostLookup } from '../../platform/web/address-rule.ts'
import { readTextFile } from '../../platform/file/read-file.ts'
import { isOnDisk, remoteEndpoint } from '../../source/git/repository-url.ts'
import { displaySource } from '../../store/source.ts'
import type { ListedSource } from './source-list.ts'
import { isAbsolutePath } from '../../source/page-address.ts'

/**
 * Returns why a user must confirm a source in a project's file before it is read, or null.
 * Strangers write the file, so it must not give access to the user's network or disk, or use the
 * user's ssh keys for a host that the user has not seen.
 */
export async function reasonToConfirm(
  source: ListedSource,
  project: string,
  lookup?: HostLookup,
): Promise<string | null> {
  const path = localPath(source)
  if (path !== null) {
    return (await isOutside(path, project)) ? `"${path}" is outside the project` : null
  }
  // The user's settings determine how to fetch a package, and its text is untrusted.
  if (source.kind === 'package') return null
  const url = displaySource(source)
  if (isOnDisk(url)) return `"${url}" is a repository on this disk`
  const place = remoteEndpoint(url)
  return place === null ? `"${url}" names no host` : await privateHost(place.hostname, lookup)
}

/** Returns the folder, file or archive on this disk that a source reads, or null. */
export function localPath(source: ListedSource): string | null {
  if (source.kind === 'local_path') return source.path
  return source.kind === 'archive' && isAbsolutePath(source.url) ? source.url : null
}

/** True if the user trusts all sources of this project. `lists` contains trusted.json. */
export async function isTrusted(lists: string, project: string): Promise<boolean> {
  const real = await realpath(project).catch(() => project)
  return (await trustedFolders(lists)).includes(real)
}

/**
 * Stores or removes the permission to read a project's sources. The permission applies to the
 * folder, even if its file changes.
 * @returns the real path of the folder
 */
export async function trustProject(
  lists: string,
  project: string,
  { revoke = false }: { revoke?: boolean } = {},
): Promise<string> {
  const real = await realpath(project).catch((cause) => {
    throw new OgError(`Cannot trust "${project}": ${messageOf(cause)}`, { cause })
  })
  const what = 'the list of trusted folders'
  await mkdir(lists, { recursive: true })
  using _lock = await lockExclusive(`${trustPath(lists)}.lock`, { timeoutMs: 10_000, what })
  const path = trustPath(lists)
  const plan = (text: string | null) => {
    const others = parseFolders(text, path).filter((folder) => folder !== real)
    const folders = revoke ? others : [...others, real].sort()
    return `${JSON.stringify({ folders }, null, 2)}\n`
  }
  await editTextFile(path, { plan, limitMb: 4 })
  return real
}

function trustPath(lists: string): string {
  return join(lists, 'trusted.json')
}

async function trustedFolders(lists: string): Promise<string[]> {
  const path = trustPath(lists)
  const text = await readTextFile(path, { limitMb: 4 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null
    throw new OgError(`Cannot read "${path}": ${messageOf(error)}`, { cause: error })
  })
  return parseFolders(text, path)
}

function parseFolders(text: string | null, path: string): string[] {
  if (text === null) return []
  try {
    const { folders } = parseJson(text) as { folders?: unknown }
    if (Array.isArray(folders)) return folders.filter((one) => typeof one === 'string')
    throw new Error('it has no list "folders"')
  } catch (cause) {
    throw new OgError(`Cannot read "${path}": ${messageOf(cause)}`, {
      hint: 'correct or delete it, then run og sources trust again',
      cause,
    })
  }
}

export async function isOutside(path: string, project: string): Promise<boolean> {
  const real = (one: string) => realpath(one).catch(() => one)
  const below = relative(await real(project), await real(path))
  return below === '..' || below.startsWith(`..${sep}`) || isAbsolute(below)
}

async function privateHost(host: string, lookup?: HostLookup): Promise<string | null> {
  const name = host
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase()
  const { addressKind, isPrivateName, lookupAll } = await import(
    '../../platform/web/address-rule.ts'
  )
  const { isIP } = await import('node:net')
  const isPublic = (address: string) => addressKind(address) === 'public'
  const reason = `"${name}" is on a private network`
  if (isIP(name) !== 0) return isPublic(name) ? null : reason
  if (isPrivateName(name)) return reason
  // A host that cannot be resolved is unreachable, except through a proxy, which is not in the
  // private network.
  const addresses = await (lookup ?? lookupAll)(name).catch(() => [])
  const inside = addresses.find((address) => !isPublic(address))
  return inside === undefined ? null : `"${name}" (${inside}) is on a private network`
}
