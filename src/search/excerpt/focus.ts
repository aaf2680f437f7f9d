import { indexTermsOf, termsAmongParts } from '../../chunk/terms.ts'
import { lineAt } from '../../chunk/line.ts'
import { trimRange, type Range } from '../../chunk/range.ts'
import { maxWholeChars } from './excerpt-range.ts'
import type { Outline } from './outline.ts'

/**
 * The query as index terms. If the query is a name, `nameScore` rates how well a text matches it,
 * from 0 if the text lacks the name to 1 if it contains the name exactly as typed. `languages` are
 * the languages in which the query asks for code, by their names in fences.
 */
export type QueryFocus = {
  terms: readonly string[]
  nameScore: (text: string) => number
  languages?: ReadonlySet<string>
}

/**
 * If a chunk is longer than a section may be, only `most` characters of it are shown. A piece has
 * at most `piece` characters, and lines shorter than `least` are joined.
 */
const chars = { most: 900, piece: 300, least: 40 }
/** Weight of a matched name compared with matched terms. */
const nameWeight = 100

/**
 * Returns the part of a range that is most relevant to the query: the best-scoring window of
 * `chars.most` characters. It consists of whole lines, or of whole sentences if lines are long. If
 * several windows tie, the first wins if it starts the range. Otherwise the middle one wins, so
 * that there is text on both sides.
 */
export function mostRelevantRange(outline: Outline, range: Range, focus: QueryFocus): Range {
  const whole = trimRange(outline.text, range)
  if (whole.end - whole.start <= maxWholeChars.section) return range
  return bestWindow(outline, whole, { focus, most: chars.most })
}

/** Returns the most relevant run of whole lines or sentences, with at most `most` characters. */
export function bestWindow(
  outline: Outline,
  range: Range,
  { focus, most: size }: { focus: QueryFocus; most: number },
): Range {
  const pieces = piecesOf(outline, range)
  const scoreOf = scoreWindows(outline, pieces, focus)
  const windows = pieces.map((first, from) => {
    let to = from + 1
    while (to < pieces.length && pieces[to]!.end - first.start <= size) to++
    return { start: first.start, end: pieces[to - 1]!.end, score: scoreOf(from, to) }
  })
  const most = Math.max(...windows.map(({ score }) => score))
  const best = windows.filter(({ score }) => score >= most - 1e-9)
  const { start, end } = best[0] === windows[0] ? best[0]! : best[best.length >> 1]!
  return { start, end }
}

/** A part of the text that is scored. A signature declares parameters and passes none. */
type Piece = Range & { isSignature?: boolean }

const noTerms: ReadonlySet<string> = new Set()

/**
 * Returns a function that scores the pieces from index `from` up to, but not including, `to`. Each
 * query term counts once, and counts more if fewer pieces contain it. A term that code passes as a
 * parameter counts twice. The best match of the queried name adds its score.
 */
export function scoreWindows(
  { text }: Outline,
  pieces: readonly Piece[],
  { terms: queryTerms, nameScore: nameScoreOf }: QueryFocus,
): (from: number, to: number) => number {
  const words = new Set(queryTerms)
  const matches = termsAmongParts(words, text, pieces).map((terms, i) => {
    const { start, end, isSignature = false } = pieces[i]!
    const piece = text.slice(start, end)
    const used = terms.size > 0 && !isSignature ? usedTerms(words, piece) : noTerms
    return { terms, used, nameScore: nameScoreOf(piece) }
  })
  const weights = [...words].map((term) => {
    const nPieces = matches.filter((piece) => piece.terms.has(term)).length
    return { term, weight: Math.log(1 + pieces.length / Math.max(1, nPieces)) }
  })
  return (from, to) => {
    const inside = matches.slice(from, to)
    const termScore = weights.reduce((sum, { term, weight }) => {
      const isUsed = inside.some(({ used }) => used.has(term))
      const isInside = isUsed || inside.some(({ terms }) => terms.has(term))
      return sum + weight * (Number(isInside) + Number(isUsed))
    }, 0)
    return termScore + nameWeight * Math.max(...inside.map((piece) => piece.nameScore))
  }
}

/**
 * Matches a name that code passes a value to: `missing=dict`, `missing: true`, `.missing(`. A name
 * with a type (`missing: boolean`) or with a space before `=` is declared.
 */
const passing = new RegExp(
  String.raw`(?<![\w$-])([A-Za-z_$][\w$]*)(?:=(?![=>\s])|['"]?: ?(?=["'\x60\d[{(]|\w+\(` +
    String.raw`|(?:true|false|null|True|False|None|new|async)\b))` +
    String.raw`|(?<=\.)([A-Za-z_$][\w$]*)\(`,
  'g',
)

/** A line that declares parameters instead of passing them. */
const declaration = new RegExp(
  String.raw`^[^\S\n]*(?:export |async |pub |public |static )*` +
    String.raw`(?:def|class|function|interface|type|fn|func)\b.*$`,
  'gm',
)

/**
 * Returns the wanted terms that code passes as parameters or calls as methods. A name of several
 * words needs all of them: `ignore_order=` for `ignore` and `order`.
 */
export function usedTerms(wanted: ReadonlySet<string>, text: string): Set<string> {
  const used = new Set<string>()
  for (const [, passed, called] of text.replace(declaration, '').matchAll(passing)) {
    const [whole, ...parts] = indexTermsOf((passed ?? called)!)
    if (wanted.has(whole!)) used.add(whole!)
    else if (parts.length > 0 && parts.every((part) => wanted.has(part)))
      for (const part of parts) used.add(part)
  }
  return used
}

/** Splits a range into lines. Joins very short lines and splits long ones into sentences. */
function piecesOf({ text, lines }: Outline, { start, end }: Range): Range[] {
  const pieces: Range[] = []
  for (let line = lineAt(lines, start); lines.starts[line]! < end; line++) {
    const from = Math.max(start, lines.starts[line]!)
    const to = Math.min(end, lines.starts[line + 1]!)
    const last = pieces.at(-1)
    const isShort = last !== undefined && last.end - last.start < chars.least
    if (isShort && to - from < chars.piece) last.end = to
    else pieces.push(...sentences(text, { start: from, end: to }))
  }
  return pieces
}

/** Cuts pieces of at most `chars.piece` characters after a full stop or a space. */
function sentences(text: string, { start, end }: Range): Range[] {
  const parts: Range[] = []
  let from = start
  while (end - from > chars.piece) {
    const piece = text.slice(from, from + chars.piece)
    const stop = Math.max(piece.lastIndexOf('. '), piece.lastIndexOf('; '), piece.lastIndexOf('。'))
    const blank = stop > 0 ? stop + 1 : piece.search(/\s\S*$/)
    const cut = from + (blank > 0 ? blank + 1 : chars.piece)
    parts.push({ start: from, end: cut })
    from = cut
  }
  return [...parts, { start: from, end }]
}
