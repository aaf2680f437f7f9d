import type { PageHead } from '../../store/pages/page-table.ts'
import { html, type Html } from '../html.ts'
import { readAddress } from './read-address.ts'

type OpenPage = { library: string; version: string; url: string }

/** The links around a page: the tree of the library's pages, and the previous and next page. */
type Contents = { tree: Html | null; neighbours: Html | null }

/** A page at its place in the tree. `parts` are the segments of its path. */
type Leaf = { url: string; title: string; parts: string[]; position: number }

/** Maximum number of links in a folder; the links nearest to the open page are shown. */
const mostLinks = 100

/**
 * Renders the folders of a library version as a tree. Only the folders above the open page are
 * expanded; any other folder is a link to its first page, so that the tree of a large library stays
 * small.
 */
export function renderContents(page: OpenPage, heads: ReadonlyMap<string, PageHead>): Contents {
  const leaves = sortedLeaves(heads)
  const at = leaves.findIndex(({ url }) => url === page.url)
  if (at < 0 || leaves.length < 2) return { tree: null, neighbours: null }
  const depth = sharedDepth(leaves)
  const tree = html`<nav class="contents" aria-label="Pages">
<details open><summary>Pages</summary>
${renderFolder(page, leaves, { open: leaves[at]!, depth })}</details></nav>`
  const link = (leaf: Leaf | undefined, rel: 'prev' | 'next', name: string) =>
    leaf !== undefined &&
    html`<a rel="${rel}" href="${readAddress({ ...page, url: leaf.url })}"><span
 class="soft">${name}</span> ${leaf.title}</a>`
  const neighbours = html`<nav class="neighbours" aria-label="Neighbours">${link(
    leaves[at - 1],
    'prev',
    'Previous',
  )}${link(leaves[at + 1], 'next', 'Next')}</nav>`
  return { tree, neighbours }
}

const cache = new WeakMap<ReadonlyMap<string, PageHead>, Leaf[]>()

/**
 * Returns the pages in reading order: first those in the navigation of their site, then the others,
 * with the index page of a folder first and numbers by their value.
 */
function sortedLeaves(heads: ReadonlyMap<string, PageHead>): Leaf[] {
  const last = cache.get(heads)
  if (last !== undefined) return last
  const leaves = [...heads.values()].map(
    ({ url, path, title, nav_position: position = Infinity }) => {
      const parts = (path || url).split('/').filter((part) => part !== '')
      return { url, title: title || parts.at(-1) || url, parts, position }
    },
  )
  leaves.sort(compareLeaves)
  cache.set(heads, leaves)
  return leaves
}

const collator = new Intl.Collator('en', { numeric: true })

function compareLeaves(a: Leaf, b: Leaf): number {
  if (a.position !== b.position) return a.position - b.position
  const shorter = Math.min(a.parts.length, b.parts.length)
  let i = 0
  while (i < shorter - 1 && a.parts[i] === b.parts[i]) i++
  const key = ({ parts }: Leaf) => (i === parts.length - 1 && isIndex(parts[i]!) ? 0 : 1)
  return key(a) - key(b) || collator.compare(a.parts[i] ?? '', b.parts[i] ?? '')
}

function isIndex(name: string): boolean {
  return /^(?:index|readme|_index)(?:\.[a-z]+)?$/i.test(name)
}

/** Returns the number of top folders that all pages share. */
function sharedDepth(leaves: readonly Leaf[]): number {
  const [first] = leaves
  let depth = first!.parts.length - 1
  for (const { parts } of leaves) {
    depth = Math.min(depth, parts.length - 1)
    while (depth > 0 && parts[depth - 1] !== first!.parts[depth - 1]) depth--
  }
  return depth
}

type Place = { open: Leaf; depth: number }

function renderFolder(page: OpenPage, leaves: readonly Leaf[], { open, depth }: Place): Html {
  const groups = [...Map.groupBy(leaves, ({ parts, url }) => groupKey(parts, depth) || url)]
  const at = groups.findIndex(([, some]) => some.includes(open))
  const from = Math.max(0, Math.min(at - mostLinks / 2, groups.length - mostLinks))
  const items = groups.slice(from, from + mostLinks).map(([, some]) => {
    const [first] = some
    const isPage = first!.parts.length === depth + 1
    // A chain of folders that each contain nothing but the next one is shown as one folder.
    const within = isPage ? depth : Math.max(depth + 1, sharedDepth(some))
    const name = isPage || isIndex(first!.parts.at(-1)!) ? first!.title : first!.parts[depth]!
    const inner =
      !isPage && some.includes(open) && html`${renderFolder(page, some, { open, depth: within })}`
    const mark = first === open && isPage && html` aria-current="page"`
    return html`<li${!isPage && html` class="folder"`}><a href="${readAddress({
      ...page,
      url: first!.url,
    })}"${mark}>${name}</a>${inner}</li>\n`
  })
  return html`<ul>${items}</ul>`
}

/**
 * Returns the folder below `depth` that contains a page; '' if the page is directly in this folder.
 */
function groupKey(parts: readonly string[], depth: number): string {
  return parts.length > depth + 1 ? `/${parts[depth]}` : ''
}
