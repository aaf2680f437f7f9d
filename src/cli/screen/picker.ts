import type { ScreenRow } from './markdown-rows.ts'
import { hitLines, maxProseColumns, linesPerHit, type HitView } from './hit-view.ts'
import type { PressedKey, KeyScreen } from './key-screen.ts'
import { styledLine, type Line } from './span.ts'
import { markTerms } from './query-rows.ts'
import { hardWrap } from './wrap.ts'

/**
 * An opened page: a function that returns its rows for a width, and the source line at which
 * reading starts.
 */
export type PageView = { rows: (width: number) => ScreenRow[]; startLine: number }

type Picking = {
  hits: readonly HitView[]
  queried: ReadonlySet<string>
  read(index: number): Promise<PageView>
}

/** Lets the user browse hits and read their pages until they quit. @returns the exit code */
export async function runPicker(
  screen: KeyScreen,
  { hits, queried, read }: Picking,
): Promise<number> {
  let at = 0
  for (;;) {
    screen.draw(listLines(hits, { at, queried, ...screen.size() }))
    const key = await screen.key()
    if (key === 'interrupt') return interrupted
    if (key === 'quit' || key === 'escape' || key === 'end') return 0
    if (key === 'enter' || key === 'right') {
      const end = await readPage(screen, await read(at), { queried, hit: hits[at]! })
      if (end !== null) return end
    }
    at = Math.min(hits.length - 1, Math.max(0, moveCursor(key, at, hits.length)))
  }
}

const interrupted = 130

function moveCursor(key: PressedKey, at: number, count: number): number {
  const to: Partial<Record<PressedKey, number>> = {
    up: at - 1,
    down: at + 1,
    first: 0,
    last: count - 1,
    'page-up': at - 3,
    'page-down': at + 3,
  }
  return to[key] ?? at
}

type Listing = { at: number; queried: ReadonlySet<string>; columns: number; rows: number }

/**
 * Renders the list of hits: the selected one with its lines, the others by title, scrolled to the
 * selected one.
 */
function listLines(hits: readonly HitView[], { at, queried, columns, rows }: Listing): Line[] {
  const blocks = hits.map((hit, i): Line[] => {
    const mark = styledLine(i === at ? '> ' : '  ', 'title')
    const shape = { columns: columns - 2, queried, rank: i + 1, lines: linesPerHit.most }
    const lines = hitLines(hit, shape)
    return (i === at ? lines : lines.slice(0, 1)).map((spans, n) =>
      n === 0 ? [...mark, ...spans] : [...styledLine('  '), ...spans],
    )
  })
  const room = Math.max(1, rows - 2)
  const before = blocks.slice(0, at).reduce((sum, block) => sum + block.length, 0)
  const from = Math.max(0, before + blocks[at]!.length - room)
  const shown = blocks.flat().slice(Math.min(from, before)).slice(0, room)
  const keys = 'j k: next, previous   Enter: read   q: leave'
  return [...padLines(shown, room), [], styledLine(keys, 'aside')]
}

function padLines(lines: readonly Line[], count: number): Line[] {
  return [...lines, ...Array.from({ length: Math.max(0, count - lines.length) }, () => [])]
}

type Read = { queried: ReadonlySet<string>; hit: HitView }

/** @returns null to return to the list, otherwise the exit code */
async function readPage(screen: KeyScreen, page: PageView, { queried, hit }: Read) {
  let width = 0
  let lines: Line[] = []
  let top = -1
  for (;;) {
    const { columns, rows } = screen.size()
    const room = Math.max(1, rows - 2)
    if (width !== columns) {
      const shown = page.rows(Math.min(maxProseColumns, columns))
      const start = shown.findIndex((row) => row.at >= page.startLine)
      const flat = shown.map(({ spans }) => hardWrap(markTerms(spans, queried), columns))
      const first = flat.slice(0, Math.max(0, start)).flat().length
      top = top < 0 ? first : Math.round((top / Math.max(1, lines.length)) * flat.flat().length)
      lines = flat.flat()
      width = columns
    }
    const last = Math.max(0, lines.length - room)
    top = Math.min(last, Math.max(0, top))
    const share = last === 0 ? 100 : Math.round((100 * top) / last)
    const status = styledLine(`${hit.title}  ${share} %   j k Space b: move   q: back`, 'aside')
    screen.draw([...padLines(lines.slice(top, top + room), room), [], status])
    const key = await screen.key()
    if (key === 'interrupt') return interrupted
    if (key === 'end') return 0
    if (key === 'quit' || key === 'escape' || key === 'left') return null
    const to: Partial<Record<PressedKey, number>> = {
      up: top - 1,
      down: top + 1,
      enter: top + 1,
      first: 0,
      last,
      'page-up': top - room,
      'page-down': top + room,
    }
    top = to[key] ?? top
  }
}
