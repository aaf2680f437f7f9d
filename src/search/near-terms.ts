import { terms } from '../chunk/terms.ts'
import type { NearTerm } from '../store/pages/vocabulary.ts'
import type { Collection } from './collection.ts'
import { askedName } from './name/name.ts'

/** What was asked and stands nowhere, and the terms that are most like it and do. */
export type NearTerms = ReadonlyMap<string, readonly NearTerm[]>

/** Terms that stand in for one; and collections that are looked at, 0.5 ms each. */
const most = { near: 2, collections: 16 }

/**
 * For names that no page of any collection has (`updateuser`, `placment_group`) up to two terms
 * that look most like them. Character trigrams: what is dropped, doubled, swapped or run together
 * changes few of them. In a sentence a word that stands nowhere is rather a synonym, and embeddings
 * know it; a name whose parts all stand somewhere is found by those. None where nothing tells what
 * the pages have.
 */
export async function nearTerms(
  collections: readonly Pick<Collection, 'open'>[],
  text: string,
): Promise<NearTerms> {
  if (askedName(text) === null || collections.length > most.collections) return new Map()
  const pages = await Promise.all(collections.map(({ open }) => open.pageIndex()))
  const isUnknown = (term: string) => pages.every((known) => known !== null && !known.knows(term))
  const mistyped = text.split(/\s+/).map((word) => terms(word)).filter(([whole, ...parts]) =>
    whole !== undefined && isUnknown(whole) && (parts.length === 0 || parts.some(isUnknown)))
  if (mistyped.length === 0) return new Map()
  const vocabularies = await Promise.all(collections.map(({ open }) => open.vocabulary()))
  const found = mistyped.flatMap(([whole, ...parts]) => {
    const near = vocabularies.flatMap((it) => it?.near(whole!, most.near) ?? [])
    const best = new Map(near.map((it) => [it.term, it]))
    const sorted = [...best.values()].sort((a, b) => b.likeness - a.likeness).slice(0, most.near)
    return [whole!, ...parts.filter(isUnknown)].map((term) => [term, sorted] as const)
  })
  return new Map(found.filter(([, near]) => near.length > 0))
}

/** Of so many letters a term is hardly like another one by chance. */
const longTerm = 9

/** The query with the most alike of the long near terms in place of what was mistyped. */
export function meantText(text: string, near: NearTerms): string {
  if (near.size === 0) return text
  return text.replace(/\S+/g, (word) => {
    const [best] = near.get(terms(word)[0] ?? '') ?? []
    return best !== undefined && best.term.length >= longTerm ? best.term : word
  })
}
