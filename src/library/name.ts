import { hasControls, OgError } from '../platform/error.ts'

const pattern = /^(?:@[A-Za-z0-9._-]+\/)?[A-Za-z0-9._-]+$/
const maxLength = 100

/**
 * Checks a library's name: 1-100 letters, digits, `.`, `_` and `-`, with an optional `@scope/` in
 * front. Rejects `.` and `..`. Returns a key that does not depend on capitalisation.
 */
export function libraryKey(name: string): string {
  const parts = name.replace(/^@/, '').split('/')
  const isPath = parts.some((part) => part === '.' || part === '..')
  if (name.length > maxLength || !pattern.test(name) || isPath) {
    const quote = JSON.stringify(name.length > 60 ? `${name.slice(0, 60)}…` : name)
    throw new OgError(
      `Cannot use library name ${quote}: names have 1-${maxLength} letters, digits, ` +
        '".", "_" or "-", and may start with "@scope/"',
    )
  }
  return name.toLowerCase()
}

/** Checks a version label: 1-200 characters, none of them a control character. */
export function checkVersionLabel(version: string): string {
  if (version.length === 0 || version.length > 200 || hasControls(version)) {
    throw new OgError(
      `Cannot use version ${JSON.stringify(version.slice(0, 60))}: ` +
        'versions have 1-200 characters and no control characters',
    )
  }
  return version
}
