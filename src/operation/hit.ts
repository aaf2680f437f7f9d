import type { Hit } from '../library/library.ts'
import { encodePath } from '../source/page-address.ts'

export type PagePlace = { library: string; version: string; path: string }

export function pageUri({ library, version, path }: PagePlace): string {
  return `og://${encodeURIComponent(library)}/${encodeURIComponent(version)}/${encodePath(path)}`
}

export function hitJson(hit: Hit) {
  return {
    rank: hit.rank,
    score: hit.score,
    library: hit.library,
    version: hit.version,
    url: hit.url,
    title: hit.title,
    heading: hit.heading,
    text: hit.text,
    chunk_id: hit.chunkId,
    start_line: hit.startLine,
    end_line: hit.endLine,
    anchor: hit.anchor,
    versions: hit.versions,
    path: hit.path,
    name: hit.name,
    kind: hit.kind,
    language: hit.language,
    resource: pageUri({ ...hit, path: hit.path || hit.url }),
  }
}
