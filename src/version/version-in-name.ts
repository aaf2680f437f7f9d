import { OgError } from '../platform/error.ts'

type LibraryVersion = { library: string | null; version: string | null }

/**
 * Splits `fastapi@0.115.0` into library and version; `@scope/ui` and `npm:@scope/ui` are plain
 * names.
 * @throws OgError if another version is given too, or if several libraries are separated by commas
 */
export function splitVersion<T extends LibraryVersion>(request: T): T {
  const { library, version } = request
  const parts = library?.split(',').map((part) => part.trim()) ?? []
  const nameWithVersion = parts.find((part) => /[^:]@[^@]*$/.test(part))
  if (nameWithVersion === undefined) return request
  if (parts.length > 1) {
    throw new OgError(`Cannot search "${library}": a list of libraries cannot contain versions`, {
      hint: 'search one after the other, or give the versions with -v',
    })
  }
  const at = nameWithVersion.lastIndexOf('@')
  const own = nameWithVersion.slice(at + 1)
  if (own === '') {
    throw new OgError(`Cannot search "${nameWithVersion}": there is no version after "@"`, {
      hint: 'write LIBRARY or LIBRARY@VERSION',
    })
  }
  if (version !== null && version !== own) {
    throw new OgError(
      `Cannot search "${nameWithVersion}" in version "${version}": it contains another version`,
      { hint: 'give the version once' },
    )
  }
  return { ...request, library: nameWithVersion.slice(0, at), version: own }
}
