/**
 * All settings that determine how pages become chunks, except the embedder: versions of og's code
 * and the user's sizes. Stored as a line: `2/terms-3/parser-3/pages-5/default/0`.
 */
export type Chunker = {
  /** Version of the rules that place chunk borders. */
  chunks: string
  /** Version of the rules that produce index terms. */
  terms: string
  /** Version of the parsers that extract a page's text from a file. */
  parser: string
  /** Version of the data derived from pages and stored with them. */
  derived: string
  /** Null selects the size that suits the model. */
  chunkChars: number | null
  overlapChars: number
}

/** Increase it when chunk borders or embedded texts change. */
export const chunkerVersion = '7'

/** Increase it when any index term changes, because indexes and queries must match. */
export const analyserVersion = 'terms-3'

/** Increase it if `GenerationWriter.finish` derives different data, so that `og add` rebuilds. */
export const derivedVersion = 'pages-7'

const form = /^([^/]+)\/([^/]+)\/parser-(\w+)\/([^/]+)\/(default|[1-9]\d*)\/(0|[1-9]\d*)$/

/** Parses a chunker line. Returns null if another version of og wrote it in an unknown form. */
export function parseChunker(line: string): Chunker | null {
  const [, chunks, terms, parser, derived, chars, overlap] = form.exec(line) ?? []
  if (overlap === undefined) return null
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
  const { chunks, terms, parser, derived, chunkChars, overlapChars } = chunker
  return `${chunks}/${terms}/parser-${parser}/${derived}/${chunkChars ?? 'default'}/${overlapChars}`
}
