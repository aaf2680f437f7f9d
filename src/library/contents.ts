import { cached } from '../platform/lru-cache.ts'
import { OgError } from '../platform/error.ts'
import { parseGlob } from '../platform/text/glob.ts'
import type { PageHead } from '../store/pages/page-table.ts'
import { isApiPagePath } from '../api/api-path.ts'
import type { Entry } from '../store/registry.ts'
import { ofKey, pickEntries, versionsFrom, type VersionQuery } from '../version/pick.ts'
import { newestVersionsFirst } from '../version/version.ts'
import type { OpenEntries } from './entries.ts'
import { shortestPageName } from './page-lookup.ts'
import { versionsOfSameLibraries } from './search/other-versions.ts'
import type { FullPage } from './library.ts'
import type { VersionFrom } from '../version/project.ts'

/**
 * A page in the contents tree. `parts` are the steps that lead to it: the segments of its path, or
 * labels and pages of the navigation.
 */
export type Leaf = { url: string; title: string; parts: string[]; isNav: boolean }

/**
 * Returns the pages in reading order. Pages of a Sphinx site follow its toctrees, and pages of
 * other sites follow the navigation. The rest is ordered by folder. A folder's index page comes
 * first, and numbers are ordered by value.
 */
export const orderedLeaves = cached((heads: ReadonlyMap<string, PageHead>): Leaf[] => {
  const listed = listedLeaves([...heads.values()])
  const listedUrls = new Set(listed.map(({ url }) => url))
  const others = [...heads.values()].filter(({ url }) => !listedUrls.has(url))
  const rest = others.map((head) => ({ head, parts: pathParts(head) })).sort(compareByPath)
  const shared = listed.length === 0 ? 0 : sharedDepth(rest.map(({ parts }) => parts))
  const above = listed.length === 0 ? [] : [label('Other pages')]
  const unlisted = rest.map(({ head: { url, title }, parts }) => ({
    url,
    title: title || parts.at(-1) || url,
    parts: [...above, ...parts.slice(shared)],
    isNav: false,
  }))
  return [...listed, ...unlisted]
})

export function label(text: string): string {
  return `# ${text}`
}

/** Returns the text of a step that is a label, or null for any other step. */
export function labelText(part: string): string | null {
  return part.startsWith('# ') ? part.slice(2) : null
}

/** Returns the number of leading steps that all pages share, not counting their last steps. */
export function sharedDepth(all: readonly (readonly string[])[]): number {
  const [first] = all
  let depth = (first?.length ?? 1) - 1
  for (const parts of all) {
    depth = Math.min(depth, parts.length - 1)
    while (depth > 0 && parts[depth - 1] !== first![depth - 1]) depth--
  }
  return depth
}

function pathParts({ path, url }: PageHead): string[] {
  return (path || url).split('/').filter((part) => part !== '')
}

const collator = new Intl.Collator('en', { numeric: true })

type ByPath = { head: PageHead; parts: string[] }

function compareByPath(a: ByPath, b: ByPath): number {
  const positions = [a, b].map(({ head }) => head.nav_position ?? Infinity) as [number, number]
  if (positions[0] !== positions[1]) return positions[0] - positions[1]
  const shorter = Math.min(a.parts.length, b.parts.length)
  let i = 0
  while (i < shorter - 1 && a.parts[i] === b.parts[i]) i++
  const key = ({ parts }: ByPath) => (i === parts.length - 1 && isIndex(parts[i]!) ? 0 : 1)
  return key(a) - key(b) || collator.compare(a.parts[i] ?? '', b.parts[i] ?? '')
}

export function isIndex(name: string): boolean {
  return /^(?:index|readme|_index)(?:\.[a-z]+)?$/i.test(name)
}

function listedLeaves(heads: readonly PageHead[]): Leaf[] {
  const trees = heads.filter(({ toctree }) => toctree !== undefined)
  if (trees.length > 0) return toctreeLeaves(heads, trees)
  if (!heads.some(({ nav_section }) => nav_section !== undefined)) return []
  const steps = ({ nav_section = '' }: PageHead) =>
    nav_section.split('\n').flatMap((it) => (it === '' ? [] : it.startsWith('/') ? it : label(it)))
  const parents = new Set(heads.flatMap((head) => steps(head).at(-1) ?? []))
  return heads
    .filter(({ nav_position }) => nav_position !== undefined)
    .sort((a, b) => a.nav_position! - b.nav_position!)
    .map((head) => {
      const { url, title, path } = head
      const own = [...steps(head), `/${path}`]
      const parts = parents.has(`/${path}`) ? [...own, 'index'] : own
      return { url, title: title || path, parts, isNav: true }
    })
}

type PagesByName = ReadonlyMap<string, PageHead>
type OrderedPage = { head: PageHead; title: string }
/** `text` is the caption or the heading above the tree; '' if there is neither. */
type Toctree = { isHeading: boolean; text: string; pages: OrderedPage[] }

function toctreeLeaves(heads: readonly PageHead[], trees: readonly PageHead[]): Leaf[] {
  const byName = new Map(heads.map((head) => [head.path.replace(/\.[^./]+$/, ''), head]))
  const budget = { globs: mostGlobs }
  const toctrees = new Map(trees.map((head) => [head, readToctrees(head, byName, budget)]))
  const pagesOf = (head: PageHead) => (toctrees.get(head) ?? []).flatMap(({ pages }) => pages)
  const listed = new Set(trees.flatMap(pagesOf).map(({ head }) => head))
  const depthOf = ({ path }: PageHead) => path.split('/').length
  const sorted = trees.toSorted(
    (a, b) => depthOf(a) - depthOf(b) || pagesOf(b).length - pagesOf(a).length,
  )
  const unlisted = sorted.filter((head) => !listed.has(head))
  // If the toctrees form a cycle, each page is listed.
  const roots = unlisted.length > 0 ? unlisted : sorted.slice(0, 1)
  const leaves: Leaf[] = []
  const seen = new Set<PageHead>()
  const visit = ({ head, title }: OrderedPage, above: readonly string[], depth: number) => {
    if (seen.has(head)) return
    seen.add(head)
    const isRoot = depth === 0
    const isFolder = depth < mostDepth && pagesOf(head).some((it) => !seen.has(it.head))
    const own = isRoot ? [...above] : [...above, `/${head.path}`]
    const parts = isRoot ? [`/${head.path}`] : isFolder ? [...own, 'index'] : own
    leaves.push({ url: head.url, title, parts, isNav: true })
    if (!isFolder) return
    const trees = toctrees.get(head)!
    for (const { isHeading, text, pages } of trees) {
      const isNeeded = isRoot || (!isHeading && trees.length > 1)
      const labels = text === '' || !isNeeded ? [] : [label(text)]
      for (const entry of pages) visit(entry, [...own, ...labels], depth + 1)
    }
  }
  // The pages of the first root are at the top of the tree.
  roots.forEach((head, i) => visit({ head, title: head.title || head.path }, [], i === 0 ? 0 : 1))
  return leaves
}

/** Limits the depth of the tree, because each page may list another page. */
const mostDepth = 50
/** Limits the number of globs, because each is compared with all pages. */
const mostGlobs = 200

function readToctrees(head: PageHead, byName: PagesByName, budget: { globs: number }): Toctree[] {
  const trees: Toctree[] = []
  for (const line of head.toctree!.split('\n')) {
    const [, mark, text] = /^(##?) (.*)$/.exec(line) ?? []
    if (text !== undefined) {
      trees.push({ isHeading: mark === '##', text, pages: [] })
      continue
    }
    if (trees.length === 0) trees.push({ isHeading: true, text: '', pages: [] })
    const [name = '', title] = line.split('\t')
    const page = byName.get(name)
    const isGlob = page === undefined && /[*?[]/.test(name) && budget.globs-- > 0
    const matches = isGlob ? matching(name, byName) : page === undefined ? [] : [page]
    for (const one of matches) {
      if (one !== head)
        trees.at(-1)!.pages.push({ head: one, title: title || one.title || one.path })
    }
  }
  return trees
}

function matching(pattern: string, byName: PagesByName): PageHead[] {
  const depth = pattern.includes('**') ? null : pattern.split('/').length
  try {
    const glob = parseGlob(pattern)
    return [...byName]
      .filter(
        ([name]) => (depth === null || name.split('/').length === depth) && glob.matches(name),
      )
      .sort(([a], [b]) => collator.compare(a, b))
      .map(([, head]) => head)
  } catch (error) {
    // The glob is too long or too slow.
    if (error instanceof OgError) return []
    throw error
  }
}

/**
 * Returns the list of a library's pages as a page, or null if no library has the name in `url`,
 * which may end in `@VERSION`.
 * @throws OgError if the library has no such version
 */
export async function contentsPage(
  entries: OpenEntries,
  { url, ...query }: VersionQuery & { url: string },
  isAvailable: (entry: Entry) => boolean,
): Promise<FullPage | null> {
  let versionsFound: VersionFrom[] = []
  let others: string[] = []
  let isNamed = query.version !== null
  using openVersions = await entries((all) => {
    const request = libraryRequest(all, url, query)
    if (request === null) return []
    isNamed = request.version !== null
    const picked = pickEntries(all, request)
    versionsFound = versionsFrom(all, picked, request)
    others = versionsOfSameLibraries(all, picked)
      .filter((entry) => !picked.includes(entry) && isAvailable(entry))
      .map(({ version }) => version)
    return picked
  })
  const [one] = openVersions
  if (one === undefined) return null
  const { library, version } = one.entry
  const versionFrom = versionsFound[0] ?? null
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
 * Lists the pages in reading order, below the folders or sections that contain them. Brackets
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
    // A parent page heads the folder of its children.
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
