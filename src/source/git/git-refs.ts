import { OgError } from '../../platform/error.ts'
import { trimEndCharacters } from '../../platform/text/trim.ts'
import { openGit, type GitOptions } from './git-command.ts'
import { exactRef, matchRef, nearestRefs, type Ref } from '../../version/ref-match.ts'
import { newestVersionsFirst } from '../../version/version.ts'
import { withoutCredentials } from './repository-url.ts'
import type { RefKind } from '../source.ts'

/** A version, resolved to a ref or commit of the repository. */
type GitRef = {
  version: string
  ref: string
  refKind: RefKind
  /** The full hexadecimal id. For an annotated tag, the commit to which it points. */
  commit: string
  /** The tag of that commit if `ref` is not a tag, or null. */
  tag: string | null
  defaultBranch: string | null
  /** The path after the ref in a web URL, or null. */
  docsPath: string | null
}

/**
 * Resolves a version to a ref of a repository. A missing version or `latest` is the head of the
 * default branch. `refPath` is REF or REF/PATH in a web URL. The longest matching ref wins.
 * @throws OgError if the repository cannot be read, or has no such ref (with the nearest ones)
 */
export async function resolveGit(
  url: string,
  requested: string | null,
  options: GitOptions & { refPath?: string | null } = {},
): Promise<GitRef> {
  await using git = await openGit(url, options)
  const remote = parseRefs(await git.run(['ls-remote', '--symref', 'origin']))
  const refFromUrl = options.refPath ? splitRefPath(remote, options.refPath, url) : null
  const docsPath = refFromUrl?.docsPath ?? null
  const version = requested === options.refPath ? null : requested
  if (version === null && refFromUrl) return { ...refFromUrl.ref, docsPath }
  if (version === null || version === 'latest' || version === 'HEAD') {
    return {
      ...resolvedRef(remote, remote.head ?? throwNoDefaultBranch(url)),
      version: 'latest',
      docsPath,
    }
  }
  const match = matchRef(remote.refs, version, repositoryName(url)) ?? commitRef(version)
  if (!match) throw notFound(url, version, remote)
  return { ...resolvedRef(remote, match), docsPath }
}

type RefOrCommit = Omit<Ref, 'kind'> & { kind: RefKind }

type Remote = {
  refs: Ref[]
  /** The ref for `latest`. Null if the repository is empty or has no default branch. */
  head: RefOrCommit | null
}

/** Parses the output of `git ls-remote --symref`. The output for a bundle contains no symref. */
export function parseRefs(output: string): Remote {
  const commits = new Map<string, string>()
  let branch: string | null = null
  for (const line of output.split('\n')) {
    const [left, name] = line.split('\t')
    if (name === undefined) continue
    if (left!.startsWith('ref: ')) branch = name === 'HEAD' ? left!.slice(5) : branch
    // The line `name^{}` follows an annotated tag and contains the commit to which it points.
    else commits.set(name.replace(/\^\{\}$/, ''), left!)
  }
  const refs = [...commits].flatMap(([name, commit]) => refOf(name, commit) ?? [])
  return { refs, head: headOf(refs, { branch, commit: commits.get('HEAD') ?? null }) }
}

function refOf(fullName: string, commit: string): Ref | null {
  const [, folder, name] = /^refs\/(tags|heads)\/(.+)$/.exec(fullName) ?? []
  if (name === undefined) return null
  return { name, kind: folder === 'tags' ? 'tag' : 'branch', commit }
}

function headOf(
  refs: Ref[],
  { branch, commit }: { branch: string | null; commit: string | null },
): RefOrCommit | null {
  const branches = refs.filter((ref) => ref.kind === 'branch')
  const headBranch = branches.find((ref) => `refs/heads/${ref.name}` === branch)
  if (headBranch) return headBranch
  const there = commit === null ? branches : branches.filter((ref) => ref.commit === commit)
  const usual =
    there.find((ref) => ref.name === 'main') ?? there.find((ref) => ref.name === 'master')
  if (usual) return usual
  if (there.length === 1 || (commit !== null && there.length > 0)) return there[0]!
  return commit === null ? null : { name: commit, kind: 'commit', commit }
}

function splitRefPath(remote: Remote, refPath: string, url: string) {
  const parts = refPath.split('/').filter((part) => part !== '')
  for (let length = parts.length; length > 0; length--) {
    const name = parts.slice(0, length).join('/')
    const ref = name === 'HEAD' ? remote.head : (exactRef(remote.refs, name) ?? commitRef(name))
    const docsPath = parts.slice(length).join('/') || null
    if (ref) return { ref: resolvedRef(remote, ref), docsPath }
  }
  throw notFound(url, refPath, remote)
}

function resolvedRef(remote: Remote, { name, kind, commit }: RefOrCommit) {
  const defaultBranch = remote.head?.kind === 'branch' ? remote.head.name : null
  const tag = kind === 'tag' ? null : tagAt(remote.refs, commit)
  return { version: name, ref: name, refKind: kind, commit, tag, defaultBranch }
}

/** Returns a commit's tag, or the newest release among several. Ignores a tag "latest". */
function tagAt(refs: readonly Ref[], commit: string): string | null {
  const tags = refs
    .filter((ref) => ref.kind === 'tag' && ref.commit === commit && ref.name !== 'latest')
    .map(({ name }) => name)
  return newestVersionsFirst(tags)[0] ?? null
}

/** Returns a full commit id as a ref, without checking whether the server has the commit. */
function commitRef(name: string): RefOrCommit | null {
  const isCommit = /^([0-9a-f]{40}|[0-9a-f]{64})$/.test(name)
  return isCommit ? { name, kind: 'commit', commit: name } : null
}

function repositoryName(url: string): string {
  return trimEndCharacters(url, '/')
    .replace(/\.(git|bundle)$/, '')
    .split(/[/:]/)
    .at(-1)!
}

function throwNoDefaultBranch(url: string): never {
  throw new OgError(`Cannot read ${withoutCredentials(url)}: it has no default branch`, {
    hint: 'if the repository is not empty, give a tag or branch with --version',
  })
}

function notFound(url: string, version: string, { refs }: Remote): OgError {
  const nearest = nearestRefs(refs, version, 5)
  return new OgError(`Cannot find tag or branch "${version}" in ${withoutCredentials(url)}`, {
    hint: nearest.length > 0 ? `nearest: ${nearest.join(', ')}` : 'the repository has no refs',
  })
}
