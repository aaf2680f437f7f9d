import type { Source } from '../../store/source.ts'
import type { CrawlOptions } from '../web/crawler.ts'
import type { Choice } from './choice.ts'

/**
 * What to read of a source as it was typed: of a site, how its pages are found. What says by
 * itself what is read is taken as it is.
 * @throws OgError when the source cannot be reached
 */
export async function chosenFor(source: Source, options: CrawlOptions): Promise<Choice> {
  if (source.kind === 'site') {
    const { chosenForSite } = await import('./site-choice.ts')
    return chosenForSite(source, options)
  }
  return { source, found: null, passed: [] }
}
