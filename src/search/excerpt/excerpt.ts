import { innerBlocks } from '../../chunk/block.ts'
import { trimmedLineStart, lineAt } from '../../chunk/line.ts'
import { trimRange, type Range } from '../../chunk/range.ts'
import { bodyBlocks, blockExtent, deepestBlock, type BodyBlock } from './body-block.ts'
import { withoutOverlaps, maxWholeChars, type Excerpt, type Frame } from './excerpt-range.ts'
import { sectionAt, type Outline, type SectionText } from './outline.ts'

/** A shorter paragraph is shown with the code, table or list after it. */
const leadChars = 400
/** A shorter remainder of a section before or after the excerpt is included. */
const restChars = 250

/** Widens a range to whole blocks with their lead-ins, and to short remainders of the section. */
export function widenToExcerpt(outline: Outline, range: Range): Excerpt {
  const content = trimRange(outline.text, range)
  if (content.start === content.end) return { ranges: [range], frame: [] }
  const above = startBorder(outline, content.start)
  const below = endBorder(outline, content.end)
  const ranges = [{ start: above.at, end: Math.max(below.at, content.end) }]
  return withoutOverlaps(outline, { ranges, frame: [...above.frame, ...below.frame] })
}

type Border = { at: number; frame: Frame[] }

function startBorder(outline: Outline, offset: number): Border {
  const section = outline.sections[sectionAt(outline, offset)]!
  const { start, bodyStart, end } = section
  if (offset < bodyStart || end - start <= maxWholeChars.section) return { at: start, frame: [] }
  const blocks = bodyBlocks(outline, section)
  const index = blocks.findIndex((block) => offset < block.end)
  const block = blocks[index]
  if (block === undefined) return { at: start, frame: [] }
  const opened = cutAtStart(outline, block, offset)
  const before = blocks[index - 1]
  const isLead = before !== undefined && isIntroducedBy(block, before)
  const at = isLead && opened.at <= block.start ? before.start : opened.at
  if (at - bodyStart <= restChars) return { at: start, frame: [] }
  const lead = isLead && at > block.start ? [before] : []
  const hasSignature = isSignature(outline, section, blocks[0]!)
  const isShort = hasSignature && blocks[0]!.end - bodyStart <= signatureChars
  const heading = bodyStart > start ? [{ start, end: isShort ? blocks[0]!.end : bodyStart }] : []
  return { at, frame: [...heading, ...lead, ...opened.frame] }
}

/** A longer signature is not repeated above a later part of its section. */
const signatureChars = 2000

/** True if the block is the signature of a symbol of the API reference, below its name. */
export function isSignature(
  { text }: Outline,
  { start, bodyStart }: SectionText,
  block: BodyBlock,
): boolean {
  const isName = /^#{1,2} `[^`\n]+`\s*$/.test(text.slice(start, bodyStart))
  return isName && block.kind === 'fence' && text.slice(bodyStart, block.start).trim() === ''
}

/** Finds a start that does not cut the block, or the frame that the cut block needs. */
function cutAtStart(outline: Outline, block: Inner, offset: number): Border {
  const { start, end } = trimRange(outline.text, block)
  if (offset <= start || end - start <= maxWholeChars.block) return { at: block.start, frame: [] }
  const { lines } = outline
  const lineStart = lines.starts[lineAt(lines, offset)]!
  const at = offset - lineStart > restChars ? offset : lineStart
  if (block.kind === 'fence' || block.kind === 'table') {
    return {
      at,
      frame: [{ start: block.start, end: openingLineEnd(outline, block), isTight: true }],
    }
  }
  const inner = innerBlockAt(outline, block, offset)
  if (inner === null) return { at, frame: [] }
  const opened = cutAtStart(outline, inner, offset)
  if (block.kind === 'list') return opened
  const firstLine = { start: block.start, end: lines.starts[block.from + 1]! }
  return { at: opened.at, frame: [firstLine, ...opened.frame] }
}

function endBorder(outline: Outline, offset: number): Border {
  const section = outline.sections[sectionAt(outline, offset - 1)]!
  const { start, bodyStart, end } = section
  if (offset <= bodyStart || end - start <= maxWholeChars.section) return { at: end, frame: [] }
  const blocks = bodyBlocks(outline, section)
  const index = blocks.findIndex((block) => offset <= block.end)
  const block = blocks[index]
  if (block === undefined) return { at: end, frame: [] }
  const closed = cutAtEnd(outline, block, offset)
  const after = blocks[index + 1]
  const announces = /[:：]\s*$/.test(outline.text.slice(block.start, block.end))
  const isLead = after !== undefined && announces && after.end - after.start <= maxWholeChars.block
  const at = isLead && closed.at >= block.end ? after.end : closed.at
  return end - at <= restChars ? { at: end, frame: [] } : { at, frame: closed.frame }
}

function cutAtEnd(outline: Outline, block: Inner, offset: number): Border {
  const { start, end } = trimRange(outline.text, block)
  if (offset >= end || end - start <= maxWholeChars.block) return { at: block.end, frame: [] }
  const { lines } = outline
  const lineEnd = lines.starts[lineAt(lines, offset - 1) + 1]!
  const at = lineEnd - offset > restChars ? offset : lineEnd
  if (block.kind === 'fence') {
    const lastLine = lines.starts[lineAt(lines, end - 1)]!
    return { at, frame: [{ start: lastLine, end, isTight: true }] }
  }
  const inner = block.kind === 'table' ? null : innerBlockAt(outline, block, offset - 1)
  return inner === null ? { at, frame: [] } : cutAtEnd(outline, inner, offset)
}

/** `depth` is the number of blocks that enclose this one. */
type Inner = BodyBlock & { depth?: number }

function innerBlockAt({ lines }: Outline, block: Inner, offset: number): Inner | null {
  const depth = (block.depth ?? 0) + 1
  const parts = depth < deepestBlock ? innerBlocks(lines, block) : []
  if (parts.length < 2) return null
  const part = parts.find(({ to }) => offset < lines.starts[to]!)
  return part === undefined ? null : { ...blockExtent(lines, part), depth }
}

/** True if a paragraph introduces the code, table or list after it. */
export function isIntroducedBy(block: BodyBlock, before: BodyBlock): boolean {
  const isLed = ['fence', 'table', 'list', 'indented'].includes(block.kind)
  return isLed && before.kind === 'paragraph' && before.end - before.start <= leadChars
}

/** Returns the offset after a code block's opening line or a table's header rows. */
export function openingLineEnd({ lines }: Outline, block: BodyBlock): number {
  if (block.kind === 'fence') return lines.starts[block.from + 1]!
  const last = Math.min(block.to, block.from + 8)
  for (let line = block.from + 1; line < last; line++) {
    if (/^[|+=:\- ]+$/.test(trimmedLineStart(lines, line)) && lines.indents[line] !== -1) {
      return lines.starts[line + 1]!
    }
  }
  return lines.starts[block.from + 1]!
}
