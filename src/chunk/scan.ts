import type { Markup } from '../page/page.ts'
import type { Lines } from './line.ts'

/**
 * `silent` says nothing to a reader (labels, comments, local tables of contents), `opening` is the
 * first line of a container, `container` a directive or admonition with its body.
 */
export type BlockKind =
  | 'heading' | 'silent' | 'paragraph' | 'fence' | 'table' | 'list' | 'item'
  | 'container' | 'opening' | 'indented'

/** Where blocks are looked for: lines before `to`, of which those beyond `base` are indented. */
export type Scan = {
  lines: Lines
  markup: Markup
  to: number
  base: number
  /** False once a simple table had no closing border: then no later one has, and none is sought. */
  closed: boolean
}

/** What begins at a line: its kind, and the line after it. */
export type BlockEnd = { kind: BlockKind; to: number }

/** A line and its first characters. */
export type Spot = { line: number; head: string }
