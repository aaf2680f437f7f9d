import { basename } from 'node:path'
import { printableUrl } from '../../platform/web/http.ts'
import { isOnDisk, withoutCredentials } from '../../source/git/repository-url.ts'
import type { Source } from '../../store/source.ts'

/** Returns the source without passwords, and with only the last part of a local path. */
export function publicSource(source: Source): Source {
  if ('path' in source) return { ...source, path: basename(source.path) }
  if (isOnDisk(source.url)) return { ...source, url: basename(source.url.replace(/\/+$/, '')) }
  const url = source.kind === 'git_repo' ? withoutCredentials(source.url) : printableUrl(source.url)
  const { apiArchive, relatives, registry } = source
  return {
    ...source,
    url,
    ...(apiArchive && { apiArchive: printableUrl(apiArchive) }),
    ...(registry && { registry: printableUrl(registry) }),
    ...(relatives && { relatives: relatives.map((one) => printableUrl(one)) }),
  }
}

/** True if the source's notes on its pages are useful on other machines. */
export function hasPortableNotes(source: Source): boolean {
  return !('path' in source) && !(source.kind === 'archive' && isOnDisk(source.url))
}

/** True if a pack or registry is on the web. */
export function isRemoteAddress(place: string): boolean {
  return /^https?:/i.test(place)
}
