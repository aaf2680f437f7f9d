import { plainMarkdown } from '../inline.ts'
import { resolveInFolder } from './site-path.ts'

/**
 * The titles of the pages that a `SUMMARY.md` in `folder` lists (`- [Title](path.md)`), by path.
 */
export function summaryTitles(summary: string, folder: string): Map<string, string> {
  const titles = new Map<string, string>()
  for (const line of summary.split('\n')) {
    const [, title, target = ''] =
      /^\s*(?:(?:[-*+]|\d+[.)])\s+)?\[(.*)\]\(<?([^()<>]+)>?\)\s*$/.exec(line) ?? []
    const path = title === undefined ? null : resolveInFolder(folder, target.replaceAll('%20', ' '))
    if (path !== null) titles.set(path, plainMarkdown(title!))
  }
  return titles
}
