import { folded } from './glossary.ts'

/** What German endings, participles and parted verbs are stems of. */

const endings = /^(.{4,})(?:ung)$|^(.{4,})(?:em|er|nd)$|^(.{3,})[tesn]$/

/** Nobody types longer words, and each ending of one would cost a look at all of it. */
const longest = 100

/** A folded word without its endings, as often as there is one (Weissweiler and Fraser 2017). */
export function germanStem(word: string): string {
  if (word.length > longest) return word
  let stem = word
  for (let match = endings.exec(stem); match !== null; match = endings.exec(stem)) {
    stem = (match[1] ?? match[2] ?? match[3])!
  }
  return stem
}

/** Prefixes that stand at the end of a clause, or before `ge` and `zu`. */
const prefixes = (
  'ab an auf aus bereit ein fest fort frei her herunter runter hin hinzu hoch los mit nach ' +
  'nieder um vor weg weiter wieder zu zuruck zusammen'
).split(' ')
const isPrefix = new Set(prefixes)
const longestFirst = prefixes.toSorted((a, b) => b.length - a.length)
const parted = new RegExp(`^(${longestFirst.join('|')})?(?:ge|zu)(.{3,})$`)

/** Forms of strong verbs, and what they are forms of. */
const strong = (
  'brochen brechen, bricht brechen, nommen nehmen, nimmt nehmen, schrieben schreiben, ' +
  'worfen werfen, wirft werfen, bunden binden, funden finden, schlossen schliessen, ' +
  'schoben schieben, zogen ziehen, standen stehen, gangen gehen, gibt geben, liest lesen, ' +
  'sprochen sprechen, griffen greifen, wiesen weisen, sandt senden, schnitten schneiden, ' +
  'boten bieten, laufen laufen, lauft laufen, lasst lassen, trifft treffen, troffen treffen, ' +
  'halt halten, wahlt wahlen, wuchsen wachsen, loren lieren'
)
  .split(', ')
  .map((pair) => pair.split(' ').map(germanStem) as [string, string])

/** The stems that a folded word may have, likeliest first. */
export function germanStems(word: string): string[] {
  const plain = germanSpellings(word).map(germanStem)
  const [, prefix = '', rest] = parted.exec(word) ?? []
  const whole = rest === undefined ? plain : [...plain, germanStem(prefix + rest)]
  const verbs = whole.flatMap((stem) =>
    strong
      .filter(([form]) => stem.endsWith(form))
      .map(([form, verb]) => stem.slice(0, -form.length) + verb),
  )
  return [...whole, ...verbs]
}

/** Who has no umlauts types `loeschen`. */
export function germanSpellings(word: string): string[] {
  return /[aou]e/.test(word) ? [word, word.replace(/([aou])e/g, '$1')] : [word]
}

/**
 * A clause whose last word is the prefix of a verb before it, with the two as one: `teile … auf`.
 * `isVerb`: whether a stem is known.
 */
export function germanClause(
  words: readonly string[],
  isVerb: (stem: string) => boolean,
): readonly string[] {
  const last = folded(words.at(-1)!)
  if (!isPrefix.has(last)) return words
  const whole = (word: string) => last + folded(word)
  const at = words.findIndex((word) => germanStems(whole(word)).some(isVerb))
  if (at < 0 || at === words.length - 1) return words
  return words.slice(0, -1).with(at, whole(words[at]!))
}
