import { terms } from '../../chunk/terms.ts'
import { namesWithin } from '../name/exact-name.ts'
import french from './french.txt' with { type: 'text' }
import { frenchStem } from './french.ts'
import german from './german.txt' with { type: 'text' }
import { germanClause, germanSpellings, germanStem, germanStems } from './german.ts'
import { clausesOf, folded, readGlossary, type Glossary } from './glossary.ts'

type Language = {
  glossary: Glossary
  /** Noun and adjective endings, which are stripped before looking for a stem. */
  ending: RegExp
  /** Returns the possible spellings of a folded word, the usual one first. */
  spellings(word: string): string[]
  /** Returns the possible stems of a folded word, likeliest first. */
  stems(word: string): string[]
  clause(words: readonly string[]): readonly string[]
  hasCompounds: boolean
}

/**
 * A word of a query and its English translation; null if it stays as typed. `isSure`: true if the
 * glossary alone gave the translation; false if it relies on a part of a compound that occurs in
 * the documentation.
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
 * Translates each word of a text, or several words that form one term, with the glossary. Code
 * stays unchanged. A word that the pages contain also stays, unless the glossary has exactly this
 * form. With `isGuess` (the language of the text is uncertain) it stays even then. Words with an
 * empty translation are dropped.
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

/** Maximum number of letters of a glossary word, and of a compound. */
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

/**
 * Minimum number of letters of a compound's part: shorter parts match by chance. A part outside the
 * glossary needs more.
 */
const least = { part: 3, known: 4 }

/** Splits a compound and translates its parts, longest last part first: `Umgebungsvariable`. */
function compound(word: string, language: Language, pages: Pages): WordTranslation | null {
  if (word.length > most.compound) return null
  const part = (text: string): WordTranslation | null => {
    const said = inflected(text, language)
    if (said !== null) return { said, isSure: true }
    if (text.length < least.known || !pages.isKnown(terms(text)[0] ?? '')) return null
    return { said: text, isSure: false }
  }
  // Cached by length, because many possible last parts share one beginning.
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
