/**
 * What the parts of a score count: one form for every query and library, since what was chosen for
 * one documentation cost another. Fitted with each library left out (scripts/eval/fit.ts,
 * docs/internals/quality.md).
 */
export const weights = {
  /** Candidates of each lane that count; what the last of them has is worth nothing. */
  depth: 100,
  /** Of words; vectors have the rest. How sure a lane is shows in how few come near its best. */
  text: 0.5,
  /** Of a chunk's BM25, and of its cosine, what its page's counts: pages are what is answered. */
  pageText: 0.5,
  pageVector: 0.4,
  /** Of each of the next two passages of a page, for its best: little, long pages have more. */
  evidence: 0.1,
  /** Release notes name everything, and explain little of it. */
  changelog: 0.7,
  /** For each better passage of a page, so that five hits are several pages. */
  repeated: 0.7,
  /** How far below the best cosine one is worth nothing, however few chunks there are. */
  span: 0.15,
} as const
