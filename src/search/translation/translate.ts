import { terms } from '../../chunk/terms.ts'
import { namesWithin } from '../name/exact-name.ts'
import french from './french.txt' with { type: 'text' }
import { frenchStem } from './french.ts'
import german from './german.txt' with { type: 'text' }
import { germanClause, germanSpellings, germanStem, germanStems } from './german.ts'
import { clausesOf, folded, readGlossary, type Glossary } from './glossary.ts'

type Language = {
  glossary: Glossary
  /** What a noun's or an adjective's ending may be, before its stem is looked for. */
  ending: RegExp
  /** The ways in which a folded word may be typed, the usual one first. */
  spellings(word: string): string[]
  /** The stems that a folded word may have, likeliest first. */
  stems(word: string): string[]
  clause(words: readonly string[]): readonly string[]
  hasCompounds: boolean
}

/**
 * A word of a query: what it is called in English; null where it stays as it was typed. `isSure`:
 * by the glossary alone, not since a part of a compound stands in the documentation.
 */
export type Said = { typed: string; said: string | null; isSure: boolean }

const opened = new Map<string, Language>()
const openers: Record<string, () => Language> = {
  de: () => {
    const glossary = readGlossary(german, germanStem)
    const isVerb = (stem: string) => glossary.stems.has(stem)
    const clause = (words: readonly string[]) => germanClause(words, isVerb)
    const ending = /(?:e[nmrs]?|n|s)$/
    const spellings = germanSpellings
    return { glossary, spellings, stems: germanStems, clause, ending, hasCompounds: true }
  },
  fr: () => ({
    glossary: readGlossary(french, frenchStem),
    ending: /(?:es?|s|x)$/,
    spellings: (word) => [word],
    stems: (word) => [frenchStem(word)],
    clause: (words) => words,
    hasCompounds: false,
  }),
}

export const glossaryLanguages = Object.keys(openers)

/**
 * Each word of a text in that language, or several that are one thing there, by the glossary.
 * What is written like code stays, and so does what `isKnown` where the glossary has it in another
 * form only; in whatever form with `isGuess`, where nothing tells that the text is in that
 * language. What says nothing is left out.
 */
export function translated(text: string, code: string, pages: Pages): Said[] {
  const language = opened.get(code) ?? openers[code]!()
  opened.set(code, language)
  return clausesOf(text).flatMap((words) => {
    const clause = language.clause(words)
    const said: Said[] = []
    for (let at = 0; at < clause.length; ) {
      const { nWords, ...one } = saidAt(clause.slice(at), language, pages)
      if (one.said !== '') said.push(one)
      at += nWords
    }
    return said
  })
}

type Pages = { isKnown: (term: string) => boolean; isGuess?: boolean }
type WordTranslation = Omit<Said, 'typed'>

/** Letters of a word of the glossary, and of one that may be made of several. */
const most = { word: 100, compound: 40 }

const asTyped: WordTranslation = { said: null, isSure: false }

function saidAt(words: readonly string[], language: Language, pages: Pages) {
  const { glossary, stems } = language
  for (let nWords = Math.min(glossary.longest, words.length); nWords > 1; nWords--) {
    const some = words.slice(0, nWords).map(folded)
    const said =
      glossary.words.get(some.join(' ')) ??
      glossary.stems.get(some.map((word) => stems(word)[0]).join(' '))
    if (said === undefined) continue
    return { typed: words.slice(0, nWords).join(' '), said, isSure: true, nWords }
  }
  return { typed: words[0]!, ...saidOf(words[0]!, language, pages), nWords: 1 }
}

function saidOf(word: string, language: Language, pages: Pages): WordTranslation {
  if (word.length > most.word || namesWithin(word).length > 0) return asTyped
  const own = word.toLowerCase()
  const { words } = language.glossary
  const isThere = pages.isKnown(terms(word)[0] ?? '')
  if (pages.isGuess && isThere) return asTyped
  const exact = words.get(own) ?? words.get(folded(word))
  if (exact !== undefined) return { said: exact, isSure: true }
  if (isThere) return asTyped
  const said = inflected(own, language)
  if (said !== null) return { said, isSure: true }
  if (own.includes('-')) return joined(word.split('-'), language, pages)
  return (language.hasCompounds && compound(own, language, pages)) || asTyped
}

function joined(parts: readonly string[], language: Language, pages: Pages): WordTranslation {
  const said = parts.map((part) => ({ part, ...saidOf(part, language, pages) }))
  if (said.every((it) => it.said === null)) return asTyped
  const words = said.map((it) => it.said ?? it.part)
  return { said: words.filter((it) => it !== '').join(' '), isSure: false }
}

function inflected(word: string, language: Language): string | null {
  const { glossary, ending, spellings, stems } = language
  const ways = [word, ...spellings(folded(word))]
  const nouns = ways.flatMap((it) => [it, it.replace(ending, '')])
  const noun = nouns.map((it) => glossary.words.get(it)).find((said) => said)
  if (noun !== undefined) return noun
  return (
    stems(folded(word))
      .map((it) => glossary.stems.get(it))
      .find((said) => said) ?? null
  )
}

/** Of less letters a part of a compound is found by chance; one of no glossary needs more. */
const least = { part: 3, known: 4 }

/** The parts of a compound, the longest last one first: `Umgebungsvariable`. */
function compound(word: string, language: Language, pages: Pages): WordTranslation | null {
  if (word.length > most.compound) return null
  const part = (text: string): WordTranslation | null => {
    const said = inflected(text, language)
    if (said !== null) return { said, isSure: true }
    if (text.length < least.known || !pages.isKnown(terms(text)[0] ?? '')) return null
    return { said: text, isSure: false }
  }
  // By its length: one beginning of a word stands before many last parts.
  const beginnings = new Map<number, WordTranslation | null>()
  const parted = (length: number): WordTranslation | null => {
    if (!beginnings.has(length)) beginnings.set(length, inTwo(length))
    return beginnings.get(length)!
  }
  const inTwo = (length: number): WordTranslation | null => {
    for (let at = least.part; at <= length - least.part; at++) {
      const last = part(word.slice(at, length))
      if (last === null) continue
      const first = part(word.slice(0, at)) ?? parted(at)
      if (first === null || !(first.isSure || last.isSure)) continue
      const said = `${first.said} ${last.said}`
      return { said, isSure: first.isSure && last.isSure }
    }
    return null
  }
  return parted(word.length)
}
