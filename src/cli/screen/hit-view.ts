import type { Hit } from '../../library/library.ts'
import { shellWord } from '../../platform/text/shell-word.ts'
import { markdownRows, type ScreenRow } from './markdown-rows.ts'
import { styledLine, plainText, countScreenRows, type Line, joinSpans, type Span } from '../span.ts'
import { wrapLine } from './layout.ts'
import { indexTermsOf, termsAmong } from '../../chunk/terms.ts'
import { termsToCover } from '../../search/coverage.ts'

/** A hit in documentation or memory, prepared for the screen. */
export type HitView = {
  title: string
  /** The position of the hit, such as `fastapi 0.115.0, lines 9-17`. */
  place: string
  text: string
  command: string
}

export function toHitView({ title, heading, ...hit }: Hit): HitView {
  const { library, version, versions, startLine, endLine, anchor, url, path } = hit
  const headings = heading.split(' > ').filter((part) => part !== '')
  const above = title === '' || headings[0] === title ? [] : [title]
  const others = versions.filter((other) => other !== version)
  const same = others.length > 0 ? `; the same in ${others.join(', ')}` : ''
  const place = `${library} ${version}, lines ${startLine}-${endLine}${same}`
  const address = path === '' || /[#?]/.test(path) ? url : path
  const part = anchor
    ? `${shellWord(`${address}#${anchor}`)}`
    : `${shellWord(address)} --lines ${startLine}-`
  return {
    title: [...above, ...headings].join(' › ') || url,
    place,
    text: hit.text,
    command: `og get ${part} -l ${shellWord(`${library}@${version}`)}`,
  }
}

export const linesPerHit = { least: 3, most: 8 }
export const maxProseColumns = 100

type Shape = { columns: number; queried: ReadonlySet<string> }

/**
 * Renders a hit. `lines` limits the number of lines of the passage; null shows all. The last line
 * is never blank.
 */
export function hitLines(
  hit: HitView,
  { columns, queried, lines, rank }: Shape & { lines: number | null; rank: number },
): Line[] {
  const number = `${rank}  `
  const indent = styledLine(' '.repeat(number.length))
  const width = Math.min(maxProseColumns, columns) - number.length
  const inset = (spans: Line): Line => (spans.length === 0 ? [] : [...indent, ...spans])
  const rows = hitRows(hit, width)
  const visible = lines === null ? rows : selectRows(rows, queried, lines)
  return [
    ...wrapLine(
      [...styledLine(number, 'aside'), ...styledLine(hit.title, 'title')],
      columns,
      indent,
    ),
    ...wrapLine(styledLine(hit.place, 'aside'), width).map(inset),
    ...visible.map(({ spans }) => inset(markTerms(spans, queried))),
    inset(styledLine(hit.command, 'command')),
  ]
}

/** Renders the passage without a first heading that repeats the title. */
function hitRows({ title, text }: HitView, width: number): ScreenRow[] {
  const rows = markdownRows(text, width)
  const head = plainText(rows[0]?.spans ?? []).replace(/^#+\s*/, '')
  const isSaid = head !== '' && title.endsWith(head)
  return isSaid ? rows.slice(rows[1] && rows[1].spans.length === 0 ? 2 : 1) : rows
}

/**
 * Fits hits into `rows`. First shows as many hits as possible with the minimum number of lines,
 * then adds lines, best hit first. If `isAll` is set, shows all hits.
 */
export function fitHits(
  hits: readonly HitView[],
  { rows, isAll, ...shape }: Shape & { rows: number; isAll: boolean },
): { lines: Line[]; shown: number } {
  const at = (i: number, lines: number) => hitLines(hits[i]!, { ...shape, lines, rank: i + 1 })
  const size = (lines: Line[]) => countScreenRows(lines, shape.columns) + 1
  const drawn: Line[][] = []
  let left = rows
  for (let i = 0; i < hits.length; i++) {
    const lines = at(i, linesPerHit.least)
    if (i > 0 && !isAll && size(lines) > left) break
    left -= size(lines)
    drawn.push(lines)
  }
  for (let lines = linesPerHit.least + 1; lines <= linesPerHit.most; lines++) {
    for (let i = 0; i < drawn.length; i++) {
      const longer = at(i, lines)
      const more = size(longer) - size(drawn[i]!)
      if (more <= 0 || more > left) continue
      left -= more
      drawn[i] = longer
    }
  }
  const [best] = hits
  const most =
    best && drawn.length > 0 ? size(hitLines(best, { ...shape, lines: null, rank: 1 })) : 0
  for (let lines = linesPerHit.most + 1; lines < most && size(drawn[0]!) < most; lines++) {
    const longer = at(0, lines)
    const more = size(longer) - size(drawn[0]!)
    if (more > left) break
    left -= more
    drawn[0] = longer
  }
  return { lines: drawn.flatMap((lines) => [...lines, []]), shown: drawn.length }
}

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
 * Selects at most `most` consecutive rows with the most query terms, preferring earlier rows. Blank
 * rows are omitted and do not count.
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
    // Ranks by number of distinct terms, then by number of rows with a term, then prefers the start
    // of a block.
    const worth = 100 * distinct + lines + (opening.has(filled[from]!) ? 1.5 : 0)
    if (worth > best.worth) best = { from, worth }
  }
  return filled.slice(best.from, best.from + most)
}
