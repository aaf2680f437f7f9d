import type { Range } from '../../chunk/range.ts'
import { indexTermsOf } from '../../chunk/terms.ts'
import { variantGroups, type Variant } from '../../chunk/variants.ts'
import { bodyBlocks } from './body-block.ts'
import type { Excerpt } from './excerpt-range.ts'
import type { Focus } from './focus.ts'
import { sectionsOf, type Outline } from './outline.ts'

/**
 * Keeps one of several variants of a code example (tabs) and lists the labels of the others in a
 * line below it. Keeps the variant that contains the queried name or most query terms, otherwise
 * the first complete one.
 */
export function withoutVariants(outline: Outline, excerpt: Excerpt, focus: Focus): Excerpt {
  return [...sectionsOf(outline, excerpt.ranges)]
    .flatMap((at) => groupsUnder(outline, at))
    .reduce((excerptSoFar, group) => keepOneVariant(group, excerptSoFar, focus), excerpt)
}

type Groups = readonly (readonly Variant[])[]

/**
 * Returns the variant groups under a heading. They are cached, because a server reads the same
 * pages again.
 */
function groupsUnder(outline: Outline, at: number): Groups {
  const bySection = groupsOf.get(outline) ?? new Map<number, Groups>()
  groupsOf.set(outline, bySection)
  const groups =
    bySection.get(at) ?? variantGroups(outline.text, bodyBlocks(outline, outline.sections[at]!))
  bySection.set(at, groups)
  return groups
}

/** Keyed by the index of the heading among the sections. */
const groupsOf = new WeakMap<Outline, Map<number, Groups>>()

function keepOneVariant(
  group: readonly Variant[],
  { ranges, frame }: Excerpt,
  { terms: queryTerms, nameScore: named }: Focus,
): Excerpt {
  const shares = group.map((variant) => {
    const share = overlapWith(variant, ranges) / (variant.end - variant.start)
    if (share === 0) return 0
    const variantTerms = new Set(indexTermsOf(`${variant.label} ${variant.code}`))
    const words =
      queryTerms.filter((term) => variantTerms.has(term)).length / Math.max(1, queryTerms.length)
    return share + named(variant.code) + words
  })
  const most = Math.max(...shares)
  if (most === 0) return { ranges, frame }
  const at = shares.indexOf(most)
  const others = group.toSpliced(at, 1)
  const { start, end } = group[at]!
  // Splits the range at the end of the variant, because the note goes there.
  const remaining = [...others, { start: end, end }].reduce<Range[]>(
    (all, variant) => all.flatMap((range) => without(range, variant)),
    ranges,
  )
  const framesLeft = frame.filter((part) => !others.some((variant) => overlap(variant, part) > 0))
  const labels = others.map(({ label }) => label).join(', ')
  // The note replaces all later variants, so that the text after them follows it directly.
  const note = { start: end, end: group.at(-1)!.end, instead: `[also: ${labels}]` }
  // Earlier variants leave no gap.
  const above = { start: group[0]!.start, end: start, instead: '' }
  const isWhole = remaining.some((range) => range.start === start)
  return { ranges: remaining, frame: [...framesLeft, ...(isWhole && at > 0 ? [above] : []), note] }
}

function overlap(a: Range, b: Range): number {
  return Math.max(0, Math.min(a.end, b.end) - Math.max(a.start, b.start))
}

function overlapWith(variant: Range, ranges: readonly Range[]): number {
  return ranges.reduce((sum, range) => sum + overlap(variant, range), 0)
}

function without(range: Range, { start, end }: Range): Range[] {
  if (end <= range.start || range.end <= start) return [range]
  const parts = [
    { start: range.start, end: start },
    { start: end, end: range.end },
  ]
  return parts.filter((part) => part.start < part.end)
}
