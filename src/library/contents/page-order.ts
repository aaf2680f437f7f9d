import { OgError } from '../../platform/error.ts'
import { parseGlob } from '../../platform/text/glob.ts'
import type { PageHead } from '../../store/pages/page-table.ts'

/**
 * A page at its place in the contents tree. `parts` are the steps that lead to it: the segments of
 * its path, or labels and pages of the navigation.
 */
export type Leaf = { url: string; title: string; parts: string[]; isNav: boolean }

const cache = new WeakMap<ReadonlyMap<string, PageHead>, Leaf[]>()

/**
 * Returns the pages in reading order. Pages of a Sphinx site follow its toctrees, pages of other
 * sites follow the navigation; the others follow by folder, with the index page of a folder first
 * and numbers by their value.
 */
export function orderedLeaves(heads: ReadonlyMap<string, PageHead>): Leaf[] {
  const last = cache.get(heads)
  if (last !== undefined) return last
  const listed = listedLeaves([...heads.values()])
  const known = new Set(listed.map(({ url }) => url))
  const others = [...heads.values()].filter(({ url }) => !known.has(url))
  const rest = others.map((head) => ({ head, parts: pathParts(head) })).sort(compareByPath)
  const shared = listed.length === 0 ? 0 : sharedDepth(rest.map(({ parts }) => parts))
  const above = listed.length === 0 ? [] : [label('Other pages')]
  const unlisted = rest.map(({ head: { url, title }, parts }) => ({
    url,
    title: title || parts.at(-1) || url,
    parts: [...above, ...parts.slice(shared)],
    isNav: false,
  }))
  const leaves = [...listed, ...unlisted]
  cache.set(heads, leaves)
  return leaves
}

export function label(text: string): string {
  return `# ${text}`
}

/** The text of a step that is a label; null for another step. */
export function labelText(part: string): string | null {
  return part.startsWith('# ') ? part.slice(2) : null
}

/** The number of first steps that all pages share, without their last steps. */
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
type Entry = { head: PageHead; title: string }
/** `text` is the caption, or the heading above the tree; '' if it has neither. */
type Toctree = { isHeading: boolean; text: string; pages: Entry[] }

function toctreeLeaves(heads: readonly PageHead[], trees: readonly PageHead[]): Leaf[] {
  const byName = new Map(heads.map((head) => [docName(head), head]))
  const budget = { globs: mostGlobs }
  const toctrees = new Map(trees.map((head) => [head, readToctrees(head, byName, budget)]))
  const pagesOf = (head: PageHead) => (toctrees.get(head) ?? []).flatMap(({ pages }) => pages)
  const listed = new Set(trees.flatMap(pagesOf).map(({ head }) => head))
  const depthOf = ({ path }: PageHead) => path.split('/').length
  const sorted = trees.toSorted(
    (a, b) => depthOf(a) - depthOf(b) || pagesOf(b).length - pagesOf(a).length,
  )
  const unlisted = sorted.filter((head) => !listed.has(head))
  // If the toctrees form a circle, each page is listed.
  const roots = unlisted.length > 0 ? unlisted : sorted.slice(0, 1)
  const leaves: Leaf[] = []
  const seen = new Set<PageHead>()
  const visit = ({ head, title }: Entry, above: readonly string[], depth: number) => {
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

/** Maximum depth of the tree, because each page may list another. */
const mostDepth = 50
/** Maximum number of globs, because each is compared with all pages. */
const mostGlobs = 200

function docName({ path }: PageHead): string {
  return path.replace(/\.[^./]+$/, '')
}

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
    const found = isGlob ? matching(name, byName) : page === undefined ? [] : [page]
    for (const one of found) {
      if (one !== head)
        trees.at(-1)!.pages.push({ head: one, title: title || one.title || one.path })
    }
  }
  return trees
}

function matching(written: string, byName: PagesByName): PageHead[] {
  const depth = written.includes('**') ? null : written.split('/').length
  try {
    const glob = parseGlob(written)
    return [...byName]
      .filter(
        ([name]) => (depth === null || name.split('/').length === depth) && glob.matches(name),
      )
      .sort(([a], [b]) => collator.compare(a, b))
      .map(([, head]) => head)
  } catch (error) {
    // The glob is too long or too expensive.
    if (error instanceof OgError) return []
    throw error
  }
}
