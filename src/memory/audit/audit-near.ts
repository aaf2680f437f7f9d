import { indexTermsOf } from '../../chunk/terms.ts'
import type { Finding } from './audit.ts'
import type { FileEntry } from '../memory-files.ts'

const leastShare = 0.8
/** Short entries are often similar by chance, so entries with fewer terms must have equal terms. */
const leastTerms = 5

/**
 * Finds near-duplicates of earlier entries by comparing their terms. MinHash (Broder 1997) selects
 * the candidates, because comparing each pair of 10,000 entries would be too slow.
 */
export function findNearDuplicates(entries: readonly FileEntry[]): Finding[] {
  const corrected = new Set(entries.flatMap(({ corrects }) => corrects))
  const candidates = entries
    .filter(({ id, corrects }) => !corrected.has(id) && corrects.length === 0)
    .filter(({ file }) => !file.startsWith('daily/'))
    .map((entry) => ({ entry, words: new Set(indexTermsOf(entry.body)) }))
    .filter(({ words }) => words.size > 0)
  const groups = new Map<string, number[]>()
  return candidates.flatMap(({ entry, words }, i) => {
    const bands = bandsOf(words)
    const near = new Set(bands.flatMap((band) => groups.get(band)?.slice(0, 20) ?? []))
    for (const band of bands) groups.getOrInsert(band, []).push(i)
    const twin = [...near]
      .map((j) => candidates[j]!)
      .find((other) => !isSame(entry, other.entry) && isNear(words, other.words))
    return twin === undefined ? [] : [finding(entry, twin.entry)]
  })
}

/**
 * True if two notes give different values for the same subject, such as two weekdays. Up to two
 * terms of each note may differ, but not the first term, which is usually the subject.
 */
export function differInValue(a: string, b: string): boolean {
  const [one, other] = [indexTermsOf(a), indexTermsOf(b)]
  if (one[0] === undefined || one[0] !== other[0]) return false
  const [words, others] = [new Set(one), new Set(other)]
  const counts = [words.difference(others).size, others.difference(words).size]
  return counts.every((count) => count >= 1 && count <= 2) && share(words, others) >= minValueShare
}

/**
 * Minimum Jaccard similarity of two notes that may differ only in a value, such as the weekday in
 * "Deploys go out on Fridays".
 */
const minValueShare = 0.5

function isSame(a: FileEntry, b: FileEntry): boolean {
  return a.file === b.file && a.body.replace(/\s+/g, ' ') === b.body.replace(/\s+/g, ' ')
}

function finding(entry: FileEntry, other: FileEntry): Finding {
  const span = ({ file, startLine, endLine, id }: FileEntry) => ({
    file,
    start_line: startLine,
    end_line: endLine,
    entry_id: id,
  })
  const message = `says nearly the same as ${other.file}:${other.startLine}-${other.endLine}`
  return { kind: 'near_duplicate', ...span(entry), message, other: span(other) }
}

const nBands = 10
const nRows = 3

/**
 * Returns the bands of a MinHash signature. Two entries with a similarity of 0.8 share a band in
 * 99.9 % of cases.
 */
function bandsOf(words: Set<string>): string[] {
  const hashes = [...words].map((word) => Number(Bun.hash(word) & 0xffff_ffffn))
  const least = Array.from({ length: nBands * nRows }, (_, i) => {
    let smallest = 0xffff_ffff
    for (const hash of hashes) {
      const mixed = mix(hash ^ Math.imul(i + 1, 0x9e37_79b1))
      if (mixed < smallest) smallest = mixed
    }
    return smallest
  })
  return Array.from(
    { length: nBands },
    (_, band) => `${band}:${least.slice(band * nRows, (band + 1) * nRows).join(' ')}`,
  )
}

function mix(value: number): number {
  let hash = value
  hash = Math.imul(hash ^ (hash >>> 16), 0x85eb_ca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2_ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

function isNear(a: Set<string>, b: Set<string>): boolean {
  return share(a, b) >= (Math.min(a.size, b.size) < leastTerms ? 1 : leastShare)
}

function share(a: Set<string>, b: Set<string>): number {
  const nBoth = a.intersection(b).size
  return nBoth / (a.size + b.size - nBoth)
}
