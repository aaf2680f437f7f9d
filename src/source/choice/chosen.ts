import type { Source } from '../../store/source.ts'
import { isOnDisk } from '../git/repository-url.ts'
import type { Choice } from './choice.ts'
import type { PackageOptions } from './package-choice.ts'

/**
 * Chooses the content to read from a source. For a site, how its pages are found; for a repository
 * at a version, its documentation folder; for a package, the source of its documentation. A local
 * repository is read like a folder; other sources stay unchanged.
 * @throws OgError if the source cannot be reached
 */
export async function chosenFor(source: Source, options: PackageOptions): Promise<Choice> {
  if (source.kind === 'site') {
    const { chosenForSite } = await import('./site-choice.ts')
    return chosenForSite(source, options)
  }
  const isElsewhere = source.kind === 'git_repo' && !isOnDisk(source.url)
  if (isElsewhere && source.docsPaths.length === 0) {
    const { chosenForRepository } = await import('./repository-choice.ts')
    return chosenForRepository(source, options)
  }
  if (source.kind === 'package') {
    const { chosenForPackage } = await import('./package-choice.ts')
    return chosenForPackage(source, options)
  }
  return { source, how: null, passed: [] }
}
