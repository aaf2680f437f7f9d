import { terms } from '../chunk/terms.ts'
import { distance } from '../platform/text/nearest.ts'
import type { NearTerm, Vocabulary } from '../store/pages/vocabulary.ts'
import type { Collection } from './collection.ts'
import { termsOfName } from './name/name.ts'
import { detectQueryLanguage } from './scope/query-language.ts'

/** Query terms that occur on no page, each with the most similar terms that do occur. */
export type NearTerms = ReadonlyMap<string, readonly NearTerm[]>

/**
 * Limits: `near` replacements per term, `collections` searched (0.5 ms each), `characters` of the
 * query, and `slips` (mistyped words) per query.
 */
const most = { near: 2, collections: 16, characters: 2000, slips: 8 }

/**
 * For query terms that occur on no page of any collection, finds the terms that were probably
 * meant. For a name (`updateuser`, `placment_group`) these are up to two similar terms; for a word
 * in a sentence, terms within one or two edits. Returns an empty map if a collection has no page
 * index.
 */
export async function findNearTerms(
  collections: readonly Pick<Collection, 'open'>[],
  text: string,
): Promise<NearTerms> {
  if (collections.length > most.collections) return new Map()
  const pages = await Promise.all(collections.map(({ open }) => open.pageIndex()))
  const isUnknown = (term: string) => pages.every((index) => index !== null && !index.knows(term))
  const isName = termsOfName(text) !== null
  const words = text.slice(0, most.characters).split(/\s+/)
  const typos = words.filter((word) => (isName ? isUnknownName : isSlip)(word, isUnknown))
  if (typos.length === 0) return new Map()
  // Words of another language are not typing errors, and correcting them would change the meaning.
  if (!isName && (detectQueryLanguage(text) ?? 'en') !== 'en') return new Map()
  const all = await Promise.all(collections.map(({ open }) => open.vocabulary()))
  const vocabularies = all.filter((it) => it !== null)
  if (isName) return nearNames(typos, vocabularies, isUnknown)
  const rarity = (term: string) => Math.min(...pages.map((index) => index!.rarity(term)))
  return nearWords(typos.slice(0, most.slips), vocabularies, rarity)
}

type IsUnknown = (term: string) => boolean

function isUnknownName(word: string, isUnknown: IsUnknown): boolean {
  const [whole, ...parts] = terms(word)
  return whole !== undefined && isUnknown(whole) && (parts.length === 0 || parts.some(isUnknown))
}

/**
 * Compares by character trigrams: a dropped, doubled, swapped or joined letter changes only a few
 * of them.
 */
function nearNames(
  typos: readonly string[],
  vocabularies: readonly Vocabulary[],
  isUnknown: IsUnknown,
): NearTerms {
  const pairs = typos
    .map((word) => terms(word))
    .flatMap(([whole, ...parts]) => {
      const near = vocabularies.flatMap((it) => it.near(whole!, most.near))
      const best = new Map(near.map((it) => [it.term, it]))
      const sorted = [...best.values()].sort((a, b) => b.likeness - a.likeness).slice(0, most.near)
      return [whole!, ...parts.filter(isUnknown)].map((term) => [term, sorted] as const)
    })
  return new Map(pairs.filter(([, near]) => near.length > 0))
}

/** Only words of letters can be typing errors, not `C++17` or `v2`. */
function isSlip(word: string, isUnknown: IsUnknown): boolean {
  const plain = plainWord(word)
  return plain !== null && isUnknown(terms(plain)[0]!)
}

function plainWord(word: string): string | null {
  return /^\p{P}*([A-Za-z][a-z]{3,30})\p{P}*$/u.exec(word)?.[1]?.toLowerCase() ?? null
}

/** Words of at least this many letters may have two typing errors. */
const longWord = 8

/**
 * In a sentence, a word that occurs nowhere is often a synonym, which embeddings handle. So only
 * terms within one edit (two for long words) are considered, the most frequent first. Terms are
 * stems, so both the typed word and its stem are compared.
 */
function nearWords(
  typos: readonly string[],
  vocabularies: readonly Vocabulary[],
  rarity: (term: string) => number,
): NearTerms {
  const pairs = typos.map((word) => {
    const typed = plainWord(word)!
    const stem = terms(typed)[0]!
    const edits = typed.length < longWord ? 1 : 2
    const slips = (term: string) => Math.min(distance(typed, term), distance(stem, term))
    const near = vocabularies.flatMap((it) =>
      [typed, stem].flatMap((form) => it.within(form, edits)),
    )
    const sorted = [...new Set(near)]
      .map((term) => ({ term, slips: slips(term), rarity: rarity(term) }))
      .sort((a, b) => a.slips - b.slips || a.rarity - b.rarity)
    const likest = sorted.filter((it) => it.slips === sorted[0]!.slips).slice(0, most.near)
    const alike = likest.map((it) => ({ term: it.term, likeness: 1 - it.slips / typed.length }))
    return [stem, alike] as const
  })
  return new Map(pairs.filter(([, near]) => near.length > 0))
}

/** Two terms of at least this length hardly resemble each other by chance. */
const longTerm = 9

/**
 * Replaces mistyped words of the query by what was probably meant: in a sentence the nearest term,
 * in a name only a long one.
 */
export function correctedText(text: string, near: NearTerms): string {
  if (near.size === 0) return text
  const isName = termsOfName(text) !== null
  return text.replace(/\S+/g, (word) => {
    const [best] = near.get(terms(word)[0] ?? '') ?? []
    return best !== undefined && (!isName || best.term.length >= longTerm) ? best.term : word
  })
}

/**
 * Returns the text to embed. A name is embedded as typed, because a similar one is a different
 * name.
 */
export function textToEmbed(text: string, near: NearTerms): string {
  return termsOfName(text) === null ? correctedText(text, near) : text
}
