import { lstatSync, readFileSync, readlinkSync, type Stats } from 'node:fs'
import { isAbsolute, join, parse, resolve, sep } from 'node:path'

/**
 * Why others could change what lies in the folder at `path`: somebody else owns it or may write to
 * it, or may put another in its place. Null where only this user and the system can; what is not
 * there yet is judged by the folders above it. Every link on the way is followed, and judged.
 *
 * A folder above that is root's and open to all is its administrator's choice. Group rights count
 * as others: an access list shows in them too.
 */
export function whyUnsafe(path: string): string | null {
  if (process.platform === 'win32') return null
  const whole = resolve(path)
  let at = parse(whole).root
  const rest = parts(whole)
  for (let links = 0; ; ) {
    const stats = lstatSync(at, { throwIfNoEntry: false })
    if (stats === undefined) return null
    const why = whyUnsafeStep(at, stats, rest.length === 0)
    if (why !== null) return why
    if (stats.isSymbolicLink()) {
      if (++links > 40) return `too many links lead to ${whole}`
      const target = readlinkSync(at)
      rest.unshift(...parts(target))
      at = isAbsolute(target) ? parse(target).root : join(at, '..')
    } else if (!stats.isDirectory()) {
      // A file where a folder has to be holds nothing; whoever writes there says so.
      return null
    }
    const next = rest.shift()
    if (next === undefined) return stats.isSymbolicLink() ? whyUnsafe(at) : null
    at = join(at, next)
  }
}

/** Whether nobody but this user and root may change the file or folder itself. */
export function isOwn({ uid, mode }: Pick<Stats, 'uid' | 'mode'>): boolean {
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
 * Whom the system names as owner of what is outside of a user namespace, where `/` and `/home` are
 * his; null outside of one.
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
