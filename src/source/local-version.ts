import { OgError } from '../platform/error.ts'
import { trimEndCharacters } from '../platform/text/trim.ts'
import type { Source } from '../store/source.ts'
import { isLocalDate, localDateOf } from '../version/version.ts'
import { resolveGit } from './git/git-refs.ts'
import type { GitCheckout } from './git/git.ts'
import type { RouteOptions } from './git/git-route.ts'
import {
  isRepositoryInside,
  isShallow,
  isTracked,
  readWorkTree,
  workTreeOf,
  type WorkTree,
} from './git/work-tree.ts'
import { encodePath } from './page-address.ts'
import type { RefKind, ResolvedSource } from './source.ts'

type LocalSource = Extract<Source, { kind: 'local_path' }>

type LocalOptions = RouteOptions & {
  version: string | null
  today: Date
  signal?: AbortSignal
  timeoutMs?: number
}

/**
 * Resolves the version of a local folder or file. In a git working tree, a version is a tag, branch
 * or commit of its repository; by default, the label names the checked-out commit. In other folders
 * a version is any label, `local-YYYY-MM-DD` by default.
 * @throws OgError if the repository has no such version
 */
export async function resolveLocal(
  source: LocalSource,
  options: LocalOptions,
): Promise<ResolvedSource> {
  const { version, reach, today } = options
  if (source.package !== undefined && version !== null) {
    return { source, version: await checkInstalled(source, version), ref: null, commit: null }
  }
  const tree = workTreeOf(source.path)
  const isHidden = tree !== null && reach && !isRepositoryOf(reach, tree)
  if (version === null) {
    const state = tree === null || isHidden ? null : await readWorkTree(tree, options)
    if (state === null) {
      return { source, version: localDateOf(today), ref: null, commit: null, follows: true }
    }
    const { label, ...more } = state
    return { source, version: label, ref: null, ...more, follows: true }
  }
  const plain = { source, version, ref: null, commit: null }
  if (tree === null || isLocalDate(version)) return plain
  if (isHidden) throw hiddenRepository(source, version)
  if ((await isTracked(tree, options)) === false) return plain
  const resolving = resolveGit(tree.url, version, options)
  const {
    docsPath: _,
    defaultBranch: __,
    ...ref
  } = await resolving.catch((error: unknown) => {
    throw isShallow(tree) ? withShallowHint(error) : error
  })
  return { source, ...ref }
}

/**
 * The version of an installed package, whose folder may contain another one now.
 * @throws OgError if it does
 */
async function checkInstalled(source: LocalSource, version: string): Promise<string> {
  const { installedVersion } = await import('./package/installed.ts')
  const there = await installedVersion(source.package!, source.path)
  if (there === null || there === version) return version
  throw new OgError(
    `Cannot read ${source.package} ${version}: ${JSON.stringify(source.path)} has ${there} now`,
    { hint: `og add ${source.package}@${there}` },
  )
}

function withShallowHint(error: unknown): unknown {
  if (!(error instanceof OgError)) return error
  const hint = [error.hint, 'the clone is shallow and may lack it: git fetch --unshallow --tags']
    .filter(Boolean)
    .join('; ')
  return new OgError(error.message, { hint, cause: error })
}

function isRepositoryOf({ folder }: { folder: string | null }, tree: WorkTree): boolean {
  return folder !== null && isRepositoryInside(tree, folder)
}

function hiddenRepository({ path }: LocalSource, version: string): OgError {
  return new OgError(
    `Cannot read ${JSON.stringify(path)} at version "${version}": its git repository is ` +
      'outside the folder that an agent may name',
    { hint: `a person can index it: og add NAME --source PATH --version ${version}` },
  )
}

export function checkoutOfLocal(
  source: LocalSource,
  at: { ref: string; refKind: RefKind; commit: string },
): GitCheckout {
  const { path, docsPaths = [], baseUrl, languages, api } = source
  const tree = workTreeOf(path)
  if (tree === null) {
    const why = 'it is in no git repository'
    throw new OgError(`Cannot read ${JSON.stringify(path)} at ${at.ref}: ${why}`)
  }
  const { below, url } = tree
  const inside = (paths: string[]) => paths.map((it) => (it === '' ? below : `${below}/${it}`))
  const all = below === '' ? docsPaths : docsPaths.length === 0 ? [below] : inside(docsPaths)
  const spoken = languages ? { languages } : {}
  const base = baseUrl && trimEndCharacters(baseUrl, '/')
  const start = below === '' ? 0 : below.length + 1
  const addressOf = (it: string) => `${base}/${encodePath(it.slice(start))}`
  // og looks for packages in the whole repository, so a single folder of it has none unless the
  // user asks for them.
  const choice = api ?? (below === '' ? undefined : ('none' as const))
  const code = choice === undefined ? {} : { api: choice }
  const repository = { kind: 'git_repo' as const, url, docsPaths: all, ...spoken, ...code }
  return { source: repository, ...at, ...(base ? { addressOf } : {}) }
}
