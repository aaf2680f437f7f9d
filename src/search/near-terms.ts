import { indexTermsOf } from '../chunk/terms.ts'
import { distance } from '../platform/text/nearest.ts'
import type { NearTerm, Vocabulary } from '../store/pages/vocabulary.ts'
import type { Collection } from './collection.ts'
import { nameQueryTerms } from './name/name.ts'
import { detectQueryLanguage } from './scope/query-language.ts'
import { maxVocabularies } from './name/spelled-names.ts'

/** Query terms that occur on no page, each with its most similar known terms. */
export type NearTerms = ReadonlyMap<string, readonly Correction[]>

/** `word` is the typed word with two swapped letters corrected. It can replace it everywhere. */
type Correction = NearTerm & { word?: string }

/** Limits: `near` replacements per term, `characters` and `slips` (mistyped words) per query. */
const most = { near: 2, characters: 2000, slips: 8 }

/**
 * Finds the terms that the user probably meant if query terms occur on no page of any collection.
 * For a name (`updateuser`, `placment_group`), returns up to two similar terms. For a word in a
 * sentence, returns terms within one or two edits. Returns an empty map if a collection has no page
 * index.
 */
export async function findNearTerms(
  collections: readonly Pick<Collection, 'open'>[],
  text: string,
  isEnglishWord: (word: string) => Promise<boolean> = async () => false,
): Promise<NearTerms> {
  if (collections.length > maxVocabularies) return new Map()
  const pages = await Promise.all(collections.map(({ open }) => open.pageIndex()))
  const isUnknown = (term: string) => pages.every((index) => index !== null && !index.knows(term))
  const isName = nameQueryTerms(text) !== null
  const words = text.slice(0, most.characters).split(/\s+/)
  const typos = words.filter((word) => (isName ? isUnknownName : isSlip)(word, isUnknown))
  if (typos.length === 0) return new Map()
  const slips = isName ? [] : await slipsAmong(typos, isEnglishWord)
  if (!isName && slips.length === 0) return new Map()
  // Words of another language are not typing errors. Correcting them would change the meaning.
  if (!isName && (detectQueryLanguage(text) ?? 'en') !== 'en') return new Map()
  const all = await Promise.all(collections.map(({ open }) => open.vocabulary()))
  const vocabularies = all.filter((it) => it !== null)
  if (isName) return nearNames(typos, vocabularies, isUnknown)
  const rarity = (term: string) => Math.min(...pages.map((index) => index!.rarity(term)))
  return nearWords(slips.slice(0, most.slips), vocabularies, rarity)
}

type IsUnknown = (term: string) => boolean

function isUnknownName(word: string, isUnknown: IsUnknown): boolean {
  const [whole, ...parts] = indexTermsOf(word)
  return whole !== undefined && isUnknown(whole) && (parts.length === 0 || parts.some(isUnknown))
}

function nearNames(
  typos: readonly string[],
  vocabularies: readonly Vocabulary[],
  isUnknown: IsUnknown,
): NearTerms {
  const pairs = typos.flatMap((word) => {
    const [whole, ...parts] = indexTermsOf(word)
    const swapped = unswapped(word, isUnknown)
    const near =
      swapped.length > 0 ? swapped : nearTermsOf(whole!, word.toLowerCase(), vocabularies)
    return [whole!, ...parts.filter(isUnknown)].map((term) => [term, near] as const)
  })
  return new Map(pairs.filter(([, near]) => near.length > 0))
}

/** Longer names are not checked for swapped letters. Shorter terms are not used as corrections. */
const maxSwapped = 100
const minSwapped = 4

/** Returns known terms that result from swapping two neighbouring letters of the name. */
function unswapped(word: string, isUnknown: IsUnknown): Correction[] {
  if (word.length > maxSwapped) return []
  const corrections = new Map<string, Correction>()
  const likeness = 1 - 1 / word.length
  for (let at = 0; at + 1 < word.length; at++) {
    const other = word.slice(0, at) + word[at + 1]! + word[at]! + word.slice(at + 2)
    const [term] = indexTermsOf(other)
    if (term === undefined || term.length < minSwapped || isUnknown(term)) continue
    corrections.set(term, { term, likeness, word: other })
  }
  return [...corrections.values()].slice(0, most.near)
}

/**
 * Prefers terms within one edit, or two for long names. Swapping two letters is one edit. If there
 * are none, compares character trigrams, most of which survive if a part is dropped, doubled or
 * joined. Terms are stems, so this compares both the typed name and its stem.
 */
function nearTermsOf(
  stem: string,
  word: string,
  vocabularies: readonly Vocabulary[],
): readonly NearTerm[] {
  const edits = word.length < longWord ? 1 : 2
  const forms = [...new Set([word, stem])]
  const slips = new Map<string, number>()
  for (const vocabulary of vocabularies) {
    for (const term of forms.flatMap((form) => vocabulary.within(form, edits))) {
      slips.set(term, Math.min(...forms.map((form) => distance(form, term))))
    }
  }
  if (slips.size > 0) {
    const least = Math.min(...slips.values())
    return [...slips]
      .filter(([, n]) => n === least)
      .slice(0, most.near)
      .map(([term, n]) => ({ term, likeness: 1 - n / word.length }))
  }
  const near = vocabularies.flatMap((it) => it.near(stem, most.near))
  const best = new Map(near.map((it) => [it.term, it]))
  return [...best.values()].sort((a, b) => b.likeness - a.likeness).slice(0, most.near)
}

/** True for an unknown word of letters only. `C++17` and `v2` are not typing errors. */
function isSlip(word: string, isUnknown: IsUnknown): boolean {
  const plain = plainWord(word)
  return plain !== null && isUnknown(indexTermsOf(plain)[0]!)
}

/** Drops frequent English words, which are synonyms of words on the pages: `move` is not `more`. */
async function slipsAmong(
  typos: readonly string[],
  isEnglishWord: (word: string) => Promise<boolean>,
): Promise<string[]> {
  const isEnglish = await Promise.all(typos.map((word) => isEnglishWord(plainWord(word)!)))
  return typos.filter((_, i) => !isEnglish[i])
}

function plainWord(word: string): string | null {
  return /^\p{P}*([A-Za-z][a-z]{3,30})\p{P}*$/u.exec(word)?.[1]?.toLowerCase() ?? null
}

/** Words with at least this many letters may have two typing errors. */
const longWord = 8

/**
 * Returns the nearest terms within one edit, or two for long words, most frequent first. In a
 * sentence, an unknown word is often a synonym, which embeddings handle. Terms are stems, so this
 * compares both the typed word and its stem.
 */
function nearWords(
  typos: readonly string[],
  vocabularies: readonly Vocabulary[],
  rarity: (term: string) => number,
): NearTerms {
  const pairs = typos.map((word) => {
    const plain = plainWord(word)!
    const stem = indexTermsOf(plain)[0]!
    const edits = plain.length < longWord ? 1 : 2
    const slips = (term: string) => Math.min(distance(plain, term), distance(stem, term))
    const near = vocabularies.flatMap((it) =>
      [plain, stem].flatMap((form) => it.within(form, edits)),
    )
    const sorted = [...new Set(near)]
      .map((term) => ({ term, slips: slips(term), rarity: rarity(term) }))
      .sort((a, b) => a.slips - b.slips || a.rarity - b.rarity)
    const likest = sorted.filter((it) => it.slips === sorted[0]!.slips).slice(0, most.near)
    const alike = likest.map((it) => ({ term: it.term, likeness: 1 - it.slips / plain.length }))
    return [stem, alike] as const
  })
  return new Map(pairs.filter(([, near]) => near.length > 0))
}

/** Terms of at least this length are rarely similar by chance. */
const longTerm = 9

/**
 * Replaces mistyped words of the query. Undoes swapped letters, and otherwise takes the nearest
 * term. In a name, replaces only long terms.
 */
export function correctedText(text: string, near: NearTerms): string {
  const isName = nameQueryTerms(text) !== null
  return replaceWords(
    text,
    near,
    (best) => best.word ?? (!isName || best.term.length >= longTerm ? best.term : null),
  )
}

/** Undoes swapped letters and leaves other mistyped words unchanged. */
export function unswappedText(text: string, near: NearTerms): string {
  return replaceWords(text, near, ({ word }) => word ?? null)
}

function replaceWords(
  text: string,
  near: NearTerms,
  replacement: (best: Correction) => string | null,
): string {
  if (near.size === 0) return text
  return text.replace(/\S+/g, (word) => {
    const [best] = near.get(indexTermsOf(word)[0] ?? '') ?? []
    return (best && replacement(best)) ?? word
  })
}

/** Returns the text to embed. In a name, corrects only swapped letters. */
export function textToEmbed(text: string, near: NearTerms): string {
  return nameQueryTerms(text) === null ? correctedText(text, near) : unswappedText(text, near)
}
