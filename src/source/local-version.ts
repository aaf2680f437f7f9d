import { OgError } from '../platform/error.ts'
import { trimEndCharacters } from '../platform/text/trim.ts'
import type { Source } from '../store/source.ts'
import { isLocalDate, localDateOf } from '../version/version.ts'
import { resolveGit } from './git/git-refs.ts'
import type { GitCheckout } from './git/git.ts'
import type { RouteOptions } from './git/git-route.ts'
import { encodePath, folderAddress } from './page-address.ts'
import type { RefKind, ResolvedSource } from './source.ts'
import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { copyFile, mkdir, readdir, stat, utimes } from 'node:fs/promises'
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { newestFirst, parseRelease } from '../version/release.ts'
import { selectPaths } from './select/select.ts'
import { openOfflineGit, type GitOptions, type OfflineGit } from './git/git-command.ts'

type LocalSource = Extract<Source, { kind: 'local_path' }>

type LocalOptions = RouteOptions & {
  version: string | null
  today: Date
  signal?: AbortSignal
  timeoutMs?: number
}

/**
 * Resolves the version of a local folder or file. In a git working tree, a version is a tag, branch
 * or commit of its repository, and the default label names the checked-out commit. In other
 * folders, a version is any label, `local-YYYY-MM-DD` by default.
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
 * Returns the version of an installed package.
 * @throws OgError if its folder now contains a different version
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
    const why = 'it is not in a git repository'
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
  // user requests them.
  const choice = api ?? (below === '' ? undefined : ('none' as const))
  const code = choice === undefined ? {} : { api: choice }
  const repository = { kind: 'git_repo' as const, url, docsPaths: all, ...spoken, ...code }
  return { source: repository, ...at, ...(base ? { addressOf } : {}) }
}

/** The git working tree that contains a local folder or file. */
type WorkTree = {
  /** The `file://` URL of the top folder, from which git fetches. */
  url: string
  top: string
  /** The `/`-separated path below the top; '' for the top itself. */
  below: string
  /** The folder of HEAD and the index: `.git`, or a folder below it for a linked tree. */
  gitFolder: string
  sharedFolder: string
}

/** The checked-out commit, and how the files differ from it. */
type WorkTreeState = {
  /**
   * The commit's tag, otherwise `TAG-COUNT-gCOMMIT` as printed by `git describe`, otherwise
   * `gCOMMIT`. Ends with `-dirty` if there are uncommitted changes.
   */
  label: string
  /** `TAG-0-gCOMMIT`. Missing unless the label is a tag. */
  longLabel?: string
  commit: string
  /** The number of files with uncommitted changes: tracked files and untracked pages. */
  changes: number
}

/** Returns the working tree that contains a path. Null if there is none, or inside `.git`. */
export function workTreeOf(path: string): WorkTree | null {
  const real = realpathSync(path)
  for (let top = statSync(real).isDirectory() ? real : dirname(real); ; top = dirname(top)) {
    const git = join(top, '.git')
    if (existsSync(git)) {
      const folders = gitFolders(git)
      const below = relative(top, real).split(sep).join('/')
      if (folders === null || below.split('/')[0] === '.git') return null
      return { url: folderAddress(top), top, below, ...folders }
    }
    if (dirname(top) === top) return null
  }
}

export function isRepositoryInside({ gitFolder, sharedFolder }: WorkTree, folder: string): boolean {
  const real = realpathSync(folder)
  return [gitFolder, sharedFolder].every((path) => {
    const below = relative(real, path)
    return below !== '..' && !below.startsWith(`..${sep}`) && !isAbsolute(below)
  })
}

function isShallow({ sharedFolder }: WorkTree): boolean {
  return existsSync(join(sharedFolder, 'shallow'))
}

/** Finds the folders of a repository by its `.git`, which is a folder or refers to one. */
function gitFolders(git: string): Pick<WorkTree, 'gitFolder' | 'sharedFolder'> | null {
  const gitFolder = statSync(git).isDirectory()
    ? git
    : readFolderLink(git, dirname(git), /^gitdir: (.+)$/m)
  if (gitFolder === null || !existsSync(join(gitFolder, 'HEAD'))) return null
  const shared = join(gitFolder, 'commondir')
  const sharedFolder = existsSync(shared) ? readFolderLink(shared, gitFolder, /^(.+)$/m) : gitFolder
  const isWhole = sharedFolder !== null && existsSync(join(sharedFolder, 'objects'))
  return isWhole
    ? { gitFolder: realpathSync(gitFolder), sharedFolder: realpathSync(sharedFolder) }
    : null
}

function readFolderLink(file: string, base: string, form: RegExp): string | null {
  if (statSync(file).size > maxPathBytes) return null
  const target = form.exec(readFileSync(file, 'utf8'))?.[1]?.trim()
  return target === undefined ? null : resolve(base, target)
}

const maxPathBytes = 64 * 1024

/** True if HEAD contains the path. Null if HEAD cannot be read or git is not installed. */
export async function isTracked(tree: WorkTree, options: GitOptions): Promise<boolean | null> {
  if (Bun.which('git') === null) return null
  await using git = await openOfflineGit(options)
  return await hasPath(git, tree)
}

/**
 * Reads the state of a working tree. The repository's configuration, attributes, filters and hooks
 * cannot start a program, so an untrusted repository is safe to read. Returns null if the files'
 * state is unknown: the path is not in the commit, there is no commit, some of its objects are
 * missing, or git is not installed.
 */
export async function readWorkTree(
  tree: WorkTree,
  options: GitOptions,
): Promise<WorkTreeState | null> {
  if (Bun.which('git') === null) return null
  await using git = await openOfflineGit(options)
  if (!(await hasPath(git, tree))) return null
  const commit = (await ask(git, tree, ['rev-parse', '--verify', 'HEAD^{commit}']))?.trim()
  if (!commit) return null
  const changed = await changedPaths(git, tree, commit)
  if (changed === null) return null
  const changes = changed.length
  const tag = await tagOf(git, tree, commit)
  if (tag !== null && changes === 0) {
    return { label: tag, longLabel: `${tag}-0-g${commit.slice(0, 7)}`, commit, changes }
  }
  const name = tag ?? (await describedName(git, tree, commit))
  return { label: changes === 0 ? name : `${name}-dirty`, commit, changes }
}

/** Returns the output of a git command in the repository, or null if it failed. */
async function ask(git: OfflineGit, tree: WorkTree, args: string[]): Promise<string | null> {
  const ran = await git.run([`--git-dir=${tree.gitFolder}`, '--no-pager', ...args])
  return ran.exitCode === 0 ? Buffer.from(ran.stdout).toString('utf8') : null
}

async function hasPath(git: OfflineGit, tree: WorkTree): Promise<boolean | null> {
  const args = ['ls-tree', '-z', '--full-tree', '--name-only', 'HEAD']
  const path = tree.below === '' ? [] : ['--', tree.below]
  const names = await ask(git, tree, ['--literal-pathspecs', ...args, ...path])
  return names === null ? null : tree.below === '' || names !== ''
}

async function tagOf(git: OfflineGit, tree: WorkTree, commit: string): Promise<string | null> {
  const tags =
    (await ask(git, tree, [
      'for-each-ref',
      `--points-at=${commit}`,
      '--format=%(refname:strip=2)',
      'refs/tags',
    ])) ?? ''
  const [tag] = tags
    .split('\n')
    .filter((name) => name !== '')
    .sort((a, b) => newestFirst(parseRelease(a), parseRelease(b)) || (a < b ? -1 : 1))
  return tag ?? null
}

async function describedName(git: OfflineGit, tree: WorkTree, commit: string): Promise<string> {
  const described = await ask(git, tree, ['describe', '--tags', commit])
  // An untagged commit gets the prefix `g`, as in git describe, so that it does not look like a
  // release.
  return described?.trim() || `g${commit.slice(0, 7)}`
}

/**
 * Returns the changed files below the path, or null if git could not determine them. Copies the
 * index into a new repository with an empty configuration, because in its own repository git would
 * run the configured filters.
 */
async function changedPaths(
  git: OfflineGit,
  tree: WorkTree,
  commit: string,
): Promise<string[] | null> {
  const format = commit.length === 64 ? 'sha256' : 'sha1'
  const own = join(git.folder, '.git')
  await git.run(['init', '--quiet', '--template=', `--object-format=${format}`])
  await copyState(tree, own)
  const objects = quotedPath(join(tree.sharedFolder, 'objects'))
  const env = { GIT_ALTERNATE_OBJECT_DIRECTORIES: objects, GIT_OPTIONAL_LOCKS: '0' }
  const settings = ['core.fileMode=false', 'core.untrackedCache=false']
  const repository = [
    ...settings.flatMap((pair) => ['-c', pair]),
    `--git-dir=${own}`,
    `--work-tree=${tree.top}`,
  ]
  const updated = await git.run([...repository, 'update-ref', '--no-deref', 'HEAD', commit], env)
  if (updated.exitCode !== 0) return null
  const status = await git.run(
    [
      ...repository,
      '--literal-pathspecs',
      'status',
      '--porcelain=v1',
      '-z',
      '--no-renames',
      '--untracked-files=all',
      '--ignore-submodules=all',
      '--',
      tree.below || '.',
    ],
    env,
  )
  if (status.exitCode !== 0) return null
  const lines = Buffer.from(status.stdout)
    .toString('utf8')
    .split('\0')
    .filter((it) => it !== '')
  const isUntracked = (line: string) => line.startsWith('??')
  const pathOf = (line: string) => line.slice(3)
  const start = tree.below === '' ? 0 : tree.below.length + 1
  const untracked = lines.filter(isUntracked).map((line) => pathOf(line).slice(start))
  const pages = selectPaths(untracked, [], { languages: ['*'] }).chosen
  return [...lines.filter((line) => !isUntracked(line)).map(pathOf), ...pages]
}

async function copyState({ gitFolder, sharedFolder }: WorkTree, own: string): Promise<void> {
  for (const name of await readdir(gitFolder)) {
    if (name !== 'index' && !name.startsWith('sharedindex.')) continue
    const [from, to] = [join(gitFolder, name), join(own, name)]
    const { atime, mtime } = await stat(from)
    await copyFile(from, to)
    // git compares a file's bytes only if the file changed after the index was written, or at the
    // same time.
    await utimes(to, atime, mtime)
  }
  const excluded = join('info', 'exclude')
  if (!existsSync(join(sharedFolder, excluded))) return
  await mkdir(join(own, 'info'), { recursive: true })
  await copyFile(join(sharedFolder, excluded), join(own, excluded))
}

/** Quotes a path as git expects it in a list of paths. */
function quotedPath(path: string): string {
  return `"${path.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n')}"`
}
