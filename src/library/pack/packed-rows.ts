import { lineAt, indexLines } from '../../chunk/line.ts'
import { termsOfChunk } from '../../chunk/terms.ts'
import { analyserVersion } from '../../store/chunker.ts'
import { parseChunker } from '../../store/chunker.ts'
import type { ChunkRow } from '../../store/chunks/chunk-table.ts'
import { packError } from './pack-format.ts'
import type { PackedPage } from './packed-pages.ts'
import type { Pack } from './read-pack.ts'

/**
 * Yields the chunks of a page as table rows, one at a time. Index terms are always computed here,
 * so that a pack cannot be found by words that its pages do not contain.
 * @throws OgError if the pack was made by the same analyser but has other terms
 */
export function* toChunkRows(pack: Pack, { page, chunks }: PackedPage): Generator<ChunkRow> {
  const { url, title, text } = page
  const chunker = parseChunker(pack.manifest.chunker)
  const isAnalysedAlike = 'terms' in chunker && chunker.terms === analyserVersion
  const lines = indexLines(text)
  for (const [index, chunk] of chunks.entries()) {
    const { start_offset: start, end_offset: end } = chunk
    let last = end - 1
    while (last > start && text[last] === '\n') last--
    const content = text.slice(start, end)
    const terms = termsOfChunk(page, { heading: chunk.heading, content })
    if (isAnalysedAlike && terms !== chunk.terms) {
      throw packError(pack.what, 'the index terms of a chunk are not those of its text')
    }
    yield {
      ...chunk,
      url,
      title,
      content,
      terms,
      chunk_index: index,
      start_line: lineAt(lines, start) + 1,
      end_line: lineAt(lines, last) + 1,
    }
  }
}
