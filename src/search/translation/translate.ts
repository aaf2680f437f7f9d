import { indexTermsOf } from '../../chunk/terms.ts'
import { findNames } from '../name/exact-name.ts'
import french from '../../../data/translation/french.txt' with { type: 'text' }
import { frenchStem } from './french.ts'
import german from '../../../data/translation/german.txt' with { type: 'text' }
import { germanClause, germanSpellings, germanStem, germanStems } from './german.ts'
import { clausesOf, foldAccents, readGlossary, type Glossary } from './glossary.ts'

type Language = {
  glossary: Glossary
  /** Noun and adjective endings that are removed before a stem is looked up. */
  ending: RegExp
  /** Returns the possible spellings of a folded word, the usual one first. */
  spellings(word: string): string[]
  /** Returns the possible stems of a folded word, most likely first. */
  stems(word: string): string[]
  clause(words: readonly string[]): readonly string[]
  hasCompounds: boolean
}

/**
 * A word of a query and its English translation, or null if the word stays unchanged. `isSure` is
 * true if the translation comes from the glossary alone. It is false if part of a compound was
 * found in the documentation.
 */
export type WordTranslation = { source: string; english: string | null; isSure: boolean }

const loadedLanguages = new Map<string, Language>()
const languageLoaders: Record<string, () => Language> = {
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

export const glossaryLanguages = Object.keys(languageLoaders)

/**
 * Translates each word of the text, or several words that form one term, with the glossary. Code
 * stays unchanged. A word that occurs on the pages also stays, unless the glossary has exactly this
 * form. With `isGuess` (the text's language is uncertain), it stays even then. Drops words with an
 * empty translation.
 */
export function translateWords(text: string, code: string, pages: Pages): WordTranslation[] {
  const language = loadedLanguages.getOrInsertComputed(code, () => languageLoaders[code]!())
  return clausesOf(text).flatMap((words) => {
    const clause = language.clause(words)
    const english: WordTranslation[] = []
    for (let at = 0; at < clause.length; ) {
      const { nWords, ...one } = translateAt(clause.slice(at), language, pages)
      if (one.english !== '') english.push(one)
      at += nWords
    }
    return english
  })
}

type Pages = { isKnown: (term: string) => boolean; isGuess?: boolean }
type UntypedTranslation = Omit<WordTranslation, 'source'>

/** Maximum number of letters of a glossary word, and of a compound. */
const most = { word: 100, translateCompound: 40 }

const asTyped: UntypedTranslation = { english: null, isSure: false }

function translateAt(words: readonly string[], language: Language, pages: Pages) {
  const { glossary, stems } = language
  for (let nWords = Math.min(glossary.longest, words.length); nWords > 1; nWords--) {
    const some = words.slice(0, nWords).map(foldAccents)
    const english =
      glossary.words.get(some.join(' ')) ??
      glossary.stems.get(some.map((word) => stems(word)[0]).join(' '))
    if (english === undefined) continue
    return { source: words.slice(0, nWords).join(' '), english, isSure: true, nWords }
  }
  return { source: words[0]!, ...translateWord(words[0]!, language, pages), nWords: 1 }
}

function translateWord(word: string, language: Language, pages: Pages): UntypedTranslation {
  if (word.length > most.word || findNames(word).length > 0) return asTyped
  const own = word.toLowerCase()
  const { words } = language.glossary
  const isThere = pages.isKnown(indexTermsOf(word)[0] ?? '')
  if (pages.isGuess && isThere) return asTyped
  const exact = words.get(own) ?? words.get(foldAccents(word))
  if (exact !== undefined) return { english: exact, isSure: true }
  if (isThere) return asTyped
  const english = translateInflected(own, language)
  if (english !== null) return { english, isSure: true }
  if (own.includes('-')) return translateHyphenated(word.split('-'), language, pages)
  return (language.hasCompounds && compound(own, language, pages)) || asTyped
}

function translateHyphenated(
  parts: readonly string[],
  language: Language,
  pages: Pages,
): UntypedTranslation {
  const english = parts.map((part) => ({ part, ...translateWord(part, language, pages) }))
  if (english.every((it) => it.english === null)) return asTyped
  const words = english.map((it) => it.english ?? it.part)
  return { english: words.filter((it) => it !== '').join(' '), isSure: false }
}

function translateInflected(word: string, language: Language): string | null {
  const { glossary, ending, spellings, stems } = language
  const ways = [word, ...spellings(foldAccents(word))]
  const nouns = ways.flatMap((it) => [it, it.replace(ending, '')])
  const noun = nouns.map((it) => glossary.words.get(it)).find((english) => english)
  if (noun !== undefined) return noun
  return (
    stems(foldAccents(word))
      .map((it) => glossary.stems.get(it))
      .find((english) => english) ?? null
  )
}

/**
 * Minimum number of letters in a part of a compound. Shorter parts match by chance, and a part that
 * is not in the glossary needs more letters.
 */
const least = { part: 3, known: 4 }

/** Splits a compound such as `Umgebungsvariable` and translates its parts, last one first. */
function compound(word: string, language: Language, pages: Pages): UntypedTranslation | null {
  if (word.length > most.translateCompound) return null
  const part = (text: string): UntypedTranslation | null => {
    const english = translateInflected(text, language)
    if (english !== null) return { english, isSure: true }
    if (text.length < least.known || !pages.isKnown(indexTermsOf(text)[0] ?? '')) return null
    return { english: text, isSure: false }
  }
  // Cached by length because many splits have the same beginning.
  const beginnings = new Map<number, UntypedTranslation | null>()
  const split = (length: number): UntypedTranslation | null =>
    beginnings.getOrInsertComputed(length, () => splitInTwo(length))
  const splitInTwo = (length: number): UntypedTranslation | null => {
    for (let at = least.part; at <= length - least.part; at++) {
      const last = part(word.slice(at, length))
      if (last === null) continue
      const first = part(word.slice(0, at)) ?? split(at)
      if (first === null || !(first.isSure || last.isSure)) continue
      const english = `${first.english} ${last.english}`
      return { english, isSure: first.isSure && last.isSure }
    }
    return null
  }
  return split(word.length)
}
