import { countPageLeftovers, type Leftovers } from '../../page/include/leftover.ts'
import type { Page } from '../../page/page.ts'
import type { PageRow } from '../../store/pages/page-table.ts'
import type { LeftoverCounts } from '../../store/registry.ts'
import { formatCount } from '../../platform/text/count.ts'

const kinds = ['includes', 'absent', 'shortcodes', 'components', 'empty', 'fileTitle'] as const

type Total = Record<(typeof kinds)[number] | 'pages', number>

/** Counts the leftovers of all pages of a library version; null if there are none. */
export async function countLeftovers(
  pages: AsyncIterable<readonly PageRow[]>,
): Promise<LeftoverCounts | null> {
  const total = { ...Object.fromEntries(kinds.map((kind) => [kind, 0])), pages: 0 } as Total
  let worst: { page: Leftovers; path: string; count: number }[] = []
  for await (const rows of pages) {
    for (const row of rows) {
      // The same thread sends pages to the sandbox, which would otherwise wait for this count.
      await new Promise(setImmediate)
      const page = countPageLeftovers({ ...row, markup: row.markup as Page['markup'] })
      if (page.example === null) continue
      const count = kinds.reduce((sum, kind) => sum + page[kind], 0)
      for (const kind of kinds) total[kind] += page[kind]
      total.pages++
      worst.push({ page, path: row.path, count })
      if (worst.length > 100) worst = mostOf(worst)
    }
  }
  if (total.pages === 0) return null
  const examples = mostOf(worst).map(
    ({ page, path }) => `${shortPath(path)}: ${page.example!.slice(0, 80)}`,
  )
  return { ...total, examples }
}

function shortPath(path: string): string {
  return path.split('/').slice(-3).join('/')
}

function mostOf<T extends { count: number }>(pages: T[]): T[] {
  return pages.toSorted((a, b) => b.count - a.count).slice(0, 3)
}

/** `12 includes, 3 shortcodes on 5 pages (a.md: {{#include x.rs}})` */
export function renderLeftovers({ pages, examples, ...counts }: LeftoverCounts): string {
  const parts = [
    formatCount(counts.includes, 'include'),
    formatCount(counts.absent ?? 0, 'included text') + ' that the source lacks',
    formatCount(counts.shortcodes, 'shortcode'),
    formatCount(counts.components, 'component'),
    formatCount(counts.empty, 'empty page'),
    formatCount(counts.fileTitle, 'file name') + ' as title',
  ]
  const shown = parts.filter((part) => !part.startsWith('0 '))
  return `${shown.join(', ')} on ${formatCount(pages, 'page')} (${examples[0] ?? ''})`
}
