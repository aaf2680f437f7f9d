import { lstatSync, readFileSync, readlinkSync, type Stats } from 'node:fs'
import { isAbsolute, join, parse, resolve, sep } from 'node:path'

/**
 * Returns the reason why another user could change the content of the folder at `path`: that user
 * owns the folder, may write to it, or may replace it. Returns null if only this user and root
 * could. If the path does not exist yet, the folders above it decide. Follows every symbolic link
 * in the path and checks its target too.
 *
 * A parent folder that belongs to root may be writable for everybody because the administrator
 * chose that. A group's right counts as everybody's right because access lists (ACLs) appear as
 * group rights.
 */
export function whyUnsafe(path: string): string | null {
  if (process.platform === 'win32') return null
  const absolute = resolve(path)
  let at = parse(absolute).root
  const rest = parts(absolute)
  for (let links = 0; ; ) {
    const stats = lstatSync(at, { throwIfNoEntry: false })
    if (stats === undefined) return null
    const why = whyUnsafeStep(at, stats, rest.length === 0)
    if (why !== null) return why
    if (stats.isSymbolicLink()) {
      if (++links > 40) return `too many links lead to ${absolute}`
      const target = readlinkSync(at)
      rest.unshift(...parts(target))
      at = isAbsolute(target) ? parse(target).root : join(at, '..')
    } else if (!stats.isDirectory()) {
      // A file in place of the folder is harmless because writing there fails later.
      return null
    }
    const next = rest.shift()
    if (next === undefined) return stats.isSymbolicLink() ? whyUnsafe(at) : null
    at = join(at, next)
  }
}

export function isOnlyWritableByUser({ uid, mode }: Pick<Stats, 'uid' | 'mode'>): boolean {
  return process.platform === 'win32' || ((uid === 0 || uid === user()) && (mode & 0o022) === 0)
}

function whyUnsafeStep(at: string, stats: Stats, isLast: boolean): string | null {
  const { uid, mode } = stats
  if (uid !== 0 && uid !== user() && !(uid === unmappedUser() && !isLast)) {
    return `${at} belongs to user ${uid}`
  }
  if (stats.isSymbolicLink() || (mode & 0o022) === 0) return null
  const isGuarded = (mode & 0o1000) !== 0 || uid !== user()
  return !isLast && isGuarded ? null : `others may write to ${at}`
}

const parts = (path: string) => path.split(sep).filter((part) => part !== '' && part !== '.')
const user = () => process.geteuid?.() ?? 0

/**
 * Returns the user id that Linux reports in a user namespace for files whose owner is not mapped,
 * such as `/` and `/home`. Returns null outside a user namespace.
 */
function unmappedUser(): number | null {
  if (process.platform !== 'linux') return null
  try {
    const overflow = Number(readFileSync('/proc/sys/kernel/overflowuid', 'utf8'))
    const ranges = readFileSync('/proc/self/uid_map', 'utf8').trim().split('\n')
    const isMapped = ranges.some((range) => {
      const [first = 0, , count = 0] = range.trim().split(/\s+/).map(Number)
      return overflow >= first && overflow < first + count
    })
    return isMapped ? null : overflow
  } catch {
    return null
  }
}
