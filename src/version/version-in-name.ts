import { OgError } from '../platform/error.ts'

type LibraryVersion = { library: string | null; version: string | null }

/**
 * Splits `fastapi@0.115.0` into library and version; `@scope/ui` is a plain name.
 * @throws OgError if another version is given too, or if several libraries are separated by commas
 */
export function splitVersion<T extends LibraryVersion>(request: T): T {
  const { library, version } = request
  const parts = library?.split(',').map((part) => part.trim()) ?? []
  // A leading `@` starts a scope.
  const nameWithVersion = parts.find((part) => part.lastIndexOf('@') > 0)
  if (nameWithVersion === undefined) return request
  if (parts.length > 1) {
    throw new OgError(`Cannot ask "${library}": of several libraries none can name its version`, {
      hint: 'ask one after the other, or name versions beside them, as -v does',
    })
  }
  const at = nameWithVersion.lastIndexOf('@')
  const own = nameWithVersion.slice(at + 1)
  if (own === '') {
    throw new OgError(`Cannot ask "${nameWithVersion}": no version stands after "@"`, {
      hint: 'write LIBRARY or LIBRARY@VERSION',
    })
  }
  if (version !== null && version !== own) {
    throw new OgError(
      `Cannot ask "${nameWithVersion}" for version "${version}": it names another one`,
      { hint: 'name the version once' },
    )
  }
  return { ...request, library: nameWithVersion.slice(0, at), version: own }
}
