/**
 * Weights of the parts of a score. They are the same for every query and library, because tuning
 * them for one library made others worse. Fitted by leaving one library out (scripts/eval/fit.ts,
 * docs/internals/search.md).
 */
export const weights = {
  /** Number of candidates per lane that get points; the last of them gets none. */
  depth: 100,
  /**
   * Share of the full-text lane; the vector lane has the rest. A lane is reliable if few of its
   * candidates come close to the best.
   */
  text: 0.5,
  /** The same for a library without guides, whose pages contain few words of a question. */
  apiText: 0.4,
  /**
   * Weight of the page's BM25 and cosine in the score of a chunk, because pages rather than chunks
   * answer queries.
   */
  pageText: 0.5,
  pageVector: 0.4,
  /**
   * Factor for both page weights, and for the two below, on API pages in a library without guides.
   */
  apiPage: 0.3,
  /**
   * The best passage of a page gains this share of the score of each of the page's next two
   * passages. It is small, because long pages have more passages.
   */
  evidence: 0.1,
  /**
   * Release notes mention everything but explain little; upgrade notes explain it for other
   * versions.
   */
  changelog: 0.7,
  /** Applies to folders of an older major version, such as `v3` of version 4. */
  oldMajor: 0.6,
  /** Applies to modules of a package other than the main one. */
  innerModule: 0.9,
  /**
   * Apply to pages of the API reference unless the query is a name: `apiFact` if the query asks for
   * a fact, such as a default or a type, otherwise `apiTask`, because guides explain how to do
   * something.
   */
  apiFact: 0.85,
  apiTask: 0.6,
  /**
   * Number of guides that rank above all but the best page of the API reference, unless the query
   * is a name.
   */
  apiGuides: 9,
  /** Applies to lists of features and tables of contents in a library without guides. */
  list: 0.6,
  /**
   * How much the best `passages` of a library without guides are reordered, as shares of the best
   * score: by the share of query terms in the passage and in its heading or symbol, by the natural
   * logarithm of its length relative to a usual one; for guides and lists of names; for types and
   * interfaces, for symbols that are not exported, and for symbols without a sentence in a module
   * other than the main one.
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
  },
  /** Applies to passages without code if the query asks for an example. */
  example: 0.85,
  /**
   * Applied once for each better passage of the same page, so that five hits come from several
   * pages.
   */
  repeated: 0.7,
  /**
   * A cosine that is this far below the best adds nothing to the score, even in a small library.
   */
  span: 0.15,
} as const
