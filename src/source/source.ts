import type { Page } from '../page/page.ts'

/** Where documentation comes from, as it is stored with a library version. */
export type Source =
  | { kind: 'local_path'; path: string; baseUrl?: string }
  | { kind: 'git_repo'; url: string; docsPaths: string[] }

/** A source with the version settled: what will be read, and under which label it is kept. */
export type ResolvedSource = {
  source: Source
  /** The label: the tag or branch as the repository spells it, `latest`, or `local-YYYY-MM-DD`. */
  version: string
  ref: string | null
  commit: string | null
}

/** Reading a source yields pages; what is left out by rule, and what could not be read, is data. */
export type SourceEvent =
  | { type: 'page'; page: Page }
  | { type: 'skipped'; path: string; reason: string }
  | { type: 'failed'; url: string; reason: string }
