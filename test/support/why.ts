import type { ScoreParts } from '../../src/search/candidate.ts'
import type { AddInput } from '../../src/operation/add/add-fields.ts'
import type { Hit, LibraryVersion } from '../../src/library/library.ts'

/** Scores of a hit that is first for full text and vectors, without other reasons. */
export const plainWhy: ScoreParts = {
  fullText: { rank: 1, score: 20, pageScore: 15, points: 0.4 },
  vector: { rank: 1, cosine: 0.8, pageCosine: 0.75, points: 0.6 },
  nameMatch: null,
  rareName: null,
  changelog: 1,
  version: 1,
  api: 1,
  example: 1,
  list: 1,
  evidence: 0,
  fullness: 0,
  repeated: 1,
  library: 1,
  language: 1,
  merged: [],
  copies: [],
  twins: [],
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
  name: 'a',
  kind: 'guide',
  language: null,
  markup: 'markdown',
  why: plainWhy,
}

/** A library version that was built from a folder. */
export const kettle: LibraryVersion = {
  library: 'kettle',
  version: '1',
  pages: 2,
  chunks: 3,
  source: { kind: 'local_path', path: '/docs' },
  ref: null,
  commit: null,
  tag: null,
  indexedAt: '2026-11-24T10:00:00.000Z',
  incomplete: null,
  pack: null,
}

/** The input of an add without options. */
export const addInput: AddInput = {
  library: 'lamp',
  as: null,
  source: null,
  version: null,
  docs_path: [],
  api: null,
  language: [],
  filter_keyword: [],
  exclude: [],
  below: null,
  follow_links: false,
  only_page: false,
  trim_query_params: false,
  base_url: null,
  sources_file: null,
  force: false,
  dry_run: false,
  min_health: null,
  lock_timeout: null,
}
