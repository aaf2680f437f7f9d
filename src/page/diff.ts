import type { Page } from './page.ts'
import { headings } from '../document/headings.ts'

/** A heading with the text up to the next heading of any level. */
type DiffSection = {
  /** The heading path, joined by ` > `; '' above the first heading. */
  heading: string
  text: string
}

/** `before` is null for an added section, `after` for a removed one. */
export type SectionChange = { heading: string; before: string | null; after: string | null }

/**
 * Returns the sections that differ between two versions of a page, in the order of the newer one. A
 * removed section follows the sections before it. Sections with the same heading path are matched
 * by equal text first, then in order.
 */
export function diffSections(
  before: Pick<Page, 'text' | 'markup'>,
  after: Pick<Page, 'text' | 'markup'>,
): SectionChange[] {
  const [old, now] = [splitSections(before), splitSections(after)]
  const partners = partnersOf(old, now)
  const matched = new Set(partners.values())
  const changes: SectionChange[] = []
  let at = 0
  const passRemoved = (end: number) => {
    for (; at < end; at++) {
      const { heading, text } = old[at]!
      if (!matched.has(at)) changes.push({ heading, before: text, after: null })
    }
  }
  now.forEach(({ heading, text }, index) => {
    const partner = partners.get(index)
    if (partner !== undefined) passRemoved(partner)
    const was = partner === undefined ? null : old[partner]!.text
    if (was !== text) changes.push({ heading, before: was, after: text })
  })
  passRemoved(old.length)
  return changes
}

/** Splits a page into trimmed sections. Drops blank text above the first heading. */
export function splitSections({ text, markup }: Pick<Page, 'text' | 'markup'>): DiffSection[] {
  const starts = headings(text, markup)
  const path: { level: number; title: string }[] = []
  const first = { heading: '', text: text.slice(0, starts[0]?.offset).trim() }
  const rest = starts.map(({ offset, level, title }, index) => {
    while (path.length > 0 && path.at(-1)!.level >= level) path.pop()
    path.push({ level, title })
    const heading = path.map((it) => it.title).join(' > ')
    return { heading, text: text.slice(offset, starts[index + 1]?.offset).trim() }
  })
  return first.text === '' ? rest : [first, ...rest]
}

/** Maps indexes in `now` to the indexes of the matching sections in `old`. */
function partnersOf(old: readonly DiffSection[], now: readonly DiffSection[]): Map<number, number> {
  const partners = new Map<number, number>()
  const free = new Map<string, number[]>()
  const take = (index: number, key: string) => {
    const partner = partners.has(index) ? undefined : free.get(key)?.pop()
    if (partner !== undefined) partners.set(index, partner)
  }
  const whole = ({ heading, text }: DiffSection) => `${heading}\0${text}`
  // Reversed, so that `pop` returns the first section.
  const last = [...old.entries()].toReversed()
  for (const [index, section] of last) offer(free, whole(section), index)
  now.forEach((section, index) => take(index, whole(section)))
  free.clear()
  const matched = new Set(partners.values())
  for (const [index, { heading }] of last) if (!matched.has(index)) offer(free, heading, index)
  now.forEach(({ heading }, index) => take(index, heading))
  return partners
}

function offer(free: Map<string, number[]>, key: string, index: number): void {
  free.getOrInsert(key, []).push(index)
}
