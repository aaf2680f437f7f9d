import { OgError, reasonOf } from '../../platform/error.ts'
import type { Source } from '../../store/source.ts'
import { archivePages } from '../archive/archive.ts'
import { unchangedApiEvents } from '../known-pages.ts'
import type { KnownPages, SourceEvent } from '../source.ts'
import type { CrawlOptions } from '../web/crawler.ts'

/**
 * The API reference of a package whose guides are read from another source. The archive of a
 * published version never changes, so its known pages are not read again. An archive that cannot be
 * read counts as one failure, and its known pages are kept.
 */
export async function* apiArchiveEvents(
  { apiArchive, package: name, relatives, registry }: Source & { apiArchive: string },
  options: CrawlOptions & { before?: KnownPages },
): AsyncGenerator<SourceEvent> {
  const unchanged = [...unchangedApiEvents(options.before)]
  if (unchanged.length > 0) return yield* unchanged
  const source = {
    kind: 'archive' as const,
    url: apiArchive,
    docsPaths: [],
    ...(name === undefined ? {} : { package: name }),
    ...(relatives === undefined ? {} : { relatives }),
    ...(registry === undefined ? {} : { registry }),
  }
  const reading = { ...options, before: new Map() }
  try {
    for await (const event of archivePages({ ...source, api: 'only' }, reading)) {
      if (event.type !== 'skipped') yield event
    }
  } catch (error) {
    options.signal?.throwIfAborted()
    if (!(error instanceof OgError)) throw error
    // The guides come from another source, so a failed archive must not stop the run.
    yield { type: 'failed', url: apiArchive, reason: reasonOf(error), isFolder: true }
  }
}
