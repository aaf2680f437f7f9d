import type { Source } from '../../store/source.ts'
import { isOnDisk } from '../git/repository-url.ts'
import type { Choice } from './choice.ts'
import type { PackageOptions } from './package-choice.ts'

/**
 * Chooses what to read of a source as it was typed: for a site, how its pages are found; for a
 * repository at a version, the folder of its documentation; for a package, where its documentation
 * is. A repository on this disk is read like a folder; other sources stay as they are.
 * @throws OgError when the source cannot be reached
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
