import type { Source } from '../../store/source.ts'
import { resolveGit } from '../git/git-refs.ts'
import { commitPaths } from '../git/git.ts'
import type { GitOptions } from '../git/git-command.ts'
import { shownUrl } from '../git/repository-url.ts'
import type { Choice } from './choice.ts'
import { docsFolder } from './docs-folder.ts'

type GitSource = Extract<Source, { kind: 'git_repo' }>

/**
 * What of a repository is read at a version, where nobody has named it: `docsFolder` says by which
 * rules. An address of a folder in it (`…/tree/REF/PATH`) names it.
 * @throws OgError when the repository cannot be read, or has no such version
 */
export async function chosenForRepository(
  source: GitSource, { version, ...options }: GitOptions & { version: string | null },
): Promise<Choice> {
  const { refPath, url } = source
  const { docsPath, ...at } = await resolveGit(url, version, { ...options, refPath })
  if (docsPath !== null) return { source, found: null, passed: [] }
  const paths = await commitPaths({ source, ...at }, options)
  const { docsPaths, found, passed } = docsFolder(paths, source)
  return {
    source: { ...source, docsPaths },
    found: `${shownUrl(url)} at ${at.ref}: ${found}`,
    passed,
  }
}
