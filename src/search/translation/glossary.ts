/** Words of one language and their English translations. */
export type Glossary = {
  /** Keys are lower-case forms, with and without accents. An empty translation drops the word. */
  words: ReadonlyMap<string, string>
  /** Keys are the stems of a form's words, separated by blanks. */
  stems: ReadonlyMap<string, string>
  /** Number of words in the longest form. */
  longest: number
}

/** Parses lines `form, form = word`. If a form occurs twice, the first line wins. */
export function readGlossary(text: string, stem: (word: string) => string): Glossary {
  const words = new Map<string, string>()
  const stems = new Map<string, string>()
  let longest = 1
  for (const line of text.split('\n')) {
    const [, forms, meaning] = /^([^#=]+)=(.*)$/.exec(line) ?? []
    if (forms === undefined) continue
    const translation = meaning!.trim()
    for (const form of forms.split(',')) {
      const formWords = wordsOf(form)
      const parts = formWords.map(foldAccents)
      longest = Math.max(longest, parts.length)
      const entry = (map: Map<string, string>, key: string) => {
        if (!map.has(key)) map.set(key, translation)
      }
      entry(words, formWords.join(' ').toLowerCase())
      entry(words, parts.join(' '))
      // Words to drop must match exactly because other words may have the same stem.
      if (translation !== '') entry(stems, parts.map(stem).join(' '))
    }
  }
  return { words, stems, longest }
}

export function foldAccents(word: string): string {
  return word
    .toLowerCase()
    .replace(/ß/g, 'ss')
    .replace(/œ/g, 'oe')
    .normalize('NFD')
    .replace(/\p{Mn}/gu, '')
}

/** Splits text into clauses at punctuation, and into words. Separates elisions (`l’arrêt`). */
export function clausesOf(text: string): string[][] {
  return text
    .split(/[,;!?…]+(?=\s|$)|[.:]+(?=\s|$)|\n/u)
    .map(wordsOf)
    .filter((words) => words.length > 0)
}

function wordsOf(text: string): string[] {
  return text
    .split(/\s+/)
    .flatMap((token) => {
      const word = token
        .replace(/^[^\p{L}\p{N}_$@.#/-]+|[^\p{L}\p{N}_)\]/]+$/gu, '')
        .replace(/^[(«"']+|(?<!\()[)»"']+$/gu, '')
      const [, elided, rest] = /^(\p{L}|qu|jusqu|lorsqu|puisqu)['’](\p{L}.*)$/iu.exec(word) ?? []
      return rest === undefined ? [word] : [elided!, rest]
    })
    .filter((word) => word !== '')
}
