import { distance } from '../platform/text/nearest.ts'
import { OgError } from '../platform/error.ts'
import { newestFirst, parseRelease, type Release, parseRange } from './release.ts'

/** A tag or branch as spelled in the repository. A tag's `commit` is its target. */
export type Ref = { name: string; kind: 'tag' | 'branch'; commit: string }

/**
 * Returns the first existing ref for a version, in this order: the name itself; the name with or
 * without `v`; a package's tag (`name@1.2.3`, `name-1.2.3`, `name/v1.2.3`); the newest release that
 * starts with the version (`0.115` is the newest 0.115.x) or is in the range (`^18`, `>=2 <3`,
 * `18.x`). Pre-releases count only if nothing else matches. Tags precede branches.
 * @throws OgError if tags of several packages match and none of these is called `repository`
 */
export function matchRef(refs: Ref[], requested: string, repository: string): Ref | null {
  return (
    exactRef(refs, requested) ??
    exactRef(refs, toggleV(requested)) ??
    releaseRef(refs, requested, repository)
  )
}

/** Returns the tag with exactly this name, or the branch if there is no such tag. */
export function exactRef(refs: Ref[], name: string): Ref | null {
  return (
    refs.find((ref) => ref.name === name && ref.kind === 'tag') ??
    refs.find((ref) => ref.name === name) ??
    null
  )
}

/** Returns the names of the `limit` most similar refs, newest first if equally similar. */
export function nearestRefs(refs: Ref[], requested: string, limit: number): string[] {
  const bare = (name: string) =>
    name
      .slice(0, maxCompared)
      .toLowerCase()
      .replace(/^v(?=\d)/, '')
  const far = new Map(refs.map(({ name }) => [name, distance(bare(name), bare(requested))]))
  return [...far.keys()]
    .sort((a, b) => far.get(a)! - far.get(b)! || newestFirst(parseRelease(a), parseRelease(b)))
    .slice(0, limit)
}

type TaggedRef = { ref: Ref; release: Release }

function releaseRef(refs: Ref[], requested: string, repository: string): Ref | null {
  const taggedRefs = refs
    .filter((ref) => ref.kind === 'tag')
    .flatMap((ref) => {
      const release = parseRelease(ref.name)
      return release ? [{ ref, release }] : []
    })
  const { name, matches } = matchingReleases(requested, taggedRefs)
  const best = newestOfEach(matches)
  if (name !== '') return best.get(name)?.ref ?? null
  return best.get('')?.ref ?? best.get(repository)?.ref ?? onlyOne([...best.values()], requested)
}

function matchingReleases(
  requested: string,
  tagged: TaggedRef[],
): { name: string; matches: TaggedRef[] } {
  const range = parseRange(requested)
  if (range !== null) {
    const { name, allows } = range
    const mine = tagged.filter(({ release }) => name === '' || release.name === name)
    const stable = mine.filter(({ release }) => allows(release))
    const withPre = () => mine.filter(({ release }) => allows(release, { withPre: true }))
    return { name, matches: stable.length > 0 ? stable : withPre() }
  }
  const start = parseRelease(requested)
  if (start === null) return { name: '', matches: [] }
  return { name: start.name, matches: tagged.filter(({ release }) => begins(release, start)) }
}

/**
 * True if a release starts with the other's numbers. Three or more numbers identify one release, so
 * only a repackaging with the same numbers matches.
 */
function begins(release: Release, start: Release): boolean {
  const same = start.numbers.every((number, at) => release.numbers[at] === number)
  if (!same || (start.name !== '' && start.name !== release.name)) return false
  return start.numbers.length >= 3 || start.pre !== '' ? release.pre === start.pre : true
}

function newestOfEach(tagged: TaggedRef[]): Map<string, TaggedRef> {
  const best = new Map<string, TaggedRef>()
  for (const one of tagged) {
    const other = best.get(one.release.name)
    if (!other || newestFirst(one.release, other.release) < 0) best.set(one.release.name, one)
  }
  return best
}

function onlyOne(best: TaggedRef[], requested: string): Ref | null {
  const names = best.map(({ ref }) => ref.name).sort()
  if (new Set(best.map(({ ref }) => ref.commit)).size > 1) {
    throw new OgError(`Cannot tell which version "${requested}" is: several packages have one`, {
      hint: `choose one of ${names.slice(0, 5).join(', ')}`,
    })
  }
  return best.find(({ ref }) => ref.name === names[0])?.ref ?? null
}

function toggleV(version: string): string {
  return /^v\d/i.test(version) ? version.slice(1) : `v${version}`
}

const maxCompared = 50
