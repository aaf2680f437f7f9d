import { isApiPagePath } from '../../api/api-path.ts'
import type { PageHead } from '../../store/pages/page-table.ts'
import type { Entry } from '../../store/registry.ts'
import { ofKey, pickEntries, versionsFrom } from '../../version/pick.ts'
import type { VersionFrom, VersionQuery } from '../../version/pick.ts'
import { newestVersionsFirst } from '../../version/version.ts'
import type { OpenEntries } from '../entries.ts'
import type { FullPage } from '../page.ts'
import { shortestPageName } from '../page-lookup.ts'
import { versionsOfSameLibraries } from '../search/other-versions.ts'
import { labelText, orderedLeaves, sharedDepth } from './page-order.ts'

/**
 * Returns the list of a library's pages as a page; null if no library has the name in `url`, which
 * may end in `@VERSION`.
 * @throws OgError if the library has no such version
 */
export async function contentsPage(
  entries: OpenEntries,
  { url, ...query }: VersionQuery & { url: string },
  isAvailable: (entry: Entry) => boolean,
): Promise<FullPage | null> {
  let settled: VersionFrom[] = []
  let others: string[] = []
  let isNamed = query.version !== null
  using openVersions = await entries((all) => {
    const request = libraryRequest(all, url, query)
    if (request === null) return []
    isNamed = request.version !== null
    const picked = pickEntries(all, request)
    settled = versionsFrom(all, picked, request)
    others = versionsOfSameLibraries(all, picked)
      .filter((entry) => !picked.includes(entry) && isAvailable(entry))
      .map(({ version }) => version)
    return picked
  })
  const [one] = openVersions
  if (one === undefined) return null
  const { library, version } = one.entry
  const versionFrom = settled[0] ?? null
  return {
    library,
    version,
    url: library,
    title: `Pages of ${library}`,
    text: contentsText(await one.open.pageHeads()),
    markup: 'text',
    anchor: null,
    versionFrom,
    otherVersions: isNamed || versionFrom !== null ? [] : newestVersionsFirst(others),
  }
}

function libraryRequest(
  all: Entry[],
  url: string,
  query: VersionQuery,
): (VersionQuery & { library: string }) | null {
  const at = url.lastIndexOf('@')
  const isAsked = (name: string) =>
    ofKey(all, name).length > 0 &&
    (query.library === null || keyOf(all, query.library) === keyOf(all, name))
  if (isAsked(url)) return { ...query, library: url }
  if (at < 1 || query.version !== null) return null
  const [library, version] = [url.slice(0, at), url.slice(at + 1)]
  return isAsked(library) && version !== '' ? { ...query, library, version } : null
}

const keyOf = (all: Entry[], library: string) => ofKey(all, library)[0]?.key

/**
 * Lists the pages in reading order, below the folders or sections that contain them. The brackets
 * contain a short name by which `og get` finds the page, unless the title is such a name.
 */
export function contentsText(heads: ReadonlyMap<string, PageHead>): string {
  const leaves = orderedLeaves(heads)
  const hasNav = leaves.some(({ isNav }) => isNav)
  const shared = hasNav ? 0 : sharedDepth(leaves.map(({ parts }) => parts))
  const paths = Map.groupBy(heads.values(), ({ path }) => path)
  const titles = Map.groupBy(heads.values(), ({ title }) => title)
  const nameOf = (head: PageHead) => {
    if (isApiPagePath(head.path) && titles.get(head.title)!.length === 1) return head.title
    const name = shortestPageName(head, heads)
    return name === head.url && paths.get(head.path)!.length === 1 ? head.path : name
  }
  const lines: string[] = []
  let open: readonly string[] = []
  for (const { url, title, parts, isNav } of leaves) {
    const isParent = isNav && parts.length > 1 && parts.at(-1) === 'index'
    // A parent stands for the folder of its children.
    const above = parts.slice(shared, isParent ? -2 : -1)
    const same = above.findIndex((step, i) => step !== open[i])
    const from = same === -1 ? above.length : same
    for (const [i, step] of above.entries()) {
      if (i >= from) lines.push(lineText(i, labelText(step) ?? `${step}/`))
    }
    open = isParent ? [...above, parts.at(-2)!] : above
    const name = nameOf(heads.get(url)!)
    lines.push(lineText(above.length, title === name ? name : `${title} [${name}]`))
  }
  return lines.map((line) => `${line}\n`).join('')
}

function lineText(depth: number, text: string): string {
  return `${'  '.repeat(depth)}- ${text.replace(/\s+/g, ' ')}`
}
