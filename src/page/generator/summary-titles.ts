import { plainMarkdown } from '../../document/inline.ts'
import type { DocsSite } from './generator.ts'
import { sectionOf } from './nav-order.ts'
import { resolveInFolder } from './site-path.ts'

/**
 * The navigation of a `SUMMARY.md` in `folder`, which lists pages as `- [Title](path.md)`: their
 * titles, and the headings and the pages above them.
 */
export function summaryNavigation(
  summary: string,
  folder: string,
): Required<Pick<DocsSite, 'titles' | 'sections'>> {
  const titles = new Map<string, string>()
  const sections = new Map<string, string>()
  let part = ''
  const above: { columns: number; step: string }[] = []
  for (const line of summary.split('\n')) {
    const [, heading] = /^#{1,6}\s+(\S.*)$/.exec(line) ?? []
    // The first heading is the title of the summary.
    if (heading !== undefined && titles.size > 0) part = plainMarkdown(heading)
    const [, indent = '', title, target = ''] =
      /^(\s*)(?:(?:[-*+]|\d+[.)])\s+)?\[(.*)\]\(<?([^()<>]*)>?\)\s*$/.exec(line) ?? []
    if (title === undefined) continue
    while (above.length > 0 && above.at(-1)!.columns >= indent.length) above.pop()
    const path = target === '' ? null : resolveInFolder(folder, target.replaceAll('%20', ' '))
    const steps = above.map(({ step }) => step).filter((step) => step !== '')
    above.push({ columns: indent.length, step: path === null ? '' : `/${path}` })
    if (path === null) continue
    titles.set(path, plainMarkdown(title))
    if (sections.has(path)) continue
    const label = sectionOf([part])
    sections.set(path, [...(label === '' ? [] : [label]), ...steps].join('\n'))
  }
  return { titles, sections }
}
