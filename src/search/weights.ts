/**
 * Weights of the parts of a score: the same for every query and library, because tuning for one
 * library made others worse. Fitted by leave-one-library-out (scripts/eval/fit.ts,
 * docs/internals/search.md).
 */
export const weights = {
  /** Number of candidates per lane that count; the last one of them is worth nothing. */
  depth: 100,
  /**
   * Share of the full-text lane; vectors have the rest. A lane is certain if few candidates come
   * near its best.
   */
  text: 0.5,
  /**
   * Share of the page's BM25, and of its cosine, in the score of a chunk: queries are answered by
   * pages.
   */
  pageText: 0.5,
  pageVector: 0.4,
  /**
   * Share of each of the next two passages of a page in the score of its best one. It is small,
   * because long pages have more passages.
   */
  evidence: 0.1,
  /** Release notes mention everything and explain little. */
  changelog: 0.7,
  /** Pages of the API reference, unless the query is a name: guides tell how to do something. */
  api: 0.85,
  /**
   * Applied once per better passage of the same page, so that five hits come from several pages.
   */
  repeated: 0.7,
  /** A cosine this far below the best adds no score, even in a small library. */
  span: 0.15,
} as const
