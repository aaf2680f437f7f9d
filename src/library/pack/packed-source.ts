import { basename } from 'node:path'
import { printableUrl } from '../../platform/web/http.ts'
import { isOnDisk, withoutCredentials } from '../../source/git/repository-url.ts'
import type { Source } from '../../store/source.ts'

/**
 * The source as a pack tells it to strangers: without passwords, and of what is on this disk only
 * its last name.
 */
export function packedSource(source: Source): Source {
  if ('path' in source) return { ...source, path: basename(source.path) }
  if (isOnDisk(source.url)) return { ...source, url: basename(source.url.replace(/\/+$/, '')) }
  const url = source.kind === 'git_repo' ? withoutCredentials(source.url) : printableUrl(source.url)
  const { apiArchive } = source
  return { ...source, url, ...(apiArchive && { apiArchive: printableUrl(apiArchive) }) }
}

/** Whether its notes on pages mean something elsewhere: those of files are of this disk. */
export function hasPortableNotes(source: Source): boolean {
  return !('path' in source) && !(source.kind === 'archive' && isOnDisk(source.url))
}
