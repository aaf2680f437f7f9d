import { withoutRequest } from '../../chunk/terms.ts'
import { hasStatements } from '../../chunk/variants.ts'
import { trimRange, type Range } from '../../chunk/range.ts'
import { bodyBlocks, isCode, partsAroundCode, type BodyBlock } from './body-block.ts'
import { rateExamples } from './example-code.ts'
import { isIntroducedBy, isSignature } from './excerpt.ts'
import { withoutOverlaps, type Excerpt } from './excerpt-range.ts'
import { scoreWindows, type QueryFocus } from './focus.ts'
import { sectionAt, type Outline, type SectionText } from './outline.ts'

const exampleWords = /\b(?:examples?|snippet|sample|show me|show(?: the)? code|code for)\b/i
const howWords = /\b(?:how|way to|can i|do i|should i|syntax)\b/i
/** Matches a task such as `configure two databases`. A single word is more likely a name. */
const task = new RegExp(
  '^\\s*(?:add|build|call|change|configure|connect|convert|create|define|disable|enable|handle' +
    '|implement|load|make|mock|parse|read|register|return|run|send|set ?up|store|test|update|use' +
    '|validate|write)\\s+\\S+\\s+\\S',
  'i',
)

/** True if a query asks for code, and not only for how to do something. */
export function asksForExample(query: string): boolean {
  return exampleWords.test(query) || withoutRequest(query) !== query
}

/** True if a query asks how to do something, so that code answers it. */
export function asksHow(query: string): boolean {
  return howWords.test(query) || task.test(query) || asksForExample(query)
}

/**
 * Where `addExample` looks for code: the number of sections and characters around the excerpt, and
 * the factor per section of distance. For a how-to question, only later sections count because
 * other code would distract from the prose that answers it, and only code outside lists because its
 * list is shown whole.
 */
const reaches = {
  howTo: { before: 0, after: 4, characters: 6_000, fading: 0.8, isDeep: false },
  example: { before: 40, after: 40, characters: 100_000, fading: 0.95, isDeep: true },
}
/** Settings for a query that asks for an example. */
const example = {
  /** Shorter code is completed if the excerpt shows a part of it. */
  mostWhole: 1700,
  /** Maximum number of code blocks that are added. */
  mostAdded: 2,
  /** Minimum share of the best score for added code. */
  leastScore: 0.9,
}
/** Weight of plain text, drawings, signatures and the output of code. */
const outputWeight = 0.2

type Reach = (typeof reaches)[keyof typeof reaches]

/** Code and the sentence before it. `codeStart` is the offset of the code. */
type Candidate = Range & { codeStart: number; section: number; weight: number }

type Wanted = {
  focus: QueryFocus
  wantsExample: boolean
  /** True if the caller shortens the excerpt, so that it may get a second code block. */
  isShortened?: boolean
}

/**
 * Adds the page's most relevant code, unless the excerpt already has code that is as relevant.
 * Guides often describe a task in one section and show its code in another, or show preparatory
 * code first. For an example, also completes code that the excerpt cuts, and adds a second code
 * block that is nearly as relevant.
 */
export function addExample(outline: Outline, excerpt: Excerpt, wanted: Wanted): Excerpt {
  const { wantsExample, isShortened = false } = wanted
  const content = trimRange(outline.text, {
    start: excerpt.ranges[0]!.start,
    end: excerpt.ranges.at(-1)!.end,
  })
  const own = sectionAt(outline, content.start)
  const reach = wantsExample ? reaches.example : reaches.howTo
  const candidates = candidatesFrom(outline, content, reach)
  if (candidates.length === 0) return excerpt
  const isInside = ({ codeStart, end }: Candidate) =>
    excerpt.ranges.some((range) => codeStart < range.end && range.start < end)
  const scores = rated(outline, candidates, wanted)
  const most = Math.max(...scores)
  const ownScore = Math.max(0, ...scores.filter((_, i) => isInside(candidates[i]!)))
  const isSeveral = wantsExample && isShortened
  const best = candidates
    .map((candidate, i) => ({ candidate, score: scores[i]! }))
    .filter(({ candidate, score }) => {
      const isBest = score === most && most > ownScore
      return !isInside(candidate) && (isBest || (isSeveral && score >= example.leastScore * most))
    })
    .sort((a, b) => b.score - a.score)
    .slice(0, isSeveral ? example.mostAdded : 1)
    .map(({ candidate }) => candidate)
  const isShort = ({ codeStart, end }: Candidate) => end - codeStart <= example.mostWhole
  const cut = wantsExample ? candidates.filter((one) => isInside(one) && isShort(one)) : []
  if (best.length + cut.length === 0) return excerpt
  const headings = best.flatMap(({ section }) => {
    const { start, bodyStart } = outline.sections[section]!
    return section === own ? [] : [{ start, end: bodyStart }]
  })
  return withoutOverlaps(outline, {
    ranges: [
      ...excerpt.ranges,
      ...cut.map(({ codeStart, end }) => ({ start: codeStart, end })),
      ...best.map(({ start, end }) => ({ start, end })),
    ],
    frame: [...excerpt.frame, ...headings],
  })
}

/** Returns the code block that is the page's best example of the query's subject. */
export function bestExample(outline: Outline, focus: QueryFocus): Range | null {
  const whole = { start: 0, end: outline.text.length }
  const candidates = candidatesFrom(outline, whole, { ...reaches.example, fading: 1 })
  const scores = rated(outline, candidates, { focus, wantsExample: true })
  const best = candidates[scores.indexOf(Math.max(...scores))]
  return best === undefined ? null : { start: best.codeStart, end: best.end }
}

function rated(
  outline: Outline,
  candidates: readonly Candidate[],
  { focus, wantsExample }: Wanted,
): number[] {
  if (wantsExample) {
    const blocks = candidates.map(({ codeStart, end, section }) => {
      return { start: codeStart, end, section }
    })
    return rateExamples(outline, blocks, focus).map((score, i) => score * candidates[i]!.weight)
  }
  const rate = scoreWindows(outline, candidates, focus)
  return candidates.map(({ weight }, i) => (rate(i, i + 1) + 1) * weight)
}

/** Returns the code blocks near an excerpt, each with the sentence before it. */
function candidatesFrom(outline: Outline, { start, end }: Range, reach: Reach): Candidate[] {
  const candidates: Candidate[] = []
  const own = sectionAt(outline, start)
  const last = Math.min(outline.sections.length - 1, own + reach.after)
  for (let at = Math.max(0, own - reach.before); at <= last; at++) {
    const section = outline.sections[at]!
    if (section.end < start - reach.characters) continue
    if (section.start - end > reach.characters) break
    const fading = reach.fading ** Math.abs(at - own)
    for (const { weight, isDeep, ...code } of codeUnder(outline, section)) {
      if (isDeep && !reach.isDeep) continue
      candidates.push({ ...code, section: at, weight: fading * weight })
    }
  }
  return candidates
}

/** `isDeep` is true for code in a list or container. */
type Code = Omit<Candidate, 'section'> & { isDeep: boolean }

/** Returns the code blocks under a heading. Caches them because a server rereads pages. */
function codeUnder(outline: Outline, section: SectionText): readonly Code[] {
  return codeOf.getOrInsertComputed(section, () => findCode(outline, section))
}

const codeOf = new WeakMap<SectionText, readonly Code[]>()

function findCode(outline: Outline, section: SectionText): Code[] {
  const codes: Code[] = []
  let before: BodyBlock | null = null
  for (const outer of bodyBlocks(outline, section)) {
    for (const block of partsAroundCode(outline, outer)) {
      const code = outline.text.slice(block.start, block.end)
      if (block.kind === 'indented' || (isCode(block) && hasStatements(code))) {
        const isLed = before !== null && isIntroducedBy(block, before)
        const start = isLed ? before!.start : block.start
        const isLow =
          isOutput(outline.text.slice(start, block.start), code) ||
          (before === null && isSignature(outline, section, block))
        codes.push({
          start,
          codeStart: block.start,
          end: block.end,
          weight: isLow ? outputWeight : 1,
          isDeep: block !== outer,
        })
      }
      before = block
    }
  }
  return codes
}

const outputWords =
  /\b(?:outputs?|prints?|printed|results?|resulting|produces?|generate[sd]?|returns)\b/i
const outputFence = /^\s*[`~]{3,}[ \t]*(?:$|sql\b|console\b)/
const plainText = /^\s*[`~]{3,}[ \t]*(?:text|txt|plain|plaintext|output)\b|\bsignature\]/i

const drawnLine = /^\s*(?:[+|│├└┌─╭╰]|-+\|)/

/** True if most lines of a fence belong to a diagram, a table or a folder tree. */
function isDrawing(fence: string): boolean {
  const lines = fence.trim().split('\n').slice(1, -1)
  return lines.filter((line) => drawnLine.test(line)).length * 2 > lines.length
}

/** True for plain text, a drawing, a signature, or output that its lead-in announces. */
function isOutput(lead: string, fence: string): boolean {
  const [opening = ''] = fence.trimStart().split('\n', 1)
  return (
    plainText.test(opening) ||
    isDrawing(fence) ||
    (outputWords.test(lead) && outputFence.test(opening))
  )
}
