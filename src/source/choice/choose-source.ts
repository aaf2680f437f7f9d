import type { Source } from '../../store/source.ts'
import { isOnDisk } from '../git/repository-url.ts'
import type { SourceChoice } from './choice.ts'
import type { PackageOptions } from './package-choice.ts'

/**
 * Chooses the content to read from a source. For a site, it decides how to find the pages. For a
 * repository at a version, it chooses the documentation folder. For a package, it chooses the
 * source of the documentation. A local repository is read like a folder; other sources stay
 * unchanged.
 * @throws OgError if the source cannot be reached
 */
export async function chooseSource(source: Source, options: PackageOptions): Promise<SourceChoice> {
  if (source.kind === 'site') {
    const { chooseForSite } = await import('./site-choice.ts')
    return chooseForSite(source, options)
  }
  const isElsewhere = source.kind === 'git_repo' && !isOnDisk(source.url)
  if (isElsewhere && source.docsPaths.length === 0) {
    const { chooseForRepository } = await import('./repository-choice.ts')
    return chooseForRepository(source, options)
  }
  if (source.kind === 'package') {
    const { chooseForPackage } = await import('./package-choice.ts')
    return chooseForPackage(source, options)
  }
  return { source, how: null, rejected: [] }
}
