import { OgError } from '../../platform/error.ts'
import { parseGlob } from '../../platform/text/glob.ts'

export type DocsPath = {
  text: string
  /** The selection rules apply below this folder, which the user named. */
  base: string
  matches(path: string): boolean
}

/**
 * Returns a docs path as stored: `/`-separated, without slashes at its ends. `''` selects
 * everything.
 * @throws OgError if the path leaves the repository
 */
export function cleanDocsPath(text: string): string {
  const slashed = process.platform === 'win32' ? text.replaceAll('\\', '/') : text
  const parts = slashed.split('/').filter((part) => part !== '' && part !== '.')
  if (parts.includes('..') || text.includes('\0')) {
    const quote = JSON.stringify(text)
    throw new OgError(`Cannot use ${quote} as a docs path: it leaves the repository`, {
      hint: 'give a folder, file or glob relative to the root of the repository',
    })
  }
  return parts.join('/')
}

/**
 * Parses a stored docs path. It is a folder or file if `paths` contain one with that name (such as
 * `[id]`), otherwise a glob.
 */
export function parseDocsPath(text: string, paths: string[]): DocsPath {
  const path = cleanDocsPath(text)
  if (path === '') return { text, base: '', matches: () => true }
  const literal = (other: string) => other === path || other.startsWith(`${path}/`)
  const { base, isGlob, matches: holds } = parseGlob(path)
  if (!isGlob || paths.some(literal)) return { text, base: path, matches: literal }
  return { text, base, matches: holds }
}
