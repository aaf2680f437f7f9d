import semver from 'semver'
import { OgError } from '../platform/error.ts'

/** A tag or branch as the repository spells it; a tag's commit is the one it points at. */
export type Ref = { name: string; kind: 'tag' | 'branch'; commit: string }

/**
 * The ref that a version means, in this order: the name itself, with `v` toggled, the tag of a
 * package (`name@1.2.3`, `name-1.2.3`, `name/v1.2.3`), the newest release that begins so (`0.115`
 * is the newest 0.115.x; a pre-release only where there is no other). Tags go before branches.
 * @throws OgError when the tags of several packages fit; `repository` is then the package meant.
 */
export function matchRef(refs: Ref[], requested: string, repository: string): Ref | null {
  return exactRef(refs, requested) ?? exactRef(refs, toggled(requested)) ??
    releaseRef(refs, requested, repository)
}

/** The tag, else the branch, of exactly this name. */
export function exactRef(refs: Ref[], name: string): Ref | null {
  return refs.find((ref) => ref.name === name && ref.kind === 'tag') ??
    refs.find((ref) => ref.name === name) ?? null
}

/** Names of the `limit` refs that look most like what was asked for; the newest first of equals. */
export function nearestRefs(refs: Ref[], requested: string, limit: number): string[] {
  const bare = (name: string) => name.toLowerCase().replace(/^v(?=\d)/, '')
  const far = new Map(refs.map(({ name }) => [name, distance(bare(name), bare(requested))]))
  return [...far.keys()]
    .sort((a, b) => far.get(a)! - far.get(b)! || newestFirst(releaseOf(a), releaseOf(b)))
    .slice(0, limit)
}

/** `@scope/ui@1.2.0-rc.1`: package `@scope/ui`, numbers [1, 2, 0], pre-release `rc.1`. */
export type Release = { name: string; numbers: number[]; pre: string; post: string }

const releaseShape = /^(?:(?!v?\d)(.+?)[@/_-])?v?(\d+(?:\.\d+)*)(.*)$/i

/** null: a name without a number, as of most branches. */
export function releaseOf(tag: string): Release | null {
  const [whole, name, numbers, rest] = releaseShape.exec(tag) ?? []
  if (whole === undefined) return null
  const isPost = /^(\+|[.-]?(post|final|release))/i.test(rest!)
  return {
    name: name ?? '',
    numbers: numbers!.split('.').map(Number),
    pre: isPost ? '' : rest!.replace(/^[-._]/, '').toLowerCase(),
    post: isPost ? rest! : '',
  }
}

type Tagged = { ref: Ref; release: Release }

function releaseRef(refs: Ref[], requested: string, repository: string): Ref | null {
  const asked = releaseOf(requested.replace(/\.[x*]$/, ''))
  if (asked === null) return null
  const tagged = refs.filter((ref) => ref.kind === 'tag').flatMap((ref) => {
    const release = releaseOf(ref.name)
    return release && begins(release, asked) ? [{ ref, release }] : []
  })
  const best = newestOfEach(tagged)
  if (asked.name !== '') return best.get(asked.name)?.ref ?? null
  return best.get('')?.ref ?? best.get(repository)?.ref ?? onlyOne([...best.values()], requested)
}

/** Three numbers or more name one release, so only its repackagings may stand in for it. */
function begins(release: Release, asked: Release): boolean {
  const same = asked.numbers.every((number, at) => release.numbers[at] === number)
  if (!same || (asked.name !== '' && asked.name !== release.name)) return false
  return asked.numbers.length >= 3 || asked.pre !== '' ? release.pre === asked.pre : true
}

function newestOfEach(tagged: Tagged[]): Map<string, Tagged> {
  const best = new Map<string, Tagged>()
  for (const one of tagged) {
    const other = best.get(one.release.name)
    if (!other || newestFirst(one.release, other.release) < 0) best.set(one.release.name, one)
  }
  return best
}

function onlyOne(best: Tagged[], requested: string): Ref | null {
  const names = best.map(({ ref }) => ref.name).sort()
  if (new Set(best.map(({ ref }) => ref.commit)).size > 1) {
    throw new OgError(`Cannot tell which version "${requested}" is: several packages have one`, {
      hint: `name one of ${names.slice(0, 5).join(', ')}`,
    })
  }
  return best.find(({ ref }) => ref.name === names[0])?.ref ?? null
}

/** Stable before pre-release, then by numbers; what is no release comes last. */
export function newestFirst(a: Release | null, b: Release | null): number {
  if (!a || !b) return Number(a === null) - Number(b === null)
  if ((a.pre === '') !== (b.pre === '')) return a.pre === '' ? -1 : 1
  for (let at = 0; at < Math.max(a.numbers.length, b.numbers.length); at++) {
    const difference = (b.numbers[at] ?? 0) - (a.numbers[at] ?? 0)
    if (difference !== 0) return difference
  }
  return comparePre(b.pre, a.pre) || b.post.localeCompare(a.post)
}

/** `rc1` and `rc.1` alike, so that rc10 is newer than rc9. */
function comparePre(a: string, b: string): number {
  const spelt = (pre: string) =>
    semver.parse(`0.0.0-${pre.replace(/([a-z])(?=\d)/g, '$1.').replace(/[^a-z0-9.-]+/g, '-')}`)
  const [left, right] = [spelt(a), spelt(b)]
  return left && right ? left.compare(right) : a.localeCompare(b)
}

function toggled(version: string): string {
  return /^v\d/i.test(version) ? version.slice(1) : `v${version}`
}

/** Levenshtein's: how many characters to insert, delete or replace. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = row[j - 1]! + Number(a[i - 1] !== b[j - 1])
      next.push(Math.min(replaced, row[j]! + 1, next[j - 1]! + 1))
    }
    row = next
  }
  return row[b.length]!
}
