import type { KnownPages, SourceEvent } from './source.ts'
import type { Source } from '../store/source.ts'

/**
 * Returns a function that separates the event of a file with several pages, such as an OpenAPI
 * description, into one event for each of them. If the file has not changed, none of them has.
 */
export function openParts(
  { kind }: Source,
  before: KnownPages = new Map(),
): (event: SourceEvent) => Iterable<SourceEvent> {
  const isOfFiles = kind === 'local_path' || kind === 'git_repo' || kind === 'archive'
  const partsOf = isOfFiles ? partsByFile(before) : new Map<string, string[]>()
  return function* separate(event) {
    if (event.type === 'page' && event.parts !== undefined) {
      const { parts, ...first } = event
      yield first
      for (const page of parts) yield { ...first, page }
      return
    }
    yield event
    if (event.type !== 'unchanged') return
    for (const url of partsOf.get(event.url) ?? []) yield { ...event, url }
  }
}

/** Address of a file → the addresses of its parts, which have a fragment. */
function partsByFile(before: KnownPages): Map<string, string[]> {
  const parts = new Map<string, string[]>()
  for (const url of before.keys()) {
    const at = url.indexOf('#')
    if (at < 0) continue
    const file = url.slice(0, at)
    const urls = parts.get(file)
    if (urls === undefined) parts.set(file, [url])
    else urls.push(url)
  }
  return parts
}
