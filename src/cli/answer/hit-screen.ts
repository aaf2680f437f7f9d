import type { Context } from '../context.ts'
import { fitHits, hitLines, type HitView, termsToMark } from '../screen/hit-view.ts'
import { styledLine, countScreenRows, type Line } from '../span.ts'
import { wrapLine } from '../screen/layout.ts'
import type { Screen } from '../terminal.ts'
import { formatCount } from '../../platform/text/count.ts'

export type HitScreen = {
  query: string
  hits: readonly HitView[]
  above: readonly string[]
  below: readonly string[]
  isFull: boolean
  /**
   * True if the user specified the number of hits. All of them are then shown, even if they do not
   * fit on the screen.
   */
  isAll: boolean
  isPaged: boolean
}

export async function showHits(
  { terminal }: Pick<Context, 'terminal'>,
  { columns, rows }: Screen,
  { query, hits, ...showing }: HitScreen,
): Promise<void> {
  const queried = termsToMark(query)
  const said = (lines: readonly string[]) =>
    lines.flatMap((text) => wrapLine(styledLine(text), columns))
  const above = said(showing.above)
  const below = said(showing.below)
  // One row shows the number of remaining hits, and one the next prompt.
  const room = rows - countScreenRows([...above, ...below], columns) - 2
  const shape = { columns, queried }
  const { lines, shown } = showing.isFull
    ? {
        lines: hits.flatMap((hit, i) => fullHit(hit, { ...shape, rank: i + 1 })),
        shown: hits.length,
      }
    : fitHits(hits, { ...shape, rows: room, isAll: showing.isAll })
  const left = hits.length - shown
  const more =
    left === 0 ? [] : [styledLine(`${formatCount(left, 'more hit')}: --full shows all`, 'aside')]
  const body = [...above, ...lines, ...more, ...below]
  const isEmptyEnd = body.at(-1)?.length === 0
  await terminal.show(isEmptyEnd ? body.slice(0, -1) : body, { isPaged: showing.isPaged })
}

type Shape = { columns: number; queried: ReadonlySet<string>; rank: number }

function fullHit(hit: HitView, shape: Shape): Line[] {
  return [...hitLines(hit, { ...shape, lines: null }), []]
}
