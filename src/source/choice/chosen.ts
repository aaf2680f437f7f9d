import type { Source } from '../../store/source.ts'
import { isOnDisk } from '../git/repository-url.ts'
import type { Choice } from './choice.ts'
import type { PackageOptions } from './package-choice.ts'

/**
 * What to read of a source as it was typed: of a site, how its pages are found; of a repository at
 * a version, in which folder they lie; of a package, where its documentation is. A repository on
 * this disk is read as a folder is; what says by itself what is read is taken as it is.
 * @throws OgError when the source cannot be reached
 */
export async function chosenFor(
  source: Source, options: PackageOptions,
): Promise<Choice> {
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
