/**
 * What decides, beside the embedder, how a generation comes out of the files of its pages: versions
 * of our own code, and the sizes that a user set. `written` is what another og wrote that has other
 * parts: equal to nothing of ours.
 */
export type Chunker =
  | {
      /** Where chunks end. */
      chunks: string
      /** Which index terms they have. */
      terms: string
      /** What a page's text is. */
      parser: string
      /** What is derived from the pages and kept beside them. */
      derived: string
      /** null: as long as the model takes well. */
      chunkChars: number | null
      overlapChars: number
    }
  | { written: string }

const form = /^([^/]+)\/([^/]+)\/parser-(\w+)\/([^/]+)\/(default|[1-9]\d*)\/(0|[1-9]\d*)$/

/** Parses the line of a registry: `2/terms-3/parser-3/pages-5/default/0`. */
export function parseChunker(line: string): Chunker {
  const [, chunks, terms, parser, derived, chars, overlap] = form.exec(line) ?? []
  if (overlap === undefined) return { written: line }
  return {
    chunks: chunks!,
    terms: terms!,
    parser: parser!,
    derived: derived!,
    chunkChars: chars === 'default' ? null : Number(chars),
    overlapChars: Number(overlap),
  }
}

export function chunkerLine(chunker: Chunker): string {
  if ('written' in chunker) return chunker.written
  const { chunks, terms, parser, derived, chunkChars, overlapChars } = chunker
  return `${chunks}/${terms}/parser-${parser}/${derived}/${chunkChars ?? 'default'}/${overlapChars}`
}
