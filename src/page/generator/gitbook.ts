import type { DocsSite, Generator, ReadText } from './generator.ts'
import { resolveSubfolder, parentFolder, resolveInFolder } from './site-path.ts'
import { summaryNavigation } from './summary-titles.ts'

/** GitBook: `.gitbook.yaml`, or `book.json` in older versions; `SUMMARY.md` lists the pages. */
export const gitbook: Generator = {
  name: 'GitBook',
  rootOf: (path) =>
    /(?:^|\/)(?:\.gitbook\.ya?ml|book\.json)$/.test(path) ? parentFolder(path) : null,
  async read({ path, text, root }, read) {
    // A file of this name may also contain data about books.
    if (path.endsWith('.json') && !text.trimStart().startsWith('{')) return null
    const [, folder = ''] = /^root:[ \t]*["']?\.?\/?([^\s"']*)/m.exec(text) ?? []
    const [, summary = 'SUMMARY.md'] =
      /^[ \t]+summary:[ \t]*["']?\.?\/?([^\s"']+)/m.exec(text) ?? []
    const source = resolveSubfolder(root, folder === '' ? '.' : folder)
    if (source === null) return null
    const navigation = await navigationOf(resolveInFolder(source, summary), read)
    return { folders: [source], ...navigation, bases: [source], partials: /(?:^|\/)\.gitbook\// }
  },
}

async function navigationOf(
  path: string | null,
  read: ReadText,
): Promise<Pick<DocsSite, 'titles' | 'sections'>> {
  const summary = path === null ? null : await read(path)
  return summary === null ? { titles: new Map() } : summaryNavigation(summary, parentFolder(path!))
}
