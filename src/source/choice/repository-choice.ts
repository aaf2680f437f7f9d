import type { Source } from '../../store/source.ts'
import { resolveGit } from '../git/git-refs.ts'
import { commitPaths } from '../git/git.ts'
import type { GitOptions } from '../git/git-command.ts'
import { withoutCredentials } from '../git/repository-url.ts'
import type { SourceChoice } from './choice.ts'
import { findDocsFolder, addReadme, type DocsFolder } from './docs-folder.ts'

type GitSource = Extract<Source, { kind: 'git_repo' }>

type RepositoryOptions = GitOptions & {
  version: string | null
  isPackage?: boolean
  directory?: string | null
}

/** `kind` is null if the URL itself names a folder. */
type RepositoryChoice = SourceChoice & { version: string; kind: DocsFolder['kind'] | null }

/**
 * Chooses the content to read from a repository at a version, by the rules of `findDocsFolder`,
 * unless the URL itself names a folder (`…/tree/REF/PATH`).
 * @throws OgError if the repository cannot be read, or has no such version
 */
export async function chooseForRepository(
  source: GitSource,
  { version, isPackage = false, directory = null, ...options }: RepositoryOptions,
): Promise<RepositoryChoice> {
  const { refPath, url } = source
  const { docsPath, ...at } = await resolveGit(url, version, { ...options, refPath })
  if (docsPath !== null) {
    return { source, how: null, rejected: [], version: at.version, kind: null }
  }
  const paths = await commitPaths({ source, ...at }, options)
  const folder = docsOf(paths, source, directory)
  const { kind, docsPaths, how, toRejected: passed } = isPackage ? addReadme(folder) : folder
  return {
    source: { ...source, docsPaths },
    how: `${withoutCredentials(url)} at ${at.ref}: ${how}`,
    rejected: passed,
    version: at.version,
    kind,
  }
}

/**
 * Returns a package's documentation folder. Looks in the package's own folder first, then in the
 * whole repository. The last choice is the package's README.
 */
function docsOf(paths: string[], source: GitSource, directory: string | null): DocsFolder {
  const all = findDocsFolder(paths, source)
  if (directory === null) return all
  const start = `${directory.replace(/\/+$/, '')}/`
  const below = paths.filter((path) => path.startsWith(start)).map((it) => it.slice(start.length))
  const own = findDocsFolder(below, source)
  const readme = own.readme === null ? all.readme : start + own.readme
  const isOwn = own.kind === 'folder' || (own.kind === 'readme' && all.kind !== 'folder')
  if (!isOwn) return { ...all, readme }
  const docsPaths = own.docsPaths.map((path) => start + path)
  return { ...own, docsPaths, readme, how: start + own.how }
}
