import { lineAt, trimmedLineStart } from '../../chunk/line.ts'
import { hasStatements } from '../../chunk/variants.ts'
import { trimRange, type Range } from '../../chunk/range.ts'
import { bodyBlocks, type BodyBlock } from './body-block.ts'
import { isIntroducedBy } from './excerpt.ts'
import { withoutOverlaps, type Excerpt } from './excerpt-range.ts'
import { scoreWindows, type QueryFocus } from './focus.ts'
import { sectionAt, type Outline } from './outline.ts'

const exampleWords = /\b(?:examples?|snippet|sample|show me|show(?: the)? code|code for)\b/i
const howWords = /\b(?:how|way to|can i|do i|should i|syntax)\b/i
/** A task in the imperative: `configure two databases`. A single word is more likely a name. */
const task = new RegExp(
  '^\\s*(?:add|build|call|change|configure|connect|convert|create|define|disable|enable|handle' +
    '|implement|load|make|mock|parse|read|register|return|run|send|set ?up|store|test|update|use' +
    '|validate|write)\\s+\\S+\\s+\\S',
  'i',
)

/** True if a query asks for code, and not only how to do something. */
export function asksForExample(query: string): boolean {
  return exampleWords.test(query)
}

/** True if a query asks how to do something, so that code answers it. */
export function asksHow(query: string): boolean {
  return howWords.test(query) || task.test(query) || asksForExample(query)
}

/**
 * How far `addExample` looks for code: the number of sections before and after the excerpt's own,
 * and the number of characters below the excerpt.
 */
const reach = { sections: 4, characters: 6_000 }
/** Weight of code by the number of sections between it and the excerpt. */
const fading = 0.8
/** How many later sections are as far from the excerpt as one earlier section. */
const earlierDistance = 2
/** Weight of plain text, drawings, signatures and the output of code. */
const outputWeight = 0.2

/** Code and the sentence before it; `codeStart` is where the code begins. */
type Candidate = Range & { codeStart: number; section: number; weight: number }

/**
 * Adds the code of the page that is most relevant to the query, unless the excerpt already has code
 * that is just as relevant. Guides often describe a task in one section and show its code in the
 * next, or show preparatory code first. `looksBack` also searches the sections before the excerpt;
 * their code would only distract from prose that answers the question.
 */
export function addExample(
  outline: Outline,
  excerpt: Excerpt,
  { focus, looksBack }: { focus: QueryFocus; looksBack: boolean },
): Excerpt {
  const content = trimRange(outline.text, {
    start: excerpt.ranges[0]!.start,
    end: excerpt.ranges.at(-1)!.end,
  })
  const own = sectionAt(outline, content.start)
  const first = looksBack ? Math.max(0, own - reach.sections) : own
  const found = candidatesFrom(outline, { first, own, end: content.end, looksBack })
  const candidates = rated(outline, found, { own, focus })
  const isInside = ({ codeStart, end }: Candidate) =>
    excerpt.ranges.some((range) => codeStart < range.end && range.start < end)
  if (candidates.length === 0) return excerpt
  const scores = candidates.map(({ score }) => score)
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

/** Rates candidates. Drops the code of earlier sections unless it is the best of all. */
function rated(
  outline: Outline,
  candidates: readonly Candidate[],
  { own, focus }: { own: number; focus: QueryFocus },
): (Candidate & { score: number })[] {
  const rate = scoreWindows(outline, candidates, focus)
  const all = candidates.map((one, i) => ({ ...one, score: (rate(i, i + 1) + 1) * one.weight }))
  const best = all.reduce((a, b) => (b.score > a.score ? b : a), all[0]!)
  const isLater = ({ section }: Candidate) => section >= own
  if (all.length === 0 || !isLater(best) || all.every(isLater)) return all
  return rated(outline, candidates.filter(isLater), { own, focus })
}

/**
 * Returns the code blocks, each with the sentence before it, from section `first` to the sections
 * after the excerpt's own.
 */
function candidatesFrom(
  outline: Outline,
  { first, own, end, looksBack }: { first: number; own: number; end: number; looksBack: boolean },
): Candidate[] {
  const candidates: Candidate[] = []
  const last = Math.min(outline.sections.length - 1, own + reach.sections)
  for (let at = first; at <= last; at++) {
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
        const lead = outline.text.slice(start, codeStart)
        const code = outline.text.slice(codeStart, block.end)
        const distance = at < own ? (own - at) * earlierDistance : at - own
        // A command answers how to do something, but is no example of code.
        const isLow = isOutput(lead, code) || (looksBack && isSession(code))
        const weight = fading ** distance * (isLow ? outputWeight : 1)
        candidates.push({ start, codeStart, end: block.end, section: at, weight })
      }
      before = block
    }
  }
  return candidates
}

const outputWords =
  /\b(?:outputs?|prints?|printed|results?|resulting|produces?|generate[sd]?|returns)\b/i
const outputFence = /^\s*[`~]{3,}[ \t]*(?:$|sql\b|console\b)/
const plainText = /^\s*[`~]{3,}[ \t]*(?:text|txt|plain|plaintext|output)\b|\bsignature\]/i

const drawnLine = /^\s*(?:[+|│├└┌─╭╰]|-+\|)/

/** Whether most lines of a fence are parts of a diagram, a table or a tree of folders. */
function isDrawing(fence: string): boolean {
  const lines = fence.trim().split('\n').slice(1, -1)
  return lines.filter((line) => drawnLine.test(line)).length * 2 > lines.length
}

/** Whether a fence is a session at a prompt that shows more output than commands. */
function isSession(fence: string): boolean {
  const lines = fence.trim().split('\n').slice(1, -1)
  const written = lines.filter((line) => line.trim() !== '').length
  const commands = lines.filter((line) => /^\s*\$ \S/.test(line)).length
  return commands > 0 && written > 3 * commands
}

/**
 * Whether a fence has plain text, a drawing, a signature, or the output that the sentence before it
 * announces.
 */
function isOutput(lead: string, fence: string): boolean {
  const [opening = ''] = fence.trimStart().split('\n', 1)
  return (
    plainText.test(opening) ||
    isDrawing(fence) ||
    (outputWords.test(lead) && outputFence.test(opening))
  )
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
