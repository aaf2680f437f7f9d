import picomatch from 'picomatch'
import { OgError } from '../platform/error.ts'

/** What one `--docs-path` asks for. */
export type Wanted = {
  typed: string
  /** Below this folder the rules of selection hold; what it names itself was asked for. */
  base: string
  matches(path: string): boolean
}

/**
 * A docs path as it is stored: `/`-separated, without slashes at its ends; `''` is everything.
 * @throws OgError for one that leaves the repository.
 */
export function cleanDocsPath(typed: string): string {
  const slashed = process.platform === 'win32' ? typed.replaceAll('\\', '/') : typed
  const parts = slashed.split('/').filter((part) => part !== '' && part !== '.')
  if (parts.includes('..') || typed.includes('\0')) {
    const shown = JSON.stringify(typed)
    throw new OgError(`Cannot use ${shown} as a docs path: it leaves the repository`, {
      hint: 'name a folder, file or glob from the top of the repository',
    })
  }
  return parts.join('/')
}

/** A folder or file where `paths` hold one of that name (`[id]` is a fair name), else a glob. */
export function wantedOf(typed: string, paths: string[]): Wanted {
  const path = cleanDocsPath(typed)
  if (path === '') return { typed, base: '', matches: () => true }
  const literal = (other: string) => other === path || other.startsWith(`${path}/`)
  const { base, isGlob } = picomatch.scan(path)
  if (!isGlob || paths.some(literal)) return { typed, base: path, matches: literal }
  const glob = picomatch(path, { dot: true })
  return { typed, base, matches: (other) => prefixes(other).some((prefix) => glob(prefix)) }
}

/** `a`, `a/b` and `a/b/c` of `a/b/c`: a glob that names a folder means all in it. */
function prefixes(path: string): string[] {
  const parts = path.split('/')
  return parts.map((_, at) => parts.slice(0, at + 1).join('/'))
}
