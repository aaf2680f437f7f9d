import { lineAt, trimmedLineStart } from '../../chunk/line.ts'
import { hasStatements } from '../../chunk/variants.ts'
import { trimRange, type Range } from '../../chunk/range.ts'
import { bodyBlocks, type BodyBlock } from './body-block.ts'
import { isIntroducedBy } from './excerpt.ts'
import { withoutOverlaps, type Excerpt } from './excerpt-range.ts'
import { scoreWindows, type QueryFocus } from './focus.ts'
import { sectionAt, type Outline } from './outline.ts'

const howWords = new RegExp(
  '\\b(?:how|examples?|snippet|sample|show me|show(?: the)? code|code for|way to|can i|do i' +
    '|should i|syntax)\\b',
  'i',
)

/** True if a query asks how to do something, so that code answers it. */
export function asksHow(query: string): boolean {
  return howWords.test(query)
}

/** How far below the excerpt `addExample` looks for code: number of sections and characters. */
const reach = { sections: 4, characters: 6_000 }
/** Weight of code by the number of sections between it and the excerpt. */
const fading = 0.8

/** Code and the sentence before it; `codeStart` is where the code begins. */
type Candidate = Range & { codeStart: number; section: number; distance: number }

/**
 * Adds the code of the page that is most relevant to the query, unless the excerpt already has code
 * that is just as relevant. Guides often describe a task in one section and show its code in the
 * next, or show preparatory code first.
 */
export function addExample(outline: Outline, excerpt: Excerpt, focus: QueryFocus): Excerpt {
  const content = trimRange(outline.text, {
    start: excerpt.ranges[0]!.start,
    end: excerpt.ranges.at(-1)!.end,
  })
  const own = sectionAt(outline, content.start)
  const candidates = candidatesFrom(outline, own, content.end)
  const isInside = ({ codeStart, end }: Candidate) =>
    excerpt.ranges.some((range) => codeStart < range.end && range.start < end)
  if (candidates.length === 0) return excerpt
  const rate = scoreWindows(outline, candidates, focus)
  const scores = candidates.map(({ distance }, i) => (rate(i, i + 1) + 1) * fading ** distance)
  const shown = Math.max(0, ...scores.filter((_, i) => isInside(candidates[i]!)))
  const most = Math.max(...scores)
  if (most <= shown) return excerpt
  const best = candidates[scores.indexOf(most)]!
  const { start, bodyStart } = outline.sections[best.section]!
  const heading = best.section === own ? [] : [{ start, end: bodyStart }]
  return withoutOverlaps(outline, {
    ranges: [...excerpt.ranges, { start: best.start, end: best.end }],
    frame: [...excerpt.frame, ...heading],
  })
}

/**
 * Returns the code blocks, each with the sentence before it, of the excerpt's own section and the
 * sections after it.
 */
function candidatesFrom(outline: Outline, own: number, end: number): Candidate[] {
  const candidates: Candidate[] = []
  const last = Math.min(outline.sections.length - 1, own + reach.sections)
  for (let at = own; at <= last; at++) {
    const section = outline.sections[at]!
    if (section.start - end > reach.characters) break
    let before: BodyBlock | null = null
    for (const block of bodyBlocks(outline, section)) {
      const isComment =
        block.kind === 'fence' && !hasStatements(outline.text.slice(block.start, block.end))
      if (isCodeBlock(outline, block) && !isComment) {
        const isLed = before !== null && isIntroducedBy(block, before)
        const start = isLed ? before!.start : block.start
        const codeStart = block.start
        candidates.push({ start, codeStart, end: block.end, section: at, distance: at - own })
      }
      before = block
    }
  }
  return candidates
}

/** True for fenced code; in reStructuredText also for literal blocks and test directives. */
export function isCodeBlock({ lines, markup }: Outline, { kind, start }: BodyBlock): boolean {
  if (kind === 'fence') return true
  if (markup !== 'rst') return false
  if (kind === 'indented') return true
  return (
    kind === 'container' &&
    /^\s*\.\. test(?:code|setup)::/.test(trimmedLineStart(lines, lineAt(lines, start)))
  )
}
