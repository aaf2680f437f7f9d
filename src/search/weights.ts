/**
 * Weights of the parts of a score. They are the same for every query and library because tuning
 * them for one library made others worse. Fitted by leaving one library out (scripts/eval/fit.ts,
 * docs/internals/search.md).
 */
export const weights = {
  /** Number of candidates per lane that get points. The last one gets none. */
  depth: 100,
  /**
   * Share of the full-text lane. The vector lane has the rest. A lane is reliable if few of its
   * candidates come close to the best.
   */
  text: 0.5,
  /** The same for a library without guides, whose pages contain few words of a question. */
  apiText: 0.4,
  /** Weight of the page's score in a chunk's score. A query is answered by a page, not a chunk. */
  pageText: 0.5,
  pageVector: 0.4,
  /** Factor for the page weights and the two below on API pages in libraries without guides. */
  apiPage: 0.3,
  /**
   * Share of the scores of a page's next two passages that its best passage gains. It is small
   * because long pages have more passages.
   */
  evidence: 0.1,
  /** Release notes mention everything but explain little, or explain it for other versions. */
  changelog: 0.7,
  /** For folders of an older major version, such as `v3` in version 4. */
  oldMajor: 0.6,
  /** For modules of a package other than the main one. */
  innerModule: 0.9,
  /**
   * Factors for pages of the API reference unless the query is a name. `apiFact` applies if the
   * query asks for a fact, such as a default or a type. Otherwise `apiTask` applies, because guides
   * explain tasks.
   */
  apiFact: 0.85,
  apiTask: 0.6,
  /** Number of guides that rank above all but the best API page, unless the query is a name. */
  apiGuides: 9,
  /** For lists of features and tables of contents in a library without guides. */
  list: 0.6,
  /**
   * Reorders the best `passages` of a library without guides. The values are shares of the best
   * score. They apply to the share of query terms in the passage and in its heading or symbol, to
   * the natural logarithm of its length relative to a usual one, and to guides and lists of names.
   * The last ones apply to types and interfaces, to symbols that are not exported, to symbols
   * without a sentence in a module other than the main one, to error classes if the query is not
   * about errors, and to members with a computed name.
   */
  fullness: {
    passages: 25,
    usualLength: 400,
    ofTerms: 0.4,
    ofName: 0.4,
    ofLength: 0.13,
    ofOverview: -0.36,
    ofType: -0.1,
    ofHidden: -0.1,
    ofAside: -0.25,
    ofFailure: -0.35,
    ofComputed: -0.3,
  },
  /** For passages without code if the query asks for an example. */
  example: 0.85,
  /** Applied for each better passage of the same page, so that hits come from several pages. */
  repeated: 0.7,
  /** A cosine this far below the best adds nothing, even in a small library. */
  span: 0.15,
} as const
