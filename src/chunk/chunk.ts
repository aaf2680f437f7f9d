/** A contiguous passage of a page. `page.text.slice(start, end) === text`. */
export type Chunk = {
  /** Position within the page, from 0. */
  chunkIndex: number
  /** UTF-16 offsets into the page text, `end` exclusive. Without overlap, chunks tile the page. */
  start: number
  end: number
  /** 1-based, inclusive. */
  startLine: number
  endLine: number
  /** Headings from the outermost to the one this chunk stands under, markup removed. */
  headings: string[]
  text: string
}
