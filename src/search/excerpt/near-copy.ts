/**
 * True if two texts say the same thing: the same words in the same order, apart from a few
 * unimportant words such as typing errors. A different number or code name, or an added `not`,
 * changes the meaning.
 */
export function isNearCopy(a: string, b: string): boolean {
  if (a === b) return true
  const [ours, theirs] = [plainWords(a), plainWords(b)]
  const different = [...wordsMissingIn(ours, theirs), ...wordsMissingIn(theirs, ours)]
  const few = differingShare * (ours.length + theirs.length)
  return different.length <= few && !different.some(isDecisive) && isAlikeOrdered(ours, theirs)
}

/** Returns the text's words without link targets, which often contain version numbers. */
export function plainWords(text: string): string[] {
  const plain = text.replace(/\]\([^()\s]*\)|<?https?:[^\s>)]*>?|\{ *#[^}\n]{0,300}\}/g, ' ')
  return plain.toLowerCase().match(/[\p{L}\p{N}_$@]+/gu) ?? []
}

const differingShare = 0.02
/** Minimum share of common word triples for two texts with the same order. */
const orderShare = 0.85

const decisiveWords = new Set(
  (
    'not no never none only always must may can cannot should deprecated removed required ' +
    'optional default before after true false enable enabled disable disabled'
  ).split(' '),
)

function isDecisive(word: string): boolean {
  return decisiveWords.has(word) || !/^\p{L}+$/u.test(word)
}

/** Returns the words that `ours` contains more often than `theirs`, once per extra occurrence. */
function wordsMissingIn(ours: string[], theirs: string[]): string[] {
  const counts = new Map<string, number>()
  for (const word of theirs) counts.set(word, (counts.get(word) ?? 0) + 1)
  return ours.filter((word) => {
    const left = counts.get(word) ?? 0
    counts.set(word, left - 1)
    return left <= 0
  })
}

function isAlikeOrdered(ours: string[], theirs: string[]): boolean {
  const [a, b] = [triples(ours), triples(theirs)]
  let shared = 0
  for (const triple of a) if (b.has(triple)) shared++
  return shared >= orderShare * (a.size + b.size - shared)
}

/** Drops passages that nearly repeat earlier ones, unless those lack the passage's `name`. */
export function withoutRepeats<T extends { text: string; name?: string | undefined }>(
  passages: readonly T[],
): T[] {
  const all = passages.map(({ text }) => triples(plainWords(text)))
  return passages.filter(({ name }, i) => {
    const own = all[i]!
    if (own.size < leastRepeated) return true
    const isNamed = ({ text }: T) => name === undefined || text.includes(name)
    if (!passages.slice(0, i).some(isNamed)) return true
    const repeated = [...own].filter((it) => all.slice(0, i).some((above) => above.has(it)))
    return repeated.length < repeatedShare * own.size
  })
}

/** Shorter texts, such as a signature, repeat by chance. */
const leastRepeated = 12
const repeatedShare = 0.8

/** Returns every sequence of three words. A shorter text is a single sequence. */
function triples(words: string[]): Set<string> {
  if (words.length < 3) return new Set([words.join(' ')])
  return new Set(words.slice(2).map((word, i) => `${words[i]} ${words[i + 1]} ${word}`))
}
