import type { Hit } from '../library/library.ts'
import { encodePath } from '../source/page-address.ts'

export type PagePlace = { library: string; version: string; path: string }

export function pageUri({ library, version, path }: PagePlace): string {
  return `og://${encodeURIComponent(library)}/${encodeURIComponent(version)}/${encodePath(path)}`
}

export function hitJson({ why: _, markup: __, ...hit }: Hit) {
  const { rank, score, library, version, url, title, heading, text, ...others } = hit
  const { chunkId: chunk_id, startLine: start_line, endLine: end_line, ...rest } = others
  const place = { library, version, url, title, heading, text, chunk_id, start_line, end_line }
  return { rank, score, ...place, ...rest, resource: pageUri({ ...hit, path: hit.path || url }) }
}
