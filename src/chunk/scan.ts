import type { Lines } from './line.ts'

/**
 * The kind of a block. `silent` shows nothing to a reader (labels, comments, local tables of
 * contents). `opening` is the first line of a container, and `container` is a directive or
 * admonition with its body.
 */
export type BlockKind =
  | 'heading'
  | 'silent'
  | 'paragraph'
  | 'fence'
  | 'table'
  | 'list'
  | 'item'
  | 'container'
  | 'opening'
  | 'indented'

/** The state of a scan for blocks: the lines before `to`, which are indented by `base` columns. */
export type BlockScan = { lines: Lines; to: number; base: number }

export type BlockEnd = { kind: BlockKind; to: number }

export type LineStart = { line: number; head: string }
