import { parseAttributes } from '../../document/attributes.ts'
import type { IncludeFinder } from './include-file.ts'
import { selectPart, type IncludePart } from './include-part.ts'

/** Finds `include::path[lines=1..3,tag=name]`. Attributes at the start of the path are folders. */
export const asciidocInclude: IncludeFinder = (lines, { line, formatOf }) => {
  const [, target, options = ''] =
    /^include::([^\s[\]]+)\[([^\]]*)\]\s*$/.exec(lines[line] ?? '') ?? []
  if (target === undefined) return null
  const attributes = parseAttributes(options)
  const range = attributes.get('lines')
  const tags = attributes.get('tag') ?? attributes.get('tags') ?? ''
  const part: IncludePart = { ...(range && { lines: range }), ...tagPart(tags) }
  const isMarkup = formatOf(target) === 'asciidoc'
  const render = (text: string, limit: number) => selectPart(text, part, limit)
  return { from: line, to: line + 1, target, render, isMarkup }
}

/**
 * Selects the parts of a file with these tags. Commas or semicolons separate tags; `*` selects all.
 */
export function tagPart(tags: string): IncludePart {
  const names = tags.split(/[,;]/).flatMap((tag) => /^!?[\w.-]+$/.exec(tag.trim())?.[0] ?? [])
  return names.length === 0 ? {} : { regions: names }
}
