/**
 * Returns up to three candidates that the user may mean, nearest first. A candidate starts with the
 * input or is a few edits away (Damerau-Levenshtein distance, where swapping neighbours is one
 * edit).
 */
export function nearest(input: string, candidates: Iterable<string>): string[] {
  if (input.length > maxTyped) return []
  const word = input.toLowerCase()
  return [...new Set(candidates)]
    .map((candidate) => ({ candidate, distance: distanceTo(word, candidate.toLowerCase()) }))
    .filter(({ candidate, distance }) => distance <= tolerance(word, candidate))
    .sort((a, b) => a.distance - b.distance || byLength(a.candidate, b.candidate))
    .slice(0, 3)
    .map(({ candidate }) => candidate)
}

function byLength(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : 1)
}

/** Maximum length of a compared text. The time grows with the product of both lengths. */
const maxTyped = 200

export function didYouMean(word: string, candidates: Iterable<string>): string {
  const names = nearest(word, candidates).map((candidate) => `"${candidate}"`)
  return names.length === 0 ? '' : `did you mean ${names.join(' or ')}?`
}

function tolerance(word: string, candidate: string): number {
  return Math.max(1, Math.floor(Math.max(word.length, candidate.length) / 3))
}

function distanceTo(word: string, candidate: string): number {
  if (word.length >= 2 && candidate.startsWith(word)) return 1
  const most = tolerance(word, candidate)
  return Math.abs(word.length - candidate.length) > most ? Infinity : distance(word, candidate)
}

export function distance(a: string, b: string): number {
  let start = 0
  while (start < a.length && a[start] === b[start]) start++
  let end = 0
  const shorter = Math.min(a.length, b.length) - start
  while (end < shorter && a[a.length - 1 - end] === b[b.length - 1 - end]) end++
  return editsBetween(a.slice(start, a.length - end), b.slice(start, b.length - end))
}

function editsBetween(a: string, b: string): number {
  let [before, above, row] = [0, 1, 2].map(() => new Uint32Array(b.length + 1)) as Rows
  for (let j = 0; j <= b.length; j++) above[j] = j
  for (let i = 1; i <= a.length; i++) {
    row[0] = i
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1]
      const edits = Math.min(above[j]! + 1, row[j - 1]! + 1, above[j - 1]! + (same ? 0 : 1))
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      row[j] = swapped ? Math.min(edits, before[j - 2]! + 1) : edits
    }
    ;[before, above, row] = [above, row, before]
  }
  return above[b.length]!
}

type Rows = [Uint32Array, Uint32Array, Uint32Array]
