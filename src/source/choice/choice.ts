import type { Reach } from '../../platform/reach.ts'
import type { Source, SourceGap } from '../../store/source.ts'
import { isOnDisk } from '../git/repository-url.ts'
import type { PackageOptions } from './package-choice.ts'

export type SourceChoice = {
  source: Source
  /** For example `sitemap http://…/sitemap.xml (12 pages)`. Null if the input is the source. */
  how: string | null
  rejected: RejectedCandidate[]
  version?: string
  /** For a package: the version as the registry spells it. Tags may spell it differently. */
  release?: string
  incomplete?: SourceGap
  /** For a package: the hosts that og may contact, because its publisher is untrusted. */
  reach?: Reach
}

export type RejectedCandidate = { place: string; reason: string }

export function unreachableGap(host: string, intended: Source): SourceGap {
  return { reason: `cannot reach ${host}`, host, intended }
}

/**
 * Chooses the content to read from a source: a site's list of pages, a repository's documentation
 * folder at a version, or the source of a package's documentation. A local repository is read like
 * a folder. Other sources stay unchanged.
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
