/** Words of one language and what they are called in English. */
export type Glossary = {
  /** By the form in small letters, and by that without accents; empty: it says nothing. */
  words: ReadonlyMap<string, string>
  /** By the stems of the form, several with a blank between them. */
  stems: ReadonlyMap<string, string>
  /** Words of the longest form. */
  longest: number
}

/** Reads lines `form, form = word`; of a form that stands twice the first line holds. */
export function readGlossary(text: string, stem: (word: string) => string): Glossary {
  const words = new Map<string, string>()
  const stems = new Map<string, string>()
  let longest = 1
  for (const line of text.split('\n')) {
    const [, forms, meant] = /^([^#=]+)=(.*)$/.exec(line) ?? []
    if (forms === undefined) continue
    const said = meant!.trim()
    for (const form of forms.split(',')) {
      const typed = wordsOf(form)
      const parts = typed.map(folded)
      longest = Math.max(longest, parts.length)
      const entry = (map: Map<string, string>, key: string) => {
        if (!map.has(key)) map.set(key, said)
      }
      entry(words, typed.join(' ').toLowerCase())
      entry(words, parts.join(' '))
      // What says nothing is left out as it stands there alone: its stem may be that of a word.
      if (said !== '') entry(stems, parts.map(stem).join(' '))
    }
  }
  return { words, stems, longest }
}

/** In small letters, without accents. */
export function folded(word: string): string {
  return word
    .toLowerCase()
    .replace(/ß/g, 'ss')
    .replace(/œ/g, 'oe')
    .normalize('NFD')
    .replace(/\p{Mn}/gu, '')
}

/** The words of a text, elided ones apart (`l’arrêt`); of each clause, which signs end. */
export function clausesOf(text: string): string[][] {
  return text
    .split(/[,;!?…]+(?=\s|$)|[.:]+(?=\s|$)|\n/u)
    .map(wordsOf)
    .filter((words) => words.length > 0)
}

function wordsOf(text: string): string[] {
  return text
    .split(/\s+/)
    .flatMap((typed) => {
      const word = typed
        .replace(/^[^\p{L}\p{N}_$@.#/-]+|[^\p{L}\p{N}_)\]/]+$/gu, '')
        .replace(/^[(«"']+|(?<!\()[)»"']+$/gu, '')
      const [, elided, rest] = /^(\p{L}|qu|jusqu|lorsqu|puisqu)['’](\p{L}.*)$/iu.exec(word) ?? []
      return rest === undefined ? [word] : [elided!, rest]
    })
    .filter((word) => word !== '')
}
