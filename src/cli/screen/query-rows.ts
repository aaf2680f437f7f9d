import { indexTermsOf, termsAmong } from '../../chunk/terms.ts'
import { termsToCover } from '../../search/coverage.ts'
import type { ScreenRow } from './markdown-rows.ts'
import { joinSpans, plainText, type Line, type Span } from './span.ts'

export function termsToMark(query: string): ReadonlySet<string> {
  return new Set(termsToCover(query))
}

export function markTerms(spans: Line, queried: ReadonlySet<string>): Line {
  return joinSpans(
    spans.flatMap((span): Span[] =>
      span.text
        .split(/([\p{L}\p{N}\p{M}_$]+)/u)
        .filter((piece) => piece !== '')
        .map((text) =>
          indexTermsOf(text).some((term) => queried.has(term))
            ? { ...span, text, isFound: true }
            : { ...span, text },
        ),
    ),
  )
}

/**
 * Selects at most `most` consecutive rows that contain the most query terms; the earliest such rows
 * win. Blank rows are left out and do not count.
 */
export function selectRows(
  rows: readonly ScreenRow[],
  queried: ReadonlySet<string>,
  most: number,
): ScreenRow[] {
  const isFilled = ({ spans }: ScreenRow) => plainText(spans).trim() !== ''
  const filled = rows.filter(isFilled)
  const opening = new Set(rows.filter((_, i) => i === 0 || !isFilled(rows[i - 1]!)))
  const held = filled.map(({ spans }) => termsAmong(queried, plainText(spans)))
  let best = { from: 0, worth: -1 }
  for (let from = 0; from === 0 || from + most <= filled.length; from++) {
    const window = held.slice(from, from + most)
    const distinct = new Set(window.flatMap((some) => [...some])).size
    const lines = window.filter((some) => some.size > 0).length
    // Ranks by the number of distinct terms, then by the number of rows with a term, then by
    // whether the first row starts a block.
    const worth = 100 * distinct + lines + (opening.has(filled[from]!) ? 1.5 : 0)
    if (worth > best.worth) best = { from, worth }
  }
  return filled.slice(best.from, best.from + most)
}
