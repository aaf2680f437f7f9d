import { foldAccents } from './glossary.ts'

/** Stems German inflections, participles and separable verbs. */

const endings = /^(.{4,})(?:ung)$|^(.{4,})(?:em|er|nd)$|^(.{3,})[tesn]$/

/** A longer word is not a real word, and each removed ending rescans it. */
const longest = 100

/** Removes endings from a folded word until none is left (Weissweiler and Fraser 2017). */
export function germanStem(word: string): string {
  if (word.length > longest) return word
  let stem = word
  for (let match = endings.exec(stem); match !== null; match = endings.exec(stem)) {
    stem = (match[1] ?? match[2] ?? match[3])!
  }
  return stem
}

/** Separable prefixes, as used at the end of a clause or before `ge` and `zu`. */
const prefixes = (
  'ab an auf aus bereit ein fest fort frei her herunter runter hin hinzu hoch los mit nach ' +
  'nieder um vor weg weiter wieder zu zuruck zusammen'
).split(' ')
const isPrefix = new Set(prefixes)
const longestFirst = prefixes.toSorted((a, b) => b.length - a.length)
const separablePattern = new RegExp(`^(${longestFirst.join('|')})?(?:ge|zu)(.{3,})$`)

/** Forms of strong verbs, each followed by its infinitive. */
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

/** Returns the possible stems of a folded word, most likely first. */
export function germanStems(word: string): string[] {
  const plain = germanSpellings(word).map(germanStem)
  const [, prefix = '', rest] = separablePattern.exec(word) ?? []
  const whole = rest === undefined ? plain : [...plain, germanStem(prefix + rest)]
  const verbs = whole.flatMap((stem) =>
    strong
      .filter(([form]) => stem.endsWith(form))
      .map(([form, verb]) => stem.slice(0, -form.length) + verb),
  )
  return [...whole, ...verbs]
}

/** Also returns `loschen` for `loeschen`, which users type without umlauts on their keyboards. */
export function germanSpellings(word: string): string[] {
  return /[aou]e/.test(word) ? [word, word.replace(/([aou])e/g, '$1')] : [word]
}

/** Joins a verb with its prefix at the end of the clause: `teile … auf`. */
export function germanClause(
  words: readonly string[],
  isVerb: (stem: string) => boolean,
): readonly string[] {
  const last = foldAccents(words.at(-1)!)
  if (!isPrefix.has(last)) return words
  const whole = (word: string) => last + foldAccents(word)
  const at = words.findIndex((word) => germanStems(whole(word)).some(isVerb))
  if (at < 0 || at === words.length - 1) return words
  return words.slice(0, -1).with(at, whole(words[at]!))
}
