import type { Hit } from '../../src/library/library.ts'
import type { ScoreParts } from '../../src/search/fuse.ts'

/** Of a hit that both lanes found first, and nothing else speaks for. */
export const plainWhy: ScoreParts = {
  fullText: { rank: 1, score: 20, pageScore: 15, points: 0.4 },
  vector: { rank: 1, cosine: 0.8, pageCosine: 0.75, points: 0.6 },
  nameMatch: null,
  rareName: null,
  changelog: 1,
  evidence: 0,
  repeated: 1,
  library: 1,
  language: 1,
  merged: [],
  copies: [],
}

export const plainHit: Hit = {
  rank: 1,
  score: 0.5,
  library: 'kettle',
  version: '1',
  url: 'doc:/a.md',
  title: 'A',
  heading: 'A',
  text: 'It boils.',
  chunkId: 'g/a#0',
  startLine: 1,
  endLine: 2,
  anchor: null,
  versions: ['1'],
  path: 'a.md',
  kind: 'guide',
  language: null,
  markup: 'markdown',
  why: plainWhy,
}
