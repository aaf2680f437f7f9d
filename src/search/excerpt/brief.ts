import type { Range } from '../../chunk/range.ts'
import { indexTermsOf } from '../../chunk/terms.ts'
import { cutToWords } from '../../platform/tokens.ts'
import { bestExample } from './example.ts'
import { lastPart, parsePageSymbols } from '../../api/page-symbols.ts'
import { codeOf } from '../../api/render.ts'
import { isIntroducedBy, isSignature } from './excerpt.ts'
import { excerptText } from './excerpt-text.ts'
import type { Excerpt, Frame } from './excerpt-range.ts'
import { bestWindow, scoreWindows, usedTerms, type QueryFocus } from './focus.ts'
import { bodyBlocks, isCode, partsAroundCode, type BodyBlock } from './body-block.ts'
import { outlinePage, type Outline } from './outline.ts'
import { dropTargets } from './plain-html.ts'
import type { Markup } from '../../document/headings.ts'

/** Blocks that are shown together, such as code or a list with the sentence or label before it. */
type Unit = Range & { blocks: BodyBlock[]; isSignature?: boolean }

type BriefOptions = { focus: QueryFocus; most: number; wantsCode: boolean; wantsExample?: boolean }

/** Text is not shortened if it exceeds the requested length by less than this factor. */
const tolerance = 1.15

/**
 * Removes parts of a passage that cost an agent tokens but answer nothing: link targets, and the
 * ends of very long lines in signatures.
 */
export function dropNoise(
  { text, markup }: { text: string; markup: Markup },
  { isApi }: { isApi: boolean },
): string {
  if (markup !== 'markdown') return text
  const plain = dropTargets(text)
  return isApi ? plain.replace(signatures, shortSignature) : plain
}

/** Matches the code below a symbol's heading. */
const signatures = /(?<=(?:^|\n)#{1,2} `[^\n]{1,300}`\n\n)```\w+\n[^]*?\n```(?=\n|$)/g
/** Longer lines end with generics; parameters have their own lines. */
const mostColumns = 160

function shortSignature(fence: string): string {
  const shorten = (line: string) =>
    line.length > mostColumns * tolerance ? `${line.slice(0, mostColumns).trimEnd()}…` : line
  return fence.split('\n').map(shorten).join('\n')
}

type SymbolText = {
  terms: readonly string[]
  most: number
  /** The symbol's page, which documents the members of a class or module. */
  page: { title: string; text: string }
}

/**
 * Puts a symbol of the API reference on one line: its signature, its first sentence and the most
 * relevant other sentence, in about `most` characters. If there is room, a class lists its members.
 * Returns null if the excerpt has no signature.
 */
export function symbolLine(excerpt: string, { terms, most, page }: SymbolText): string | null {
  const [head, name, code] = signatureHead.exec(excerpt) ?? []
  if (head === undefined) return null
  // Shows how to create an object instead of the class line with its bases.
  const signature = codeOf(code!.replace(/^class [^\n]*\n(?=\S)/, ''))
  const short =
    signature.length > mostSignature ? `${signature.slice(0, mostSignature)}…\`` : signature
  const sentences = sentencesOf(excerpt.slice(head.length))
  const termSet = new Set(terms)
  const scores = sentences.map((it) => new Set(indexTermsOf(it)).intersection(termSet).size)
  const best = sentences[scores.indexOf(Math.max(...scores))] ?? ''
  const both = [...new Set([sentences[0] ?? '', best])].join(sentences[1] === best ? ' ' : ' […] ')
  const sample = sampleLine(excerpt.slice(head.length), termSet)
  const chosen = both.length <= most * tolerance ? both : best
  const text = chosen.length > most * tolerance ? `${cutToWords(chosen, most)} […]` : chosen
  const room = most * tolerance - text.length
  const isOwner = name === page.title && room >= leastMembers
  const listed = isOwner && sample === '' ? namesWithin(memberNames(page), room) : ''
  const rest = [text, sample, listed === '' ? '' : `Members: ${listed}`]
    .filter((it) => it !== '')
    .join(' ')
  return rest === '' ? short : `${short}: ${rest}`
}

const signatureHead = /^#{1,2} `([^`\n]+)`\n\n```\w*\n([^]*?)\n```(?:\n|$)/
const mostSignature = 150
/** Members are listed if at least this many characters remain. */
const leastMembers = 40

/** A longer line of code does not fit on the line of a symbol. */
const mostSample = 100

/** Returns the code line that passes the largest number of query terms as parameters, or ''. */
function sampleLine(text: string, wanted: ReadonlySet<string>): string {
  const fences = [...text.matchAll(/^[ \t]*(`{3,})[^\n]*\n([^]*?)\n[ \t]*\1$/gm)]
  const lines = fences
    .flatMap(([, , code]) => code!.split('\n'))
    .map((line) => line.replace(/^\s*(?:>>> |\.\.\. )?/, ''))
    .filter((line) => line.length <= mostSample && !/[([{]$/.test(line))
  const counts = lines.map((line) => usedTerms(wanted, line).size)
  const most = Math.max(0, ...counts)
  return most === 0 ? '' : codeOf(lines[counts.indexOf(most)]!)
}

/** Returns the sentences and list items of Markdown, each on one line, without code or titles. */
function sentencesOf(text: string): string[] {
  const paragraphs = text.replace(/^([ \t]*`{3,})[^]*?\n\1$/gm, '').split(/\n\s*\n|\n(?=- )/)
  return paragraphs
    .filter(
      (it) =>
        !/^\s*(?:(?:\[…\]|\*\*[^*\n]*\*\*|#.*)?\s*$|Also `|Since \d|Inherited from `)/.test(it),
    )
    .flatMap((it) =>
      it
        .trim()
        .replace(/\s+/g, ' ')
        .replace(/^(?:[-*]|\d+\.) /, '')
        .split(/(?<=[.!?]) (?=[\p{Lu}`*])/u),
    )
}

/** Returns the members of the class or module that an API page documents. */
function memberNames({ title, text }: SymbolText['page']): string[] {
  const names = parsePageSymbols(text).map(({ qualifiedName }) => qualifiedName)
  return names.filter((name) => name !== title).map(lastPart)
}

/** Joins the first names that fit into `most` characters. */
export function namesWithin(names: readonly string[], most: number): string {
  const text = names.join(', ')
  const end = text.length <= most ? text.length : text.lastIndexOf(', ', most)
  return end < 0 ? '' : text.slice(0, end) + (end < text.length ? ', …' : '')
}

/**
 * Shortens an excerpt to about `most` characters. Keeps the block that is most relevant to the
 * query (or the most relevant code if the query asks for code) and the best other blocks that fit.
 * `[…]` marks gaps. A sentence stays with the code that it introduces. A block longer than `most`
 * is cut to its best lines, and its code fence stays closed.
 */
export function shortenExcerpt(
  excerpt: { text: string; markup: Markup },
  { focus, most, wantsCode, wantsExample = false }: BriefOptions,
): string {
  if (excerpt.text.length <= most * tolerance) return excerpt.text
  const outline = outlinePage(excerpt)
  const units = unitsOf(outline, wantsExample ? most : Infinity)
  if (units.length === 0) return excerpt.text
  const rate = scoreWindows(outline, units, focus)
  const scores = units.map((unit, i) => {
    const weight = showsFailure(outline, unit) ? failureWeight : 1
    const isExample = wantsExample && unit.blocks.some(isCode)
    return rate(i, i + 1) * weight * (isExample ? exampleWeight : 1)
  })
  const best = (some: readonly number[]) =>
    some.reduce((a, b) => (scores[b]! > scores[a]! ? b : a), some[0]!)
  const all = units.map((_, i) => i)
  const code = wantsCode ? all.filter((i) => units[i]!.blocks.some(isCode)) : []
  const example = wantsExample ? bestExample(outline, focus) : null
  const showing = example === null ? -1 : units.findIndex((unit) => example.end <= unit.end)
  const first = showing === -1 ? best(code.length > 0 ? code : all) : showing
  units[first] = withoutLead(units[first]!, most)
  if (sizeOf(units[first]) > most) {
    return excerptText(outline, cut(outline, units[first], { focus, most }))
  }
  const chosen = filled(units, scores, { first, most })
  const ranges = chosen.map((i) => ({ start: units[i]!.start, end: units[i]!.end }))
  return excerptText(outline, { ranges, frame: [] })
}

/** Groups the blocks of a text. Splits lists with code that are longer than `mostWhole`. */
function unitsOf(outline: Outline, mostWhole: number): Unit[] {
  const units: Unit[] = []
  for (const section of outline.sections) {
    let before: BodyBlock | null = null
    const blocks = bodyBlocks(outline, section).flatMap((block) =>
      sizeOf(block) > mostWhole ? partsAroundCode(outline, block) : [block],
    )
    for (const block of blocks) {
      if (isGap(outline, block)) {
        before = null
        continue
      }
      const last = units.at(-1)
      if (last && before && (isIntroducedBy(block, before) || isLabel(outline, before))) {
        last.blocks.push(block)
        last.end = block.end
      } else {
        const { start, end } = block
        const isHead = before === null && isSignature(outline, section, block)
        units.push({ start, end, blocks: [block], isSignature: isHead })
      }
      before = block
    }
  }
  // Drops a label at the end because the text that it introduces was not chosen.
  return units.filter(({ blocks }) => blocks.some((block) => !isLabel(outline, block)))
}

/** True for an omission mark in the input. The shortened text gets its own marks. */
function isGap({ text }: Outline, { start, end }: BodyBlock): boolean {
  return text.slice(start, end).trim() === '[…]'
}

/** Weight of code compared with prose if the query asks for an example. */
const exampleWeight = 3
/** Weight of code followed by an error trace, which repeats the code's words. */
const failureWeight = 0.3

function showsFailure({ text }: Outline, { start, end }: Unit): boolean {
  return text.slice(start, end).includes('\nTraceback (most recent call last)')
}

/** True for a line that is all bold or code, such as `**Warning**` or a signature. */
function isLabel({ text }: Outline, { start, end }: BodyBlock): boolean {
  return /^(?:\*\*[^*\n]{1,200}\*\*|``[^`\n]{1,500}``|`[^`\n]{1,500}`):?$/.test(
    text.slice(start, end).trim(),
  )
}

/** Prefers neighbours of a chosen unit because gaps interrupt reading. */
const besideWeight = 1.5

/** Returns the first unit and the best others that fit, in text order. */
function filled(
  units: readonly Unit[],
  scores: readonly number[],
  { first, most }: { first: number; most: number },
): number[] {
  const chosen = new Set([first])
  let left = most - sizeOf(units[first]!)
  const valueOf = (i: number) =>
    (1 + scores[i]!) * (chosen.has(i - 1) || chosen.has(i + 1) ? besideWeight : 1)
  for (;;) {
    const fitting = units.flatMap((unit, i) => (!chosen.has(i) && sizeOf(unit) <= left ? [i] : []))
    if (fitting.length === 0) return [...chosen].sort((a, b) => a - b)
    const next = fitting.reduce((a, b) => (valueOf(b) > valueOf(a) ? b : a))
    chosen.add(next)
    left -= sizeOf(units[next]!)
  }
}

/** Removes the sentences before code if the code fits only without them. */
function withoutLead(unit: Unit, most: number): Unit {
  const from = unit.blocks.findIndex(({ start }) => unit.end - start <= most)
  return from < 1
    ? unit
    : { ...unit, start: unit.blocks[from]!.start, blocks: unit.blocks.slice(from) }
}

/** Returns the best lines of a unit's longest block, with the sentence before it. */
function cut(
  outline: Outline,
  { blocks }: Unit,
  { focus, most }: { focus: QueryFocus; most: number },
): Excerpt {
  const block = blocks.at(-1)!
  const lead = blocks.slice(0, -1).filter((one) => sizeOf(one) <= most / 2)
  const room = most - lead.reduce((sum, one) => sum + sizeOf(one), 0)
  const { starts } = outline.lines
  const isFence = block.kind === 'fence' && block.to - block.from > 2
  const inner = isFence
    ? { start: starts[block.from + 1]!, end: starts[block.to - 1]! }
    : { start: block.start, end: block.end }
  const fences: Frame[] = isFence
    ? [
        { start: block.start, end: inner.start, isTight: true },
        { start: inner.end, end: block.end, isTight: true },
      ]
    : []
  return {
    ranges: [bestWindow(outline, inner, { focus, most: room })],
    frame: [...lead, ...fences],
  }
}

function sizeOf({ start, end }: Range): number {
  return end - start
}
