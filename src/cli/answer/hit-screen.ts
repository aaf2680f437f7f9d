import type { Context } from '../context.ts'
import { pick, type PickedPage } from '../screen/picker.ts'
import { fittedHits, hitLines, type ShownHit } from '../screen/shown-hit.ts'
import { line, rowsOf, type Line } from '../screen/span.ts'
import { markedTerms } from '../screen/telling-rows.ts'
import { wrapped } from '../screen/wrap.ts'
import type { Screen } from '../terminal.ts'
import { counted } from '../../platform/text/counted.ts'

export type Showing = {
  query: string
  hits: readonly ShownHit[]
  /** Sentences above and below the hits. */
  above: readonly string[]
  below: readonly string[]
  /** Passages whole. */
  isFull: boolean
  /** All hits, also where a screen holds fewer: who said how many wants as many. */
  isAll: boolean
  isPaged: boolean
}

/**
 * Hits for a person: a screenful of them, of each its telling lines and what to type to read on;
 * or all of them whole.
 */
export async function showHits(
  { terminal }: Pick<Context, 'terminal'>,
  { columns, rows }: Screen,
  { query, hits, ...showing }: Showing,
): Promise<void> {
  const queried = markedTerms(query)
  const said = (lines: readonly string[]) => lines.flatMap((text) => wrapped(line(text), columns))
  const above = said(showing.above)
  const below = said(showing.below)
  // A row for the sentence about hits that are left, one for what is typed next.
  const room = rows - rowsOf([...above, ...below], columns) - 2
  const shape = { columns, queried }
  const { lines, shown } = showing.isFull
    ? { lines: hits.flatMap((hit, i) => whole(hit, { ...shape, rank: i + 1 })), shown: hits.length }
    : fittedHits(hits, { ...shape, rows: room, isAll: showing.isAll })
  const left = hits.length - shown
  const more =
    left === 0
      ? []
      : [line(`${counted(left, 'more hit')}: -i picks one, --full shows all`, 'aside')]
  const body = [...above, ...lines, ...more, ...below]
  const isEmptyEnd = body.at(-1)?.length === 0
  await terminal.show(isEmptyEnd ? body.slice(0, -1) : body, { isPaged: showing.isPaged })
}

type Shape = { columns: number; queried: ReadonlySet<string>; rank: number }

function whole(hit: ShownHit, shape: Shape): Line[] {
  return [...hitLines(hit, { ...shape, lines: null }), []]
}

/** `-i`: hits to go through by the keys, and their pages. @returns the exit code */
export async function pickHit(
  { terminal }: Pick<Context, 'terminal'>,
  { query, hits }: Pick<Showing, 'query' | 'hits'>,
  read: (index: number) => Promise<PickedPage>,
): Promise<number> {
  using screen = terminal.openKeys('pick a hit')
  return await pick(screen, { hits, queried: markedTerms(query), read })
}
