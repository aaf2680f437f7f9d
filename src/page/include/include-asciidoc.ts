import type { IncludeFinder } from './include.ts'
import { selectPart, type IncludePart } from './include-part.ts'

/**
 * Finds `include::path[lines=1..3,tag=name]`. Attributes in braces at the start of a path are
 * folders.
 */
export const asciidocInclude: IncludeFinder = (lines, { line, formatOf }) => {
  const [, target, written = ''] =
    /^include::([^\s[\]]+)\[([^\]]*)\]\s*$/.exec(lines[line] ?? '') ?? []
  if (target === undefined) return null
  const part: IncludePart = {}
  const range = /\blines="?([\d.;,]+)"?/.exec(written)?.[1]
  const tag = /\btags?="?([\w.-]+)"?/.exec(written)?.[1]
  if (range) part.lines = range
  if (tag) part.region = tag
  const isMarkup = formatOf(target) === 'asciidoc'
  const render = (text: string, limit: number) => selectPart(text, part, limit)
  return { from: line, to: line + 1, target, render, isMarkup }
}
