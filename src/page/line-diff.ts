/** A row of a side-by-side diff. A side without a line is null. */
export type LinePair = { before: string | null; after: string | null }

/** Maximum number of comparisons. Larger diffs mark all lines between equal ends as changed. */
const mostPairs = 4_000_000

/** Pairs equal lines, and replaced lines with their replacements. */
export function linePairs(before: string, after: string): LinePair[] {
  const [old, now] = [before, after].map((text) => (text === '' ? [] : text.split('\n')))
  const [a, b] = [old!, now!]
  let head = 0
  while (head < Math.min(a.length, b.length) && a[head] === b[head]) head++
  let tail = 0
  while (tail < Math.min(a.length, b.length) - head && a.at(-1 - tail) === b.at(-1 - tail)) tail++
  const same = (line: string): LinePair => ({ before: line, after: line })
  return [
    ...a.slice(0, head).map(same),
    ...middlePairs(a.slice(head, a.length - tail), b.slice(head, b.length - tail)),
    ...a.slice(a.length - tail).map(same),
  ]
}

function middlePairs(a: readonly string[], b: readonly string[]): LinePair[] {
  if (a.length * b.length > mostPairs) return pairReplaced(a, b)
  const shared = subsequenceLengths(a, b)
  const pairs: LinePair[] = []
  let [i, j, fromA, fromB] = [0, 0, 0, 0]
  while (i < a.length && j < b.length) {
    if (a[i] === b[j]) {
      pairs.push(...pairReplaced(a.slice(fromA, i), b.slice(fromB, j)))
      pairs.push({ before: a[i]!, after: b[j]! })
      fromA = ++i
      fromB = ++j
    } else if (shared[i + 1]![j]! >= shared[i]![j + 1]!) i++
    else j++
  }
  return [...pairs, ...pairReplaced(a.slice(fromA), b.slice(fromB))]
}

/** For each pair of positions, the length of the longest common subsequence after them. */
function subsequenceLengths(a: readonly string[], b: readonly string[]): Uint16Array[] {
  const rows = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1))
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      rows[i]![j] =
        a[i] === b[j] ? rows[i + 1]![j + 1]! + 1 : Math.max(rows[i + 1]![j]!, rows[i]![j + 1]!)
    }
  }
  return rows
}

function pairReplaced(a: readonly string[], b: readonly string[]): LinePair[] {
  return Array.from({ length: Math.max(a.length, b.length) }, (_, i) => ({
    before: a[i] ?? null,
    after: b[i] ?? null,
  }))
}
